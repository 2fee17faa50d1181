"""``--numa-snapshots``: golden snapshots of a target's own."""

import pytest

from asked_in_full import deep
from numa_conformance.cli import main


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
    files = sorted(path.name for path in (pytester.path / "snaps" / "test_placements").iterdir())
    assert len(files) == 10
    assert suite(*EXACT, "--numa-target", MUTANT, "--numa-report", "out").ret == 0
    assert report()["level"] == "documented, with own snapshots"
    assert (report()["verdict"], report()["profile"]) == ("partial", "")


def test_a_changed_placement_is_a_difference_between_maps(suite, pytester):
    assert suite(*EXACT, "--numa-snapshot-update").ret == 0
    changed = suite(*EXACT, "--numa-target", MUTANT, "-k", "t1-one-socket-smt2")
    assert changed.ret == 1
    changed.stdout.fnmatch_lines(["*-p0: 2 CPUs on 1,5", "*+p0: 2 CPUs on *", "*-socket 0 *", "*+socket 0 *"])


def test_the_kubelets_own_decisions_are_not_asked(suite, report):
    exact = [f"--numa-requirement=exact/{each}" for each in ("recorded/*", "scores")]
    asked = ("--numa-level", "exact", *exact, "--numa-report", "out")
    assert suite(*asked, "--numa-snapshots", "snaps", "--numa-snapshot-update").ret == 0
    asked = {name for case in report()["cases"] for name in case["requirements"]}
    assert not any(name.startswith("exact/recorded/") for name in asked)
    assert "exact/scores" in asked


@pytest.mark.parametrize("workers", WORKERS)
def test_where_nothing_is_compared_the_run_fails_and_says_why(suite, pytester, workers):
    assert main_code("init", "python", str(pytester.path)) == 0
    asked = ("--numa-level", "exact", "--numa-target", "numa_target:make", "--numa-snapshots", "snaps")
    result = suite(*asked, *workers, "--numa-snapshot-update")
    assert result.ret == 4
    result.stdout.fnmatch_lines(["no snapshot was written or compared in *snaps; needs a target that claims *"])
    assert not (pytester.path / "snaps").exists()


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--numa-snapshots", "snaps"), "level documented compares no snapshots"),
        (
            ("--numa-level", "exact", "--numa-target", MUTANT, "--numa-snapshot-update"),
            "would replace the kubelet's golden",
        ),
        (("--numa-level", "exact", "--numa-snapshots", "file"), "file is no folder"),
    ],
)
def test_wrong_usage_is_told(suite, pytester, args, said):
    pytester.path.joinpath("file").write_text("")
    result = suite(*args)
    assert result.ret == 4
    assert said in result.stderr.str()
