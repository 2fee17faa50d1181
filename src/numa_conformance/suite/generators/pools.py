"""Containers of every kind side by side on small machines, for what daemons promise of the CPUs that these run on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ...cpuset import CpuSet
from ...machine import Machine
from ...protocol.features import PROMISES
from ..judge.pooled import SYSTEM
from .scenario import Scenario, Script, or_the_catalogue
from .workloads import best_effort, burstable, guaranteed, static

__all__ = ["pools"]

LEAST_CPUS, MOST_CPUS, MACHINES = 8, 64, 12


def pools(claimed: frozenset[str], machines: Sequence[Machine] | None = None) -> Iterator[Scenario]:
    """Yield a life on each of some small machines, to a target that claims a promise of daemons."""
    if "node/cpuset" not in claimed or claimed.isdisjoint(PROMISES):
        return
    known = or_the_catalogue(machines)
    able = [machine for machine in known if LEAST_CPUS <= len(machine.cpus) <= MOST_CPUS]
    for machine in able[:MACHINES]:
        yield Scenario("pools", "no option, none, reserved a core", machine, partial(_life, machine))


def _life(machine: Machine) -> Script:
    """Let pods of the system, pods with a part of a CPU, with whole ones and with none come, and some go."""
    reserved = CpuSet.from_bits(machine.core_bits[0])
    started = yield "node.start", {"kubelet": static(reserved=str(reserved))}
    if started["result"] != "started":
        return
    quarter = len(machine.cpus) // 4
    coming = (
        _of_the_system(burstable("proxy", "100m")),
        guaranteed("mixed", "1500m"),
        guaranteed("whole", quarter),
        best_effort("idle"),
        guaranteed("one", 1),
        guaranteed("small", "500m"),
        _of_the_system(burstable("dns", "200m")),
        guaranteed("also-mixed", "1200m"),
        burstable("web", 1),
    )
    for pod in coming:
        yield from _run(pod)
    for gone, pod in (("whole", guaranteed("next", quarter + 1)), ("mixed", guaranteed("last", "1800m"))):
        yield "node.remove", {"uid": gone}
        yield "node.state", {}
        yield from _run(pod)


def _run(pod: Mapping[str, Any]) -> Script:
    yield "node.admit", {"pod": pod}
    yield "node.run", {"uid": pod["metadata"]["uid"]}
    yield "node.state", {}


def _of_the_system(pod: Mapping[str, Any]) -> dict[str, Any]:
    return {**pod, "metadata": {**pod["metadata"], "namespace": SYSTEM}}
