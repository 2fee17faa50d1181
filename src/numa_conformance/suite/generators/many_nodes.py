"""Lives on more NUMA nodes than are allowed by default: CPUs and devices that no one NUMA node has any more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ...cpuset import CpuSet
from ...machine import Device, Machine, load_machine
from ..judge.start_subjects import MANY_NODES
from .scenario import Scenario, Script
from .workloads import container, pod, static

__all__ = ["NEEDED", "many_nodes"]

NEEDED = frozenset({"cpu-manager/static", "device-manager/allocation", f"topology-manager/{MANY_NODES}"})
"""What a target must claim, beside policy and scope."""
GPU, NODES, EACH = "example.com/gpu", 11, 3
"""A resource, how many NUMA nodes have some of it, and how many each."""


def many_nodes(claimed: frozenset[str], machines: Sequence[Machine] | None = None) -> Iterator[Scenario]:
    """Yield a life under each policy that aligns, with the limit of NUMA nodes raised, in turn in each scope."""
    machine = load_machine("twelve-numa-nodes")
    if machines is not None and machine not in machines:
        return
    near = [node for node, cpus in machine.numa_bits.items() if cpus][-NODES:]
    gpus = tuple(Device(GPU, f"gpu-{node}-{index}", (node,)) for node in near for index in range(EACH))
    wide = replace(machine, name=f"{machine.name} with devices", devices=gpus)
    for policy, scope in (("restricted", "container"), ("single-numa-node", "pod"), ("best-effort", "container")):
        if claimed >= NEEDED | {f"topology-manager/{policy}", f"topology-manager/scope/{scope}"}:
            cell = f"no option, {policy} per {scope}, reserved a core"
            yield Scenario("walk", cell, wide, partial(_life, wide, policy, scope))


def _life(machine: Machine, policy: str, scope: str) -> Script:
    options = {MANY_NODES: str(len(machine.numa_ids))}
    reserved = str(CpuSet.from_bits(machine.core_bits[0]))
    kubelet = static(reserved=reserved, topology=policy, scope=scope, topologyManagerPolicyOptions=options)
    if (yield "node.start", {"kubelet": kubelet}).get("result") != "started":
        return
    room = max(cpus.bit_count() for cpus in machine.numa_bits.values())
    asked: list[dict[str, Any]] = [{"other": {GPU: str(EACH - 1)}}] * (NODES + 1)
    asked += [{"cpu": str(cpus), "memory": "64Mi"} for cpus in (room, room + 1, room - 1)]
    asked += [{"cpu": "1", "memory": "64Mi", "other": {GPU: "1"}}, {"other": {GPU: str(NODES)}}]
    for number, resources in enumerate(asked):
        yield "node.admit", {"pod": pod(f"p{number}", [container("c", **resources)])}
    yield "node.remove", {"uid": "p0"}
    yield "node.admit", {"pod": pod("again", [container("c", **asked[0])])}
