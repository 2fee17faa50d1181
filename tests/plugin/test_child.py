"""A target in process that ends the process is not judged, and no earlier report speaks for it."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from numa_conformance.report.model import read_report
from processes import runs, wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only on Linux a child is watched")

TARGETS = """
import atexit, ctypes, os, subprocess, threading, time
from pathlib import Path
from numa_conformance.reference.target import ReferenceTarget

class Right(ReferenceTarget):
    def __init__(self):
        super().__init__(level="documented")

class Thread(Right):
    def classify(self, request):
        threading.Thread(target=os._exit, args=(0,)).start()
        time.sleep(1000)

class Program(Right):
    def classify(self, request):
        os.execv("/bin/true", ["true"])

class Compiled(Right):
    def classify(self, request):
        ctypes.CDLL(None)._exit(0)

class Killed(Right):
    def classify(self, request):
        os.kill(os.getpid(), 9)

class Factory(Right):
    def __init__(self):
        ctypes.CDLL(None)._exit(0)

class Late(Right):
    def classify(self, request):
        atexit.register(os._exit, 0)
        return {"qos": "Burstable", "eligible": False}

class Copies(Right):
    def classify(self, request):
        if not os.path.exists("copy"):
            if not (copy := os.fork()):
                time.sleep(1000)
            Path("copy").write_text(str(copy))
        return super().classify(request)

class Daemon(Right):
    def classify(self, request):
        if not os.path.exists("copy"):
            daemon = subprocess.Popen(["sleep", "1000"], env={}, start_new_session=True)
            Path("copy").write_text(str(daemon.pid))
        return super().classify(request)

class Waits(Right):
    def classify(self, request):
        Path("asking").write_text(str(os.getpid()))
        Path("asking").rename("asked")
        time.sleep(1000)
"""
ASKED = ("-q", "-p", "no:cacheprovider", "--numa-conformance", "--numa-requirement", "qos/*", "--numa-report", "out",
         "--numa-markdown", "out/short.md", "--numa-timeout", "600")  # fmt: skip


@pytest.fixture
def folder(pytester) -> Path:
    """A folder with the targets, and with the report of an earlier run that conformed."""
    pytester.makeini("[pytest]\n")
    pytester.makepyfile(target=TARGETS)
    old = pytester.path / "out"
    (old / "histories").mkdir(parents=True)
    for name in ("report.json", "junit.xml", "badge.svg", "index.html", "run.json", "short.md", "scenario-a.json"):
        (old / name).write_text("conforms")
    return pytester.path


def _says_that_it_is_not_finished(out: Path) -> None:
    summary = read_report(out)
    assert (summary.verdict, summary.complete, summary.cases) == ("not finished", False, [])
    assert "not finished" in (out / "badge.svg").read_text()
    assert "not finished" in (out / "index.html").read_text()
    assert "not finished" in (out / "short.md").read_text()
    assert ElementTree.parse(out / "junit.xml").findall(".//error")
    assert not [path.name for path in out.iterdir() if path.is_file() and "conforms" in path.read_text()]


@pytest.mark.parametrize("attack", ["Thread", "Program", "Compiled", "Factory", "Killed"])
def test_what_ends_without_a_verdict_is_not_judged(suite, folder: Path, attack: str):
    result = suite(*ASKED, "--numa-target", f"target:{attack}")
    how = "signal 9" if attack == "Killed" else "exit status 0"
    assert result.ret == 11
    told = f"numa-conformance: the run ended without a verdict ({how}), so nothing is said of target:{attack}"
    assert result.errlines[-2:] == ["", told]  # it stands behind the dots of pytest
    _says_that_it_is_not_finished(folder / "out")


def test_what_changes_the_status_after_the_verdict_changes_nothing(pytester, folder: Path):
    late = ("--numa-budget", "2%", "--numa-target", "target:Late")
    result = pytester.run(sys.executable, "-m", "pytest", *ASKED, *late)
    assert result.ret == 1
    assert read_report(folder / "out").verdict == "not conformant"


def test_a_worker_of_xdist_that_ends_costs_the_verdict(suite, folder: Path):
    result = suite(*ASKED, "--numa-target", "target:Thread", "-n", "1")
    assert result.ret != 0
    assert read_report(folder / "out").claim.startswith("No case was run")


def test_a_mistake_in_the_options_is_told_once_and_as_ever(suite, folder: Path):
    result = suite(*ASKED, "--numa-target", "target:Right", "--numa-features=+no/such")
    assert result.ret == 4
    assert result.stderr.str().count("ERROR: --numa-features: 'no/such' is not known") == 1
    _says_that_it_is_not_finished(folder / "out")


def test_the_report_to_run_again_may_lie_in_the_folder_of_the_new_one(suite, folder: Path):
    suite(*ASKED, "--numa-target", "target:Late")
    result = suite(*ASKED, "--numa-target", "target:Right", "--numa-rerun", "out/report.json")
    assert result.ret == 0
    assert read_report(folder / "out").verdict == "partial"


@pytest.mark.parametrize("target", ["Copies", "Daemon"])
def test_what_shows_no_mark_of_the_target_ends_with_the_run_too(suite, folder: Path, target: str):
    result = suite(*ASKED, "--numa-target", f"target:{target}")
    assert result.ret == 0
    assert not runs(int((folder / "copy").read_text()))


def test_a_copy_of_the_run_does_not_conclude_in_its_place(suite, folder: Path):
    (folder / "splits.py").write_text("import os\nif os.fork():\n    os._exit(0)\nfrom target import Right\n")
    assert suite(*ASKED, "--numa-target", "splits:Right").ret == 11
    _says_that_it_is_not_finished(folder / "out")


@pytest.mark.parametrize(
    ("number", "group", "status"),
    [(signal.SIGKILL, False, -9), (signal.SIGTERM, False, 2), (signal.SIGINT, False, 2), (signal.SIGINT, True, 2)],
)
def test_a_signal_reaches_the_child_once(folder: Path, number: signal.Signals, group: bool, status: int):
    command = [sys.executable, "-m", "pytest", *ASKED, "--numa-target", "target:Waits"]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    wait_until(lambda: (folder / "asked").exists() or run.poll() is not None)
    _says_that_it_is_not_finished(folder / "out")
    (os.killpg if group else os.kill)(run.pid, number)
    printed = run.communicate()[0]
    assert run.returncode == status
    child = int((folder / "asked").read_text())
    assert child != run.pid
    wait_until(lambda: not runs(child))
    if number == signal.SIGKILL:
        _says_that_it_is_not_finished(folder / "out")
    else:
        assert "VERDICT: NOT TESTED" in printed
        assert json.loads((folder / "out" / "report.json").read_text())["verdict"] == "not tested"


def test_a_program_that_hands_over_plugins_runs_in_its_process(pytester, folder: Path):
    told = pytester.inline_run("--numa-conformance", "--numa-case", "qos/test_no_such", "--numa-target", "target:Right")
    assert told.ret == 4
    assert told.getcalls("pytest_collection_finish")


def test_coverage_is_told_of_what_the_child_runs(pytester, folder: Path, monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("coverage")
    monkeypatch.delenv("COVERAGE_FILE", raising=False)
    asked = ("-m", "pytest", *ASKED, "--numa-budget", "2%", "--numa-target", "target:Right")
    pytester.run(sys.executable, "-m", "coverage", "run", "--include=target.py", *asked)
    measured = pytester.run(sys.executable, "-m", "coverage", "report", "--show-missing").stdout.str()
    constructor = TARGETS.splitlines().index('        super().__init__(level="documented")') + 1
    missing = next(line for line in measured.splitlines() if line.startswith("target.py")).partition("%")[2]
    assert missing
    assert str(constructor) not in re.findall("[0-9]+", missing)


def test_a_debugger_reads_the_terminal_in_the_child(folder: Path):
    (folder / "debugged.py").write_text(
        "from target import Right\n"
        "class Stops(Right):\n"
        "    def __init__(self):\n"
        "        here = 'in the target'\n"
        "        breakpoint()\n"
        "        super().__init__()\n"
    )
    command = [sys.executable, "-m", "pytest", *ASKED, "--numa-budget", "2%", "-s", "--numa-target", "debugged:Stops"]
    run = subprocess.run(command, input="print('read', here)\nc\n" * 3, capture_output=True, text=True, check=False)
    assert "read in the target" in run.stdout
