"""Right books, and containers that may run elsewhere: what no answer showed before ``cpuset`` was told."""

from __future__ import annotations

from collections.abc import Callable

from numa_conformance.cpuset import CpuSet

from .lies import Json, holdings_of
from .mutant import Memory, Rewrite, mutant

__all__ = ["MUTANTS"]

_CPUSET = "cpu-manager/cpuset/"
Lie = Callable[[Json, str, Memory], None]
"""Changes what one running container holds, of a pod, by what was seen so far."""


def _each(lie: Lie) -> dict[str, Rewrite]:
    """Tell a lie of every container that runs; a cpuset that would belie it is not sent."""

    def rewrite(answer: Json, memory: Memory) -> Json:
        for uid, name, holding in holdings_of(answer, memory):
            if holding.get("cpuset") is not None:
                memory.notes.setdefault("holds", {})[uid, name] = holding["cpus"]
                lie(holding, f"{uid}/{name}", memory)
        if answer.get("updates"):
            answer["updates"] = [update for update in answer["updates"] if not belies(update, memory)]
        return answer

    def belies(update: Json, memory: Memory) -> bool:
        uid, name = update["uid"], update["container"]
        told = {"cpus": memory.notes.get("holds", {}).get((uid, name), ""), "cpuset": update["cpus"]}
        lie(told, f"{uid}/{name}", memory)
        return bool(told["cpuset"] != update["cpus"])

    return dict.fromkeys(("node.admit", "node.run", "node.state", "node.restart", "node.reconcile"), rewrite)


def _online(memory: Memory) -> CpuSet:
    return CpuSet(cpu["id"] for cpu in memory.asked["node.start"]["machine"]["cpus"])


def _anywhere(holding: Json, who: str, memory: Memory) -> None:
    if not holding["cpus"]:
        holding["cpuset"] = str(_online(memory))


def _as_at_first(holding: Json, who: str, memory: Memory) -> None:
    holding["cpuset"] = memory.notes.setdefault("first", {}).setdefault(who, holding["cpuset"])


def _never_wider(holding: Json, who: str, memory: Memory) -> None:
    known, now = memory.notes.setdefault("last", {}), CpuSet.parse(holding["cpuset"])
    known[who] = now & known.get(who, now) or now
    holding["cpuset"] = str(known[who])


def _nowhere(holding: Json, who: str, memory: Memory) -> None:
    if not holding["cpus"]:
        holding["cpuset"] = ""


def _offline_too(holding: Json, who: str, memory: Memory) -> None:
    holding["cpuset"] = str(CpuSet.parse(holding["cpuset"]) | CpuSet([max(_online(memory)) + 1]))


def _shared_too(holding: Json, who: str, memory: Memory) -> None:
    if holding["cpus"]:
        holding["cpuset"] = str(CpuSet.parse(holding["cpus"]) | CpuSet([min(_online(memory))]))


def _on_one_cpu(holding: Json, who: str, memory: Memory) -> None:
    if memory.asked["node.start"]["kubelet"].get("cpuManagerPolicy") != "static":
        holding["cpuset"] = str(CpuSet([min(CpuSet.parse(holding["cpuset"]))]))


def _reserved_too(holding: Json, who: str, memory: Memory) -> None:
    reserved = memory.answered["node.start"].get("reserved_cpus")
    if not holding["cpus"] and reserved:
        holding["cpuset"] = str(CpuSet.parse(holding["cpuset"]) | CpuSet.parse(reserved))


def _memory_of_all(holding: Json, who: str, memory: Memory) -> None:
    if holding.get("memory"):
        holding["mems"] = str(CpuSet(node["node"] for node in memory.asked["node.start"]["machine"]["memory"]))


MUTANTS: tuple[mutant, ...] = (
    mutant(
        "lets_shared_containers_run_anywhere",
        [_CPUSET + "keeps-off-exclusive-cpus"],
        answers=_each(_anywhere),
    ),
    mutant(
        "keeps_containers_where_they_started",
        [_CPUSET + "keeps-off-exclusive-cpus", "cpu-manager/reconcile/running-containers-get-their-cpusets"],
        answers=_each(_as_at_first),
    ),
    mutant("never_widens_a_cpuset", [_CPUSET + "regains-cpus-on-removal"], answers=_each(_never_wider)),
    mutant("leaves_containers_without_a_cpu", [_CPUSET + "is-never-empty"], answers=_each(_nowhere)),
    mutant("sends_a_cpu_that_is_not_there", [_CPUSET + "is-online"], answers=_each(_offline_too)),
    mutant(
        "adds_a_shared_cpu_to_exclusive_ones",
        [_CPUSET + "holds-the-exclusive-cpus"],
        answers=_each(_shared_too),
    ),
    mutant(
        "keeps_containers_to_a_cpu_under_none",
        ["cpu-manager/none/keeps-nobody-to-some-cpus"],
        answers=_each(_on_one_cpu),
    ),
    mutant(
        "lets_shared_containers_onto_reserved_cpus",
        ["cpu-manager/strict-cpu-reservation/keeps-pods-off-reserved-cpus"],
        answers=_each(_reserved_too),
    ),
    mutant(
        "takes_memory_from_every_node",
        ["memory-manager/static/guarantees-memory-to-guaranteed-pods"],
        answers=_each(_memory_of_all),
    ),
)
