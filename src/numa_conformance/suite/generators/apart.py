"""Devices of two resources that no NUMA node has together: pods of every class ask for both, under single-numa-node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

from ...cpuset import CpuSet
from ...machine import Device, Machine
from .few_nodes import has_few_nodes
from .scenario import Scenario, Script, come_and_go, or_the_catalogue
from .workloads import container, pod, static

__all__ = ["NEEDED", "apart"]

NEEDED = frozenset({"cpu-manager/static", "device-manager/allocation", "topology-manager/single-numa-node"})
"""What a target must claim, beside the scope."""
MACHINES = 3
KINDS = ("example.com/nic", "example.com/gpu")
CLASSES: tuple[dict[str, Any], ...] = (
    {"cpu": "1", "memory": "64Mi"},
    {"requests": {"cpu": "1", "memory": "64Mi"}},
    {},
)
"""What a container of each class asks for."""


def apart(claimed: frozenset[str], machines: Sequence[Machine] | None = None) -> Iterator[Scenario]:
    """Yield a short life for each scope on a few small machines with two NUMA nodes and more."""
    for machine in islice(filter(has_few_nodes, or_the_catalogue(machines)), MACHINES):
        for scope in ("container", "pod"):
            if claimed >= NEEDED | {f"topology-manager/scope/{scope}"}:
                cell = f"no option, single-numa-node per {scope}, reserved a core"
                yield Scenario("walk", cell, _with_devices(machine), partial(_life, machine, scope))


def _with_devices(machine: Machine) -> Machine:
    nodes = [node for node, cpus in machine.numa_bits.items() if cpus]
    near = zip(KINDS, nodes, strict=False)
    devices = tuple(Device(kind, f"{kind[-3:]}-{index}", (node,)) for kind, node in near for index in range(4))
    return replace(machine, name=f"{machine.name} with devices apart", devices=devices)


def _life(machine: Machine, scope: str) -> Script:
    reserved = str(CpuSet.from_bits(machine.core_bits[0]))
    yield "node.start", {"kubelet": static(reserved=reserved, topology="single-numa-node", scope=scope)}
    both = dict.fromkeys(KINDS, "1")
    for number, resources in enumerate(CLASSES):
        for count in (1, 2, 3):
            containers = [container(f"c{index}", **resources) for index in range(count - 1)]
            asking = pod(f"p{number}-{count}", [*containers, container("both", other=both, **resources)])
            yield from come_and_go([asking])
