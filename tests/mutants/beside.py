"""Right placements with a wrong tale beside them: CFS quota, and the phase of refused pods."""

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
)
