"""Allocators that satisfy the documentation, or nearly, and place otherwise than the kubelet: caught at level exact."""

from __future__ import annotations

from changes.rewrites import each_holding
from numa_conformance.cpuset import CpuSet
from numa_conformance.sources.options import STATIC_OPTIONS

from .mutant import mutant

_PLACEMENTS = ("static", *STATIC_OPTIONS)


@mutant(
    *(f"exact/placements/{name}" for name in _PLACEMENTS),
    "exact/recorded/admission",
    *(f"exact/histories/{name}" for name in ("lives", "relations", "crashes", "damages")),
    level="exact",
).answer("node.admit")
@each_holding
def trades_a_cpu(holding, answer):
    """Trade the lowest CPU for one of the shared pool."""
    cpus, pool = list(CpuSet.parse(holding["cpus"])), list(CpuSet.parse(answer.get("default_cpuset") or ""))
    if cpus and pool:
        holding["cpus"] = str(CpuSet([*cpus[1:], pool[-1]]))


def _another_choice(answer, memory):
    if answer.get("cpus"):
        answer["cpus"] = str(CpuSet([*list(CpuSet.parse(answer["cpus"]))[1:], 4000]))
    return answer


@mutant("exact/histories/starts", level="exact").answer("node.start")
def tells_no_reserved_cpus(answer, memory):
    return {**answer, "reserved_cpus": ""} if answer["result"] == "started" else answer


@mutant("exact/recorded/noderesourcesfit", "exact/scores", "exact/histories/scores", level="exact").answer("score")
def scores_one_beside(answer, memory):
    return {**answer, "score": answer["score"] ^ 1} if "score" in answer else answer


@mutant("exact/recorded/lifecycle", "exact/histories/lives", "exact/histories/worlds", level="exact").answer(
    "node.checkpoints"
)
def writes_files_with_a_newline(answer, memory):
    return {**answer, "checkpoints": {name: text + "\n" for name, text in answer["checkpoints"].items()}}


@mutant("exact/recorded/merge", "exact/histories/merges", level="exact").answer("merge")
def merges_without_preference(answer, memory):
    return {**answer, "preferred": False}


@mutant("exact/histories/hints", level="exact").answer("hints")
def hints_backwards(answer, memory):
    hints = answer.get("hints")
    return {**answer, "hints": {name: row and row[::-1] for name, row in hints.items()}} if hints else answer


@mutant("exact/recorded/qos", "exact/histories/classes", level="exact").answer("classify")
def counts_one_cpu_more(answer, memory):
    return {**answer, "pod_cpus": answer["pod_cpus"] + 1}


picks_another_cpu = mutant(
    "exact/recorded/cpu-static", "exact/histories/picks", "exact/histories/allocations", level="exact"
).answer("allocate", "pick")(_another_choice)
