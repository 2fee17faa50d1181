"""The module files of the real kubelet as a target, and the program that builds and asks it. Nothing is built here."""

import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from numa_conformance.comparing.differing import Differing
from numa_conformance.machine import Cpu, Machine, MemoryNode
from numa_conformance.report.case import Case
from numa_conformance.report.claims import Target
from numa_conformance.report.model import Summary
from numa_conformance.report.pages import versions_pages
from numa_conformance.wire.history.history import Head, History, Step, read_histories

KUBELET = Path(__file__).parents[2] / "go" / "kubelet"
PATCHES = (KUBELET / "minors.txt").read_text(encoding="utf-8").split()


def ask(*words, **more):
    command = [sys.executable, KUBELET / "ask.py", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, **more)


@pytest.mark.parametrize("patch", PATCHES)
def test_a_minor_is_built_of_one_patch_and_its_staging_modules(patch):
    minor = patch.rpartition(".")[0]
    text = (KUBELET / "minors" / f"{minor}.mod").read_text(encoding="utf-8")
    assert f"\tk8s.io/kubernetes v{patch}\n" in text
    assert "replace github.com/numa-conformance/numa-conformance/go => ../" in text
    staging = re.findall(r"^\t(k8s\.io/\S+) => \1 v0\.(\d+)\.\d+$", text, flags=re.MULTILINE)
    assert len(staging) > 20
    assert {number for _, number in staging} == {minor.removeprefix("1.")}


def test_the_folder_holds_the_files_of_these_minors_alone():
    minors = [patch.rpartition(".")[0] for patch in PATCHES]
    there = sorted(path.name for path in (KUBELET / "minors").iterdir())
    assert there == sorted(f"{minor}.{kind}" for minor in minors for kind in ("mod", "sum"))


def test_the_page_of_the_versions_tells_these_patches():
    assert list(versions_pages.PATCHES) == PATCHES


def test_every_file_for_some_minors_says_which():
    """The name of a file and its build constraint tell the same: linked_1_33_to_1_34.go, sidecar_1_27.go."""
    for path in KUBELET.glob("*_1_*.go"):
        constraint = path.read_text(encoding="utf-8").partition("\n")[0]
        first, last = re.fullmatch(r"//go:build (?:k8s1\.(\d+))?(?: && )?(?:!k8s1\.(\d+))?", constraint).groups()
        named = [int(number) for number in re.findall(r"_1_(\d+)", path.name)]
        if "_from_" in path.name:
            assert (named, last) == ([int(first)], None), path.name
        else:
            assert (named[0], named[-1]) == (int(first or 27), int(last) - 1), path.name


def test_without_go_nothing_is_asked_and_it_says_so():
    done = ask("1.34", env={**os.environ, "PATH": ""})
    assert (done.returncode, done.stdout) == (0, "skipped: the kubelet is built with Go, which is not installed\n")


def test_a_minor_without_adapters_is_refused_with_those_there_are():
    done = ask("1.12")
    assert done.returncode == 2
    assert done.stderr.startswith("'1.12' is none of the minors that there are adapters for: 1.27, ")


@pytest.mark.parametrize(
    ("quirks", "problems", "told", "explained"),
    [
        (["spread-by-cpu-id"], [], "1 of 3 cases failed, each by a named quirk of Kubernetes 1.34", True),
        ([], [], "1 of 3 cases failed, 1 of them without a quirk (cpu/b)", False),
        (
            ["spread-by-cpu-id"],
            ["a case came to no verdict"],
            "1 of 3 cases failed, and the run itself has faults",
            False,
        ),
    ],
)
def test_what_failed_is_explained_by_quirks_or_it_is_not(monkeypatch, quirks, problems, told, explained):
    monkeypatch.syspath_prepend(str(KUBELET))
    cases = [
        Case("cpu/a", [], "cpu", "passed"),
        Case("cpu/b", [], "cpu", "failed", quirks=quirks),
        Case("cpu/c", [], "cpu", "not followed"),
        Case("cpu/d", [], "cpu", "not claimed"),
    ]
    target = Target("kubelet", "1.34.10", "1.34", [], [])
    report = Summary.concluded(target, "documented", "", cases, problems, narrowed=False)
    assert import_module("ask").concluded(report) == (f"level documented: {told}", explained)


def test_a_newer_patch_is_found_among_the_versions(monkeypatch):
    monkeypatch.syspath_prepend(str(KUBELET))
    newer = import_module("newer")
    versions = ["k8s.io/kubernetes", "v1.34.9", "v1.34.11", "v1.34.12-rc.0", "v1.35.20", "v1.3.99"]
    assert newer.newest("1.34.10", versions) == "1.34.11"
    assert newer.newest("1.36.4", versions) == "1.36.4"


def test_files_of_the_managers_that_a_patch_touches_are_named(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(KUBELET))
    names = ("cpumanager/policy.go", "devicemanager/manager.go", "devicemanager/manager_test.go", "cgroup.go")
    for tree in ("before", "after"):
        for name in names:
            file = tmp_path / tree / "pkg/kubelet/cm" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("same" if name.startswith("cpu") else tree)
    (tmp_path / "after/pkg/kubelet/lifecycle").mkdir()
    (tmp_path / "after/pkg/kubelet/lifecycle/new.go").write_text("new")
    told = import_module("newer").touched(tmp_path / "before", tmp_path / "after")
    assert told == ["pkg/kubelet/cm/devicemanager/manager.go", "pkg/kubelet/lifecycle/new.go"]


def test_what_differed_is_kept_as_histories(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(KUBELET))
    machine = Machine("m", (Cpu(0, 0, 0, 0),), (MemoryNode(0, 1),))
    one, other = (
        History(Head("g", "c", 7, machine, "1.37.1"), (Step("pick", {"count": 1}, {"cpus": cpus}, None, 0.0),))
        for cpus in ("0", "")
    )
    import_module("odd").keep([Differing(one, other, 0, ())], tmp_path / "kept")
    kept = list(read_histories((tmp_path / "kept").read_text().splitlines()))
    assert [history.steps[0].answer for history in kept] == [{"cpus": "0"}, {"cpus": ""}]
