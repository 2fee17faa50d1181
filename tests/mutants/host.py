"""Wrong readers of host trees, and wrong writers into cgroups."""

from __future__ import annotations

import shutil
from collections.abc import Callable
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


def _cores_as_caches(answer: Json, memory: Memory) -> Json:
    """Take a cache that only the threads of a core share, such as an L2, for that of the last level."""
    cores: dict[tuple[int, int, int], int] = {}
    for cpu in answer["machine"]["cpus"]:
        cpu["uncore"] = cores.setdefault((cpu["socket"], cpu["numa"], cpu["core"]), len(cores))
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


def _sees_sidecars(question: Json, memory: Memory) -> Json:
    first = question["pod"]["spec"].get("initContainers", ())
    memory.notes.setdefault("sidecars", set()).update(each["name"] for each in first if "restartPolicy" in each)
    return question


def _keeps_sidecars(question: Json, memory: Memory) -> Json:
    sidecars = memory.notes.get("sidecars", ())
    return _keeping(question, memory, lambda folder: folder.name in sidecars)


def _sees_exclusive(answer: Json, memory: Memory) -> Json:
    """Remember pods whose containers all have CPUs of their own."""
    if all(holding["cpus"] for holding in answer.get("containers", {"": {"cpus": ""}}).values()):
        memory.notes.setdefault("exclusive", set()).add(memory.asked["node.admit"]["pod"]["metadata"]["uid"])
    return answer


def _keeps_exclusive(question: Json, memory: Memory) -> Json:
    uids = memory.notes.get("exclusive", ())
    return _keeping(question, memory, lambda folder: any(uid in folder.parent.name for uid in uids))


def _keeps_dashed_slices(question: Json, memory: Memory) -> Json:
    return _keeping(question, memory, lambda folder: "_" in folder.parent.name)


def _keeps_slices_of_the_first_version(question: Json, memory: Memory) -> Json:
    first = not Path(question["root"], "cgroup.controllers").exists()
    return _keeping(question, memory, lambda folder: first and folder.name.endswith(".scope"))


def _keeping(question: Json, memory: Memory, kept: Callable[[Path], bool]) -> Json:
    """Remember the cpusets of containers with such folders, to put them back."""
    files = Path(question["root"]).rglob("cpuset.cpus")
    memory.notes["kept"] = {file: file.read_text() for file in files if kept(file.parent)}
    return question


def _puts_theirs_back(answer: Json, memory: Memory) -> Json:
    for file, text in memory.notes["kept"].items():
        file.write_text(text)
    return answer


MUTANTS: tuple[mutant, ...] = (
    mutant("overlooks_a_cpu", ["host/finds-the-online-cpus"], answers={"host.discover": _without_a_cpu}),
    mutant("sees_one_socket", ["host/finds-cores-sockets-and-numa-nodes"], answers={"host.discover": _one_socket}),
    mutant(
        "takes_an_L2_for_the_uncore_cache", ["host/finds-uncore-caches"], answers={"host.discover": _cores_as_caches}
    ),
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
    mutant(
        "writes_no_cpuset_of_sidecars",
        ["host/reconcile/cpusets-reach-the-cgroups"],
        questions={"node.admit": _sees_sidecars, "host.reconcile": _keeps_sidecars},
        answers={"host.reconcile": _puts_theirs_back},
    ),
    mutant(
        "writes_no_cpuset_of_exclusive_containers",
        ["host/reconcile/a-restart-mends-the-cgroups"],
        questions={"host.reconcile": _keeps_exclusive},
        answers={"node.admit": _sees_exclusive, "host.reconcile": _puts_theirs_back},
    ),
    mutant(
        "finds_no_slice_of_a_uid_with_a_dash",
        ["host/reconcile/cpusets-reach-the-cgroups"],
        questions={"host.reconcile": _keeps_dashed_slices},
        answers={"host.reconcile": _puts_theirs_back},
    ),
    mutant(
        "finds_no_slice_below_cpuset",
        ["host/reconcile/cpusets-reach-the-cgroups"],
        questions={"host.reconcile": _keeps_slices_of_the_first_version},
        answers={"host.reconcile": _puts_theirs_back},
    ),
)
