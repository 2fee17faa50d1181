"""Containers of a pod one after the other, which leave what they have to those behind, or keep it: nodes are filled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import cycle
from typing import Any

from ...cpuset import CpuSet
from ...machine import Device, Machine
from ..judge.choice import numa_cpus
from ..judge.room import ordinary
from .cells import MEMORY, RESERVED_MIB, alignments, devices_near
from .scenario import Scenario, Script, or_the_catalogue
from .workloads import container, pod, static

__all__ = ["NEEDED", "in_turn"]

NEEDED = frozenset(
    {
        "cpu-manager/static",
        "cpu-manager/init-containers",
        "device-manager/allocation",
        "memory-manager/static",
        "memory-manager/hugepages",
    }
)
"""What a target must claim."""
MOST_CPUS, MACHINES, MOST_PODS = 32, 2, 4
ROOM = 4 << 30
"""Memory that each NUMA node must have."""
EACH = 4
"""Devices near each NUMA node, and huge pages of 2 MiB on it."""
NIC, PAGES = "example.com/nic", "hugepages-2Mi"
SMALL = {"cpu": "100m", "memory": "8Mi"}
INIT, SIDECAR, APP = "init", "sidecar", "app"
Part = tuple[str, float]
"""A kind of container, and its part of what a NUMA node has."""
PODS: tuple[tuple[Part, ...], ...] = (
    ((INIT, 1), (APP, 0.75), (APP, 0.5)),
    ((INIT, 0.5), (SIDECAR, 0.25), (APP, 0.5)),
    ((SIDECAR, 0.5), (INIT, 0.5), (APP, 0.25)),
    ((INIT, 1), (INIT, 0.25), (SIDECAR, 0.25), (APP, 0.25), (APP, 0.25)),
    ((INIT, 0), (SIDECAR, 0), (APP, 0.5), (APP, 0)),
)
"""Some fit a NUMA node by what is left to them, others by a little do not. What has no part asks for little or none."""


def in_turn(claimed: frozenset[str], machines: Sequence[Machine] | None = None) -> Iterator[Scenario]:
    """Yield a life for each resource and order of containers, under policies and scopes in turn."""
    if not claimed >= NEEDED:
        return
    ways = cycle(alignments(claimed))
    for machine in [machine for machine in or_the_catalogue(machines) if _suits(machine)][:MACHINES]:
        paged = tuple(replace(node, hugepages={"2Mi": EACH}) for node in machine.memory)
        broken = Device(NIC, "nic-broken", (machine.memory[0].node,), healthy=False)
        nics = (broken, *devices_near(NIC, (node.node for node in machine.memory), EACH))
        named = replace(machine, name=f"{machine.name} with nics and few pages", memory=paged, devices=nics)
        config = static(reserved=str(CpuSet.from_bits(machine.core_bits[0])), more=_memory(machine))
        for aligning, parts in zip(ways, PODS * 2, strict=False):
            policy = " per ".join(aligning.values()) or "none"
            cell = f"no option, {policy}, memory Static, reserved a core"
            life = partial(_life, named, {**config, **aligning}, parts, restarts="node/restart" in claimed)
            yield Scenario("walk", cell, named, life)


def _suits(machine: Machine) -> bool:
    sizes = {node.memory or 0 for node in machine.memory}
    few = len(machine.cpus) <= MOST_CPUS and 1 < len(numa_cpus(machine)) == len(machine.memory) < 5
    return few and len(sizes) == 1 and min(sizes) >= ROOM and not machine.devices


def _memory(machine: Machine) -> dict[str, Any]:
    reserved = {"numaNode": machine.memory[0].node, "limits": {"memory": f"{RESERVED_MIB}Mi"}}
    return {**MEMORY, "reservedMemory": [reserved]}


def _life(machine: Machine, config: Mapping[str, Any], parts: Sequence[Part], *, restarts: bool) -> Script:
    """For each resource let pods come and run until no more are admitted, and go; where few look at it, restart."""
    yield "node.start", {"kubelet": config}
    cpus = min(node.bit_count() for node in numa_cpus(machine)) - machine.core_bits[0].bit_count()
    amounts = {"cpu": (cpus, ""), "memory": (ordinary(machine.memory[-1]) >> 20, "Mi"), PAGES: (EACH * 2, "Mi")}
    for name, (whole, unit) in {**amounts, NIC: (EACH, "")}.items():
        there = list[str]()
        for number in range(MOST_PODS):
            wanted = _pod(f"{unit or 'n'}{name[0]}{number}".lower(), name, whole, unit, parts)
            if (yield "node.admit", {"pod": wanted}).get("result") != "admitted":
                break
            there.append(wanted["metadata"]["uid"])
            yield "node.run", {"uid": there[-1]}
        yield "node.state", {}
        if restarts and name in (PAGES, NIC) and (yield "node.restart", {}).get("result") == "restarted":
            yield "node.admit", {"pod": _pod("more", name, whole, unit, parts)}
            there.append("more")
        for uid in there:
            yield "node.remove", {"uid": uid}


def _pod(uid: str, name: str, whole: int, unit: str, parts: Sequence[Part]) -> dict[str, Any]:
    """Describe a pod whose containers have their parts of a resource, and little of all else."""
    containers = []
    for number, (kind, part) in enumerate(parts):
        # Huge pages of 2 MiB are asked for in whole ones.
        amount = int(whole * part) // 2 * 2 if name == PAGES else int(whole * part)
        asked = {**SMALL, name: f"{max(1, amount)}{unit}"} if part else SMALL
        containers.append((kind, container(f"{kind}-{number}", other=asked, sidecar=kind == SIDECAR)))
    apps = [described for kind, described in containers if kind == APP]
    return pod(uid, apps, init=[described for kind, described in containers if kind != APP])
