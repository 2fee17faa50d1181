"""Containers of a pod one after the other, which leave what they have to those behind, or keep it: nodes are filled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import cycle, islice
from typing import Any

from ...cpuset import CpuSet
from ...machine import Device, Machine
from ..judge.choice import numa_cpus
from ..judge.room import ordinary
from .cells import alignments
from .few_nodes import OF_EVERY_MANAGER, are_alike, with_pages_and_devices
from .scenario import Scenario, Script, or_the_catalogue
from .workloads import container, pinning, pod, static

__all__ = ["in_turn"]

MACHINES, MOST_PODS = 2, 4
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
ALONE: tuple[Part, ...] = ((APP, 1),)
"""A pod of one container, which needs all that a NUMA node has."""


def in_turn(claimed: frozenset[str], machines: Sequence[Machine] | None = None) -> Iterator[Scenario]:
    """Yield a life for each resource and order of containers, under policies and scopes in turn."""
    if not claimed >= OF_EVERY_MANAGER:
        return
    able = (machine for machine in or_the_catalogue(machines) if are_alike(machine) and not machine.devices)
    ways = cycle(alignments(claimed))
    for machine in islice(able, MACHINES):
        broken = Device(NIC, "nic-broken", (machine.memory[0].node,), healthy=False)
        named = with_pages_and_devices(machine, "nics and few pages", EACH, NIC, EACH, (broken,))
        config = static(reserved=str(CpuSet.from_bits(machine.core_bits[0])), more=pinning(machine.memory[0].node))
        for aligning, parts in zip(ways, PODS * 2, strict=False):
            policy = " per ".join(aligning.values()) or "none"
            cell = f"no option, {policy}, memory Static, reserved a core"
            life = partial(_life, named, {**config, **aligning}, parts, restarts="node/restart" in claimed)
            yield Scenario("walk", cell, named, life)


def _life(machine: Machine, config: Mapping[str, Any], parts: Sequence[Part], *, restarts: bool) -> Script:
    """For each resource let pods come and run until no more are admitted, and go; where few look at it, restart."""
    yield "node.start", {"kubelet": config}
    cpus = min(node.bit_count() for node in numa_cpus(machine)) - machine.core_bits[0].bit_count()
    amounts = {"cpu": (cpus, ""), "memory": (ordinary(machine.memory[-1]) >> 20, "Mi"), PAGES: (EACH * 2, "Mi")}
    rounds = [(name, amount, parts) for name, amount in {**amounts, NIC: (EACH, "")}.items()]
    # What removed pods had serves again.
    rounds.append((NIC, (EACH, ""), ALONE))
    for turn, (name, (whole, unit), asked) in enumerate(rounds):
        there = list[str]()
        for number in range(MOST_PODS):
            wanted = _pod(f"p{turn}-{number}", name, whole, unit, asked)
            if (yield "node.admit", {"pod": wanted}).get("result") != "admitted":
                break
            there.append(wanted["metadata"]["uid"])
            yield "node.run", {"uid": there[-1]}
        yield "node.state", {}
        if restarts and name in (PAGES, NIC) and (yield "node.restart", {}).get("result") == "restarted":
            there.append(f"p{turn}-more")
            yield "node.admit", {"pod": _pod(there[-1], name, whole, unit, asked)}
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
