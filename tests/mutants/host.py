"""Wrong readers of host trees, and wrong writers into cgroups."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from .mutant import mutant


@mutant("host/finds-the-online-cpus").answer("host.discover")
def overlooks_a_cpu(answer, memory):
    del answer["machine"]["cpus"][-1]
    return answer


@mutant("host/finds-cores-sockets-and-numa-nodes").answer("host.discover")
def sees_one_socket(answer, memory):
    for cpu in answer["machine"]["cpus"]:
        cpu["socket"] = 0
    return answer


@mutant("host/finds-uncore-caches").answer("host.discover")
def takes_an_l2_for_the_uncore_cache(answer, memory):
    """Take a cache that only the threads of a core share, such as an L2, for that of the last level."""
    cores: dict[tuple[int, int, int], int] = {}
    for cpu in answer["machine"]["cpus"]:
        cpu["uncore"] = cores.setdefault((cpu["socket"], cpu["numa"], cpu["core"]), len(cores))
    return answer


@mutant("host/finds-memory-and-distances").answer("host.discover")
def overlooks_1gi_pages(answer, memory):
    for node in answer["machine"]["memory"]:
        node.get("hugepages", {}).pop("1Gi", None)
    return answer


@mutant("host/finds-memory-and-distances").answer("host.discover")
def reads_rows_as_columns(answer, memory):
    rows = answer["machine"]["distances"]
    answer["machine"]["distances"] = rows and [list(column) for column in zip(*rows, strict=True)]
    return answer


def _into_a_copy(question, memory):
    """Write into a copy of the tree, which lives as long as what was seen is remembered."""
    kept = memory.notes["copy"] = TemporaryDirectory()
    copy = Path(kept.name, "cgroup")
    shutil.copytree(question["root"], copy)
    return {**question, "root": str(copy)}


@mutant("host/reconcile/cpusets-reach-the-cgroups", "host/reconcile/what-failed-is-tried-again").question(
    "host.reconcile"
)
def writes_cpusets_only_once(question, memory):
    if "written" in memory.notes:
        return _into_a_copy(question, memory)
    memory.notes["written"] = True
    return question


def _keeping(question, memory, kept):
    """Remember the cpusets of containers with such folders, to put them back."""
    files = Path(question["root"]).rglob("cpuset.cpus")
    memory.notes["kept"] = {file: file.read_text() for file in files if kept(file.parent)}
    return question


def _puts_theirs_back(answer, memory):
    for file, text in memory.notes["kept"].items():
        file.write_text(text)
    return answer


def _leaves_some(requirement):
    """Declare a writer that writes all cpusets, and puts back those it remembered."""
    return mutant(requirement).answer("host.reconcile")(_puts_theirs_back)


@_leaves_some("host/reconcile/cpusets-reach-the-cgroups").question("node.admit")
def writes_no_cpuset_of_sidecars(question, memory):
    first = question["pod"]["spec"].get("initContainers", ())
    memory.notes.setdefault("sidecars", set()).update(each["name"] for each in first if "restartPolicy" in each)
    return question


@writes_no_cpuset_of_sidecars.question("host.reconcile")
def writes_no_cpuset_of_sidecars(question, memory):
    sidecars = memory.notes.get("sidecars", ())
    return _keeping(question, memory, lambda folder: folder.name in sidecars)


@_leaves_some("host/reconcile/a-restart-mends-the-cgroups").question("host.reconcile")
def writes_no_cpuset_of_exclusive_containers(question, memory):
    uids = memory.notes.get("exclusive", ())
    return _keeping(question, memory, lambda folder: any(uid in folder.parent.name for uid in uids))


@writes_no_cpuset_of_exclusive_containers.answer("node.admit")
def writes_no_cpuset_of_exclusive_containers(answer, memory):
    """Remember pods whose containers all have CPUs of their own."""
    if all(holding["cpus"] for holding in answer.get("containers", {"": {"cpus": ""}}).values()):
        memory.notes.setdefault("exclusive", set()).add(memory.asked["node.admit"]["pod"]["metadata"]["uid"])
    return answer


@_leaves_some("host/reconcile/cpusets-reach-the-cgroups").question("host.reconcile")
def finds_no_slice_of_a_uid_with_a_dash(question, memory):
    return _keeping(question, memory, lambda folder: "_" in folder.parent.name)


@_leaves_some("host/reconcile/cpusets-reach-the-cgroups").question("host.reconcile")
def finds_no_slice_below_cpuset(question, memory):
    first = not Path(question["root"], "cgroup.controllers").exists()
    return _keeping(question, memory, lambda folder: first and folder.name.endswith(".scope"))


writes_no_cpuset = mutant(
    "host/reconcile/cpusets-reach-the-cgroups", "host/reconcile/what-failed-is-tried-again"
).question("host.reconcile")(_into_a_copy)
