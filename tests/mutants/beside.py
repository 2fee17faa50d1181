"""Right placements with a wrong tale beside them: CFS quota, the phase of refused pods, what a crash leaves."""

from __future__ import annotations

from .lies import Json, each_holding
from .mutant import Memory, mutant

__all__ = ["MUTANTS"]

_NONE, _STATIC = "cpu-manager/none/", "cpu-manager/static/"


def _bound(holding: Json, answer: Json) -> None:
    holding["cpu_quota"] = max(holding["cpu_quota"], 100_000)


def _unbound(holding: Json, answer: Json) -> None:
    holding["cpu_quota"] = -1


def _pending(answer: Json, memory: Memory) -> Json:
    return {**answer, "phase": "Pending"} if answer["result"] == "rejected" else answer


def _shares_everything(answer: Json, memory: Memory) -> Json:
    """After a restart with other state files the shared pool has all CPUs, those of pods too."""
    if memory.asked["node.restart"].get("files") and answer["result"] == "restarted":
        answer["default_cpuset"] = memory.answered["node.start"]["default_cpuset"]
    return answer


MUTANTS: tuple[mutant, ...] = (
    mutant(
        "bounds_exclusive_cpus",
        [_STATIC + "exclusive-cpus-have-no-quota"],
        answers={"node.admit": each_holding(_bound)},
    ),
    mutant(
        "bounds_nobody",
        [_NONE + "limits-are-enforced-by-quota", _STATIC + "shared-limits-are-enforced-by-quota"],
        answers={"node.admit": each_holding(_unbound)},
    ),
    mutant(
        "leaves_refused_pods_pending",
        ["cpu-manager/full-pcpus-only/refused-pods-are-failed"],
        answers={"node.admit": _pending},
    ),
    mutant(
        "shares_after_a_crash",
        ["node/restart/a-crash-leaves-no-cpu-in-two-places"],
        answers={"node.restart": _shares_everything},
    ),
)
