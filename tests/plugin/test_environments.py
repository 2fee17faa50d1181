"""What people's environments do: no verdict changes by them."""

import fcntl
import os
import subprocess
import sys

import pytest

from asked_in_full import DEEP, deep
from numa_conformance.report.reading import read_report
from processes import PATIENCE

WRONG = """
import msgspec
from numa_conformance.reference.target import ReferenceTarget

class Wrong(ReferenceTarget):
    def classify(self, request):
        return msgspec.structs.replace(super().classify(request), qos="Burstable")

def make():
    return Wrong(level="documented")
"""
ASKED = ["-m", "pytest", "--numa-conformance", "-q", "-p", "no:cacheprovider", "--numa-requirement", "qos/b*"]
TOLD = ["--numa-target", "wrong:make", "--numa-budget", "2%", "--numa-report", "out", "--numa-markdown", "out/short.md"]
PLAIN = {"PATH": os.environ["PATH"]}
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
UNWRITABLE = {"HOME": "/proc", "XDG_CACHE_HOME": "/proc"}
EACH_ALONE = {
    "asserts are off": (["-O"], dict(os.environ)),
    "no HOME, nor anything else": ([], PLAIN),
    "a locale of ASCII": ([], {**PLAIN, **ASCII}),
    "folders of caches cannot be written": ([], {**PLAIN, **UNWRITABLE}),
}
ENVIRONMENTS = EACH_ALONE if DEEP else {"all at once": (["-O"], {**PLAIN, **ASCII, **UNWRITABLE})}


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_a_wrong_target_is_found_to_be_wrong(tmp_path, environment):
    options, variables = ENVIRONMENTS[environment]
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "wrong.py").write_text(WRONG)
    done = subprocess.run(
        [sys.executable, *options, *ASKED, *TOLD],
        cwd=tmp_path,
        env={**variables, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "VERDICT: NOT CONFORMANT" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    summary = read_report(tmp_path / "out")
    assert (summary.verdict, summary.counts["error"]) == ("not conformant", 0)


@deep
def test_runs_in_one_folder_at_once_leave_one_whole_report(tmp_path):
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "wrong.py").write_text(WRONG)
    runs = [
        subprocess.Popen([sys.executable, *ASKED, *TOLD], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)})
        for _ in range(3)
    ]
    codes = {run.wait(PATIENCE) for run in runs}
    assert 1 in codes
    assert codes <= {1, 4}
    assert read_report(tmp_path / "out").verdict == "not conformant"
    assert not list((tmp_path / "out").glob("**/*.unfinished"))


def test_a_folder_that_another_run_writes_to_is_refused_before_anything_is_asked(suite, pytester):
    out = pytester.mkdir("out")
    (out / "report.json").write_text("of another run")
    held = os.open(out, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    asked = ["--numa-requirement", "qos/best-effort-has-none", "--numa-budget", "1%", "--numa-report", "out"]
    refused = suite(*asked)
    assert refused.ret == 4
    assert "another run is writing to out; name another folder" in refused.stderr.str()
    assert (out / "report.json").read_text() == "of another run"
    os.close(held)
    assert suite(*asked).ret == 0
    assert read_report(out).counts["passed"] > 0


@pytest.mark.parametrize(
    ("options", "verdict"),
    [(("--numa-requirement", "nosuch"), "not finished"), (("--help",), "partial"), (("--fixtures",), "partial")],
)
def test_a_run_that_is_refused_leaves_no_report_of_before(suite, report, options, verdict):
    few = ("--numa-requirement", "host/finds-the-online-cpus", "--numa-report", "out")
    assert suite(*few).ret == 0
    suite("--numa-report", "out", *options)
    assert report()["verdict"] == verdict


def test_snapshots_where_no_file_can_be_are_wrong_usage(suite, pytester):
    pytester.path.joinpath("file").touch()
    asked = ["--numa-level", "exact", "--numa-requirement", "exact/placements/static"]
    result = suite(*asked, "--numa-snapshots", "file/golden", "--numa-snapshot-update")
    assert (result.ret, "takes no files" in result.stderr.str()) == (4, True)
