"""Wrong readers of host trees, and wrong writers into cgroups."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from numa_conformance.cpuset import CpuSet

from .mutant import mutant


@mutant("host/finds-the-online-cpus").answer("host.discover")
def overlooks_a_cpu(answer, memory):
    del answer["machine"]["cpus"][-1]
    return answer


@mutant("host/finds-the-online-cpus").answer("host.discover")
def keeps_cpus_in_64_bits(answer, memory):
    answer["machine"]["cpus"] = [cpu for cpu in answer["machine"]["cpus"] if cpu["id"] < 64]
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


_REACH = "host/reconcile/cpusets-reach-the-cgroups"
_MENDS = "host/reconcile/a-restart-mends-the-cgroups"


def _cpus_of(text):
    """Return what a cgroup has; None where it is no cpuset."""
    try:
        return set(CpuSet.parse_kernel(text))
    except ValueError:
        return None


def _leaves_contents(*breaks):
    """Declare a writer that puts back what a cgroup had, where a function of it and of what was written says so."""

    def declare(stays):
        def put_back(answer, memory):
            for file, text in memory.notes["kept"].items():
                had, has = _cpus_of(text), _cpus_of(file.read_text())
                if had is not None and had != has and stays(had, has):
                    file.write_text(text)
            return answer

        writer = mutant(*breaks).question("host.reconcile")(partial(_keeping, kept=lambda folder: True))
        return writer.answer("host.reconcile")(put_back)

    return declare


@mutant(_REACH, _MENDS).answer("host.reconcile")
def writes_64_bits_of_a_cpuset(answer, memory):
    for file in Path(memory.asked["host.reconcile"]["root"]).rglob("kubepods*/**/cpuset.cpus"):
        cpus = _cpus_of(file.read_text()) or set()
        file.write_text(str(CpuSet(cpu for cpu in cpus if cpu < 64)))
    return answer


@_leaves_contents(_REACH, _MENDS)
def leaves_cgroups_with_more_cpus(had, has):
    return had > has


@_leaves_contents(_REACH, _MENDS)
def leaves_cgroups_with_a_part_of_their_cpus(had, has):
    return bool(had) and had < has


@_leaves_contents(_REACH, _MENDS)
def leaves_cgroups_with_other_cpus(had, has):
    return bool(had) and not had & has


@_leaves_contents(_REACH, _MENDS)
def mends_only_cgroups_with_more_cpus(had, has):
    """Leave all whose CPUs are not those that are assigned and others: nothing there keeps others off its CPUs."""
    return not had > has


@_leaves_contents(_REACH, _MENDS)
def writes_only_into_empty_cgroups(had, has):
    return bool(had)


def _left_from(is_last):
    """Return what puts back all that comes, in the order of the folders, after the first that is the last written."""

    def put_back(answer, memory):
        is_over = False
        for file, text in sorted(memory.notes["kept"].items()):
            is_over = is_over or is_last(text)
            if is_over:
                file.write_text(text)
        return answer

    return put_back


ends_at_the_first_cgroup_without_a_cpuset = (
    mutant(_REACH, _MENDS)
    .question("host.reconcile")(partial(_keeping, kept=lambda folder: True))
    .answer("host.reconcile")(_left_from(lambda text: _cpus_of(text) is None))
)


@mutant(_REACH).question("host.reconcile")
def ends_at_the_first_cgroup_that_is_gone(question, memory):
    """Leave all containers of a pod, and of pods that come after it, one of whose cgroups is not there."""
    pods = sorted(
        folder for folder in Path(question["root"]).rglob("*pod*") if folder.parent.name.startswith("kubepods")
    )
    gone = next((at for at, pod in enumerate(pods) if not any(each.is_dir() for each in pod.iterdir())), len(pods))
    return _keeping(question, memory, lambda folder: folder.parent in pods[gone:])


@ends_at_the_first_cgroup_that_is_gone.answer("host.reconcile")
def ends_at_the_first_cgroup_that_is_gone(answer, memory):
    return _puts_theirs_back(answer, memory)


@mutant("host/reconcile/leaves-other-cgroups-alone").question("host.reconcile")
def keeps_system_services_off_exclusive_cpus(question, memory):
    """Write what pods share into every cgroup that belongs to none."""
    for file in Path(question["root"]).rglob("cpuset.cpus"):
        if "kubepods" not in str(file) and file.parent.name.endswith((".slice", ".service")):
            file.write_text(memory.notes.get("pool", "0") + "\n")
    return question


@keeps_system_services_off_exclusive_cpus.answer("node.admit")
def keeps_system_services_off_exclusive_cpus(answer, memory):
    memory.notes["pool"] = answer["default_cpuset"]
    return answer


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
    names = {name for uid in uids for name in (f"pod{uid}", f"kubepods-pod{uid.replace('-', '_')}.slice")}
    return _keeping(question, memory, lambda folder: folder.parent.name in names)


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
