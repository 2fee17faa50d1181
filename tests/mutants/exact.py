"""Allocators that satisfy the documentation, or nearly, and place otherwise than the kubelet: caught at level exact."""

from __future__ import annotations

from numa_conformance.cpuset import CpuSet
from numa_conformance.documentation.options import STATIC_OPTIONS

from .lies import Json, each_holding
from .mutant import Memory, mutant

__all__ = ["MUTANTS"]

_PLACEMENTS = ("static", *STATIC_OPTIONS)


def _another_cpu(holding: Json, answer: Json) -> None:
    """Trade the lowest CPU for one of the shared pool."""
    cpus, pool = list(CpuSet.parse(holding["cpus"])), list(CpuSet.parse(answer.get("default_cpuset") or ""))
    if cpus and pool:
        holding["cpus"] = str(CpuSet([*cpus[1:], pool[-1]]))


def _another_choice(answer: Json, memory: Memory) -> Json:
    if answer.get("cpus"):
        answer["cpus"] = str(CpuSet([*list(CpuSet.parse(answer["cpus"]))[1:], 4000]))
    return answer


def _no_reserved_cpus(answer: Json, memory: Memory) -> Json:
    return {**answer, "reserved_cpus": ""} if answer["result"] == "started" else answer


def _another_score(answer: Json, memory: Memory) -> Json:
    return {**answer, "score": answer["score"] ^ 1} if "score" in answer else answer


def _another_file(answer: Json, memory: Memory) -> Json:
    return {**answer, "checkpoints": {name: text + "\n" for name, text in answer["checkpoints"].items()}}


def _never_preferred(answer: Json, memory: Memory) -> Json:
    return {**answer, "preferred": False}


def _backwards(answer: Json, memory: Memory) -> Json:
    hints = answer.get("hints")
    return {**answer, "hints": {name: row and row[::-1] for name, row in hints.items()}} if hints else answer


def _one_cpu_more(answer: Json, memory: Memory) -> Json:
    return {**answer, "pod_cpus": answer["pod_cpus"] + 1}


MUTANTS: tuple[mutant, ...] = (
    mutant(
        "trades_a_cpu",
        [
            *(f"exact/placements/{name}" for name in _PLACEMENTS),
            "exact/recorded/admission",
            *(f"exact/histories/{name}" for name in ("lives", "relations", "crashes", "damages")),
        ],
        answers={"node.admit": each_holding(_another_cpu)},
        level="exact",
    ),
    mutant(
        "picks_another_cpu",
        ["exact/recorded/cpu-static", "exact/histories/picks", "exact/histories/allocations"],
        answers={"allocate": _another_choice, "pick": _another_choice},
        level="exact",
    ),
    mutant(
        "tells_no_reserved_cpus",
        ["exact/histories/starts"],
        answers={"node.start": _no_reserved_cpus},
        level="exact",
    ),
    mutant(
        "writes_files_with_a_newline",
        ["exact/recorded/lifecycle", "exact/histories/lives"],
        answers={"node.checkpoints": _another_file},
        level="exact",
    ),
    mutant(
        "scores_one_beside",
        ["exact/recorded/noderesourcesfit", "exact/scores", "exact/histories/scores"],
        answers={"score": _another_score},
        level="exact",
    ),
    mutant(
        "merges_without_preference",
        ["exact/recorded/merge", "exact/histories/merges"],
        answers={"merge": _never_preferred},
        level="exact",
    ),
    mutant(
        "counts_one_cpu_more",
        ["exact/recorded/qos", "exact/histories/classes"],
        answers={"classify": _one_cpu_more},
        level="exact",
    ),
    mutant("hints_backwards", ["exact/histories/hints"], answers={"hints": _backwards}, level="exact"),
)
