"""Wrong readers of host trees, and wrong writers into cgroups."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from .lies import Json
from .mutant import Memory, mutant

__all__ = ["MUTANTS"]


def _without_a_cpu(answer: Json, memory: Memory) -> Json:
    del answer["machine"]["cpus"][-1]
    return answer


def _one_socket(answer: Json, memory: Memory) -> Json:
    for cpu in answer["machine"]["cpus"]:
        cpu["socket"] = 0
    return answer


def _without_large_pages(answer: Json, memory: Memory) -> Json:
    for node in answer["machine"]["memory"]:
        node.get("hugepages", {}).pop("1Gi", None)
    return answer


def _rows_as_columns(answer: Json, memory: Memory) -> Json:
    rows = answer["machine"]["distances"]
    answer["machine"]["distances"] = rows and [list(column) for column in zip(*rows, strict=True)]
    return answer


def _into_a_copy(question: Json, memory: Memory) -> Json:
    """Write into a copy of the tree, which lives as long as what was seen is remembered."""
    kept = memory.notes["copy"] = TemporaryDirectory()
    copy = Path(kept.name, "cgroup")
    shutil.copytree(question["root"], copy)
    return {**question, "root": str(copy)}


def _only_once(question: Json, memory: Memory) -> Json:
    if "written" in memory.notes:
        return _into_a_copy(question, memory)
    memory.notes["written"] = True
    return question


MUTANTS: tuple[mutant, ...] = (
    mutant("overlooks_a_cpu", ["host/finds-the-online-cpus"], answers={"host.discover": _without_a_cpu}),
    mutant("sees_one_socket", ["host/finds-cores-sockets-and-numa-nodes"], answers={"host.discover": _one_socket}),
    mutant("overlooks_1Gi_pages", ["host/finds-memory-and-distances"], answers={"host.discover": _without_large_pages}),
    mutant("reads_rows_as_columns", ["host/finds-memory-and-distances"], answers={"host.discover": _rows_as_columns}),
    mutant(
        "writes_no_cpuset",
        ["host/reconcile/cpusets-reach-the-cgroups", "host/reconcile/what-failed-is-tried-again"],
        questions={"host.reconcile": _into_a_copy},
    ),
    mutant(
        "writes_cpusets_only_once",
        ["host/reconcile/cpusets-reach-the-cgroups", "host/reconcile/what-failed-is-tried-again"],
        questions={"host.reconcile": _only_once},
    ),
)
