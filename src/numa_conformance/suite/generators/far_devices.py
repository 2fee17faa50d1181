"""Devices beside CPUs where the plugin prefers such of another NUMA node, and where one is near two NUMA nodes.

Devices of another resource tell of no NUMA node, and one of them is broken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

from ...cpuset import CpuSet
from ...machine import Device, Machine
from ..judge.choice import numa_cpus
from .cells import alignments, devices_near
from .few_nodes import has_few_nodes
from .scenario import Scenario, Script, come_and_go, or_the_catalogue
from .workloads import best_effort, guaranteed, static

__all__ = ["NEEDED", "far_devices"]

NEEDED = frozenset({"cpu-manager/static", "device-manager/allocation", "device-manager/preferred-allocation"})
"""What a target must claim."""
MACHINES = 2
GPU, OWN = "example.com/gpu", 2
"""The resource, and its devices near one NUMA node alone, for each."""
KEY, KEYS = "example.com/key", 2
"""The resource whose devices are nowhere, and how many of them are healthy."""


def far_devices(claimed: frozenset[str], machines: Sequence[Machine] | None = None) -> Iterator[Scenario]:
    """Yield a life for each policy and scope on a few small machines with two NUMA nodes and more."""
    if not claimed >= NEEDED:
        return
    for machine in islice(filter(has_few_nodes, or_the_catalogue(machines)), MACHINES):
        equipped = _equipped(machine)
        for aligning in alignments(claimed):
            if aligning:
                cell = f"no option, {' per '.join(aligning.values())}, reserved a core"
                config = {**static(reserved=str(CpuSet.from_bits(machine.core_bits[0]))), **aligning}
                yield Scenario("walk", cell, equipped, partial(_life, equipped, config))


def _equipped(machine: Machine) -> Machine:
    """Put devices near each NUMA node and one near the last two, of which the plugin prefers the lowest ids."""
    nodes = [node for node, cpus in machine.numa_bits.items() if cpus]
    devices = (*devices_near(GPU, nodes, OWN), Device(GPU, "gpu-between", (nodes[-2], nodes[-1])))
    devices += tuple(Device(KEY, f"key-{index}", (), healthy=index > 0) for index in range(KEYS + 1))
    name = f"{machine.name} with gpus preferred"
    return replace(machine, name=name, devices=devices, preferred_allocation={GPU: "lowest-id"})


def _life(machine: Machine, config: dict[str, object]) -> Script:
    """Take the CPUs of all NUMA nodes but one, and ask for devices beside those of the last."""
    yield "node.start", {"kubelet": config}
    yield from come_and_go(best_effort(f"keys-{count}", **{KEY: str(count)}) for count in (KEYS, KEYS + 1))
    sizes = sorted(cpus.bit_count() for cpus in numa_cpus(machine))
    most = sizes[0] - machine.core_bits[0].bit_count()
    yield "node.admit", {"pod": guaranteed("first", most, **{GPU: "1"})}
    for number in range(len(sizes) - 2):
        yield "node.admit", {"pod": guaranteed(f"filler-{number}", most)}
    yield from come_and_go(guaranteed(f"beside-{count}", most, **{GPU: str(count)}) for count in (OWN, OWN + 1, 1))
    yield from come_and_go(best_effort(f"alone-{count}", **{GPU: str(count)}) for count in (OWN, OWN + 1, OWN + 2))
    yield "node.remove", {"uid": "first"}
    yield from come_and_go(guaranteed(f"after-{count}", most, **{GPU: str(count)}) for count in (OWN, OWN + 1))
