"""``--numa-snapshots``: golden snapshots of a target's own."""

import re
import shlex
from pathlib import Path

import pytest

from asked_in_full import deep
from numa_conformance.cli import main
from numa_conformance.comparing.recorded.differences import compare


def main_code(*words):
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    return ended.value.code


MUTANT = "mutants:trades_a_cpu"
WORKERS = (pytest.param((), id="one-process"), pytest.param(("-n", "2"), id="xdist", marks=deep))
EXACT = ("--numa-level", "exact", "--numa-requirement", "exact/placements/static", "--numa-snapshots", "snaps")


@pytest.mark.parametrize("workers", WORKERS)
def test_are_written_once_and_then_compared(suite, pytester, report, workers):
    missing = suite(*EXACT, "--numa-target", MUTANT)
    assert missing.ret == 1
    missing.stdout.fnmatch_lines(["*there is no golden text * --numa-snapshot-update writes it"])
    assert suite(*EXACT, *workers, "--numa-target", MUTANT, "--numa-snapshot-update").ret == 0
    files = sorted(path.name for path in (pytester.path / "snaps" / "placements").iterdir())
    assert len(files) == 10
    assert "static-t1-one-socket-smt2.txt" in files
    assert suite(*EXACT, "--numa-target", MUTANT, "--numa-report", "out").ret == 0
    assert report()["level"] == "documented, with own snapshots"
    assert (report()["verdict"], report()["profile"]) == ("partial", "")


def test_a_changed_placement_is_a_difference_between_maps(suite, pytester):
    assert suite(*EXACT, "--numa-snapshot-update").ret == 0
    changed = suite(*EXACT, "--numa-target", MUTANT, "-k", "t1-one-socket-smt2")
    assert changed.ret == 1
    changed.stdout.fnmatch_lines(["*-p0: 2 CPUs on 1,5", "*+p0: 2 CPUs on *", "*-socket 0,*", "*+socket 0,*"])


SHIM = "from alternatives import {} as make\n"
COMMAND = re.compile(r"^pytest --numa-conformance (.*--numa-snapshots=.*) --numa-snapshot-update$", re.MULTILINE)


WRITTEN, COMPARED = (
    tuple(f"--numa-requirement={name}" for name in (*names, "cpu-manager/static/packs-*"))
    for names in (("exact/*",), ("exact/placements/*", "exact/scores"))
)
"""All that a kubelet is compared by, what snapshots are compared by, and requirements beside either."""


def test_the_command_of_the_page_guards_a_policy_that_is_not_the_kubelets(suite, pytester, report):
    (typed,) = COMMAND.findall((Path(__file__).parents[2] / "docs/known-failures.md").read_text())
    asked = (*shlex.split(typed), "--numa-report", "out", "--numa-machine", "t1-one-socket-smt2")
    folder = pytester.path / "my_allocator"
    folder.mkdir()
    (folder / "shim.py").write_text(SHIM.format("highest_cpus_first"))
    assert suite(*asked, *WRITTEN, "--numa-snapshot-update").ret == 0
    (snapshot,) = pytester.path.rglob("placements/static-t1-one-socket-smt2.txt")
    assert snapshot.read_text().startswith("policy of reference, renumbered\nt1-one-socket-smt2, static,")
    names = {name for case in report()["cases"] if case["verdict"] == "passed" for name in case["requirements"]}
    assert {"exact/scores", "exact/placements/static", "cpu-manager/static/packs-whole-cores"} <= names
    assert not any(name.startswith(("exact/recorded/", "exact/histories/")) for name in names)
    asked = (*asked, *COMPARED)
    unchanged = suite(*asked)
    assert unchanged.ret == 0
    unchanged.stdout.fnmatch_lines(
        [
            "numa-conformance: level documented, with own snapshots, profile *",
            "VERDICT: PARTIAL (level documented, with own snapshots; *",
            "reference, renumbered * conforms to the documented behaviour of * and to its own snapshots where it was *",
        ]
    )
    (folder / "shim.py").write_text(SHIM.format("odd_cpus_first"))
    changed = suite(*asked)
    assert changed.ret == 1
    changed.stdout.fnmatch_lines(["-p0: 2 CPUs on 3,7", "+p0: 2 CPUs on 1,5", "-socket 0, * aa |", "+socket 0, *"])
    changed.stdout.fnmatch_lines(["VERDICT: NOT CONFORMANT *", "* does not conform to its own snapshots."])
    again = next(line for line in changed.stdout.lines if line.startswith("ask it again: "))
    assert suite(*shlex.split(again)[5:]).ret == 1


def test_the_class_of_a_pod_need_not_be_told_to_be_compared_with_the_kubelet():
    told = {"result": "admitted", "qos": "Guaranteed"}
    assert list(compare(told, {"result": "admitted"}, "")) == []
    assert list(compare(told, {**told, "qos": "Burstable"}, "")) != []


@pytest.mark.parametrize("workers", WORKERS)
def test_where_nothing_is_compared_the_run_fails_and_says_why(suite, pytester, workers):
    assert main_code("init", "python", str(pytester.path)) == 0
    asked = ("--numa-level", "exact", "--numa-target", "numa_target:make", "--numa-snapshots", "snaps")
    result = suite(*asked, *workers, "--numa-snapshot-update")
    assert result.ret == 4
    result.stdout.fnmatch_lines(["problem: no snapshot was written or compared in *snaps; needs a target *"])
    assert not (pytester.path / "snaps").exists()


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (
            ("--numa-level", "exact", "--numa-target", MUTANT, "--numa-snapshot-update"),
            "would replace the kubelet's golden",
        ),
        (("--numa-snapshots", "file"), "file is no folder"),
    ],
)
def test_wrong_usage_is_told(suite, pytester, args, said):
    pytester.path.joinpath("file").write_text("")
    result = suite(*args)
    assert result.ret == 4
    assert said in result.stderr.str()
