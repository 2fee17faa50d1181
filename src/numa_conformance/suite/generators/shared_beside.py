"""Shared containers beside pods with CPUs of their own that come and go: what each may run on is told all the way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from ...cpuset import CpuSet
from ...machine import Machine
from .scenario import Question, Scenario, Script, ask_all, or_the_catalogue
from .workloads import best_effort, burstable, container, guaranteed, pod, static

__all__ = ["NEEDED", "shared_beside"]

NEEDED = frozenset({"cpu-manager/static", "node/cpuset"})
"""What a target must claim."""
LEAST_CPUS, MOST_CPUS, MACHINES = 8, 64, 12
STRICT = "strict-cpu-reservation"


def shared_beside(claimed: frozenset[str], machines: Sequence[Machine] | None = None) -> Iterator[Scenario]:
    """Yield a life on each of some small machines, without an option and with what keeps reserved CPUs apart."""
    known = or_the_catalogue(machines)
    able = [machine for machine in known if LEAST_CPUS <= len(machine.cpus) <= MOST_CPUS]
    for machine in able[:MACHINES]:
        for options in ((), (STRICT,)):
            if claimed >= NEEDED | {f"cpu-manager/{option}" for option in options}:
                cell = f"{', '.join(options) or 'no option'}, none, reserved a core"
                yield Scenario("walk", cell, machine, partial(_life, machine, options, claimed))


def _life(machine: Machine, options: Sequence[str], claimed: frozenset[str]) -> Script:
    """Let shared containers run before, beside and after such with CPUs of their own."""
    reserved = machine.core_bits[0]
    free = len(machine.cpus) - reserved.bit_count()
    started = yield "node.start", {"kubelet": static(*options, reserved=str(CpuSet.from_bits(reserved)))}
    if started["result"] != "started":
        return
    looks: list[Question] = [("node.reconcile", {})] if "cpu-manager/reconcile" in claimed else []
    looks.append(("node.state", {}))
    apart = pod("apart", [container("own", cpu="1", memory="64Mi"), container("half", cpu="500m", memory="64Mi")])
    for wanted in (burstable("early", 1), guaranteed("large", free // 2), apart, best_effort("late")):
        yield "node.admit", {"pod": wanted}
        yield "node.run", {"uid": wanted["metadata"]["uid"]}
        yield from ask_all(looks)
    for uid, then in (("large", guaranteed("next", free // 3)), ("apart", best_effort("last"))):
        yield "node.remove", {"uid": uid}
        yield from ask_all(looks)
        yield "node.admit", {"pod": then}
        yield "node.run", {"uid": then["metadata"]["uid"]}
    if "node/restart" not in claimed or (yield "node.restart", {})["result"] == "restarted":
        yield from ask_all(looks)
