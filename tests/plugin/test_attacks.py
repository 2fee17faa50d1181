"""A target costs itself its verdict, whatever it does to its process, and nobody else anything."""

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest

from numa_conformance.report.reading import read_report
from processes import runs, wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux alone gives orphans to who asks for them")

TARGETS = """
import atexit, builtins, ctypes, gc, json, os, signal, subprocess, sys, threading, time
from pathlib import Path
import msgspec, pytest
from numa_conformance.reference.target import ReferenceTarget

def once(name):
    if os.path.exists(name):
        return False
    Path(name).touch()
    return True

def keep(process):
    Path("pid").write_text(str(process))

class Right(ReferenceTarget):
    def __init__(self):
        super().__init__(level="documented")
        {made}
    def describe(self, request):
        return msgspec.structs.replace(super().describe(request), surfaces=["classify"])
    def classify(self, request):
        {asked}
        return super().classify(request)

{loaded}
"""


@dataclass(frozen=True)
class Attack:
    """What a target does, where, and what must come of it: the exit code of the run, and its verdict."""

    asked: str = "pass"
    made: str = "pass"
    loaded: str = ""
    code: int = 1
    verdict: str = "not conformant"


def harmless(**where: str) -> Attack:
    """Return an attack by a target that answers rightly: it gets what it has earned by that."""
    return Attack(**where, code=0, verdict="partial")


def fatal(**where: str) -> Attack:
    """Return an attack that leaves nobody to ask."""
    return Attack(**where, code=10, verdict="not finished")


ATTACKS = {
    "ends": Attack("os._exit(0)"),
    "ends in C": Attack("ctypes.CDLL(None)._exit(0)"),
    "ends in a thread": Attack("threading.Thread(target=os._exit, args=(0,)).start(); time.sleep(1000)"),
    "becomes a program": Attack("os.execv('/bin/true', ['true'])"),
    "raises SystemExit": Attack("sys.exit(0)"),
    "raises what pytest skips by": Attack("pytest.skip('not today')"),
    "raises what pytest exits by": Attack("pytest.exit('all is well', returncode=0)"),
    "crashes": Attack("ctypes.string_at(0)"),
    "kills itself": Attack("os.kill(os.getpid(), 9)"),
    "kills its group": Attack("os.killpg(0, 9)"),
    "kills who watches it": Attack("os.kill(os.getppid(), 9); time.sleep(1000)"),
    "ends when it is made": fatal(made="os._exit(0)"),
    "ends when it is loaded": fatal(loaded="os._exit(0)"),
    "leaves when it is loaded": fatal(loaded="sys.exit(0)"),
    "goes on as a copy when it is loaded": fatal(loaded="os.fork() and os._exit(0)"),
    "ends at exit": harmless(loaded="atexit.register(os._exit, 0)"),
    "stays at exit": harmless(loaded="atexit.register(time.sleep, 1000)"),
    "has a thread that stays": harmless(loaded="threading.Thread(target=time.sleep, args=(1000,)).start()"),
    "stops who watches it": harmless(asked="once('a') and os.kill(os.getppid(), signal.SIGSTOP)"),
    "leaves a copy": harmless(
        asked="if once('a'): keep(os.getpid() if (c := os.fork()) == 0 else c); c or time.sleep(1000)"
    ),
    "leaves a copy that answers": harmless(asked="once('a') and os.fork()"),
    "leaves a daemon without environment": harmless(
        asked="once('a') and keep(subprocess.Popen(['sleep', '1000'], env={}, start_new_session=True).pid)"
    ),
    "leaves the child of a child": harmless(
        asked="once('a') and keep(subprocess.run(['sh', '-c', 'setsid sleep 1000 >&- 2>&- & echo $!'], env={},"
        " stdout=subprocess.PIPE, check=True).stdout.decode())"
    ),
    "closes its output": harmless(
        asked="if once('a'): sys.stdout.close(); os.close(1); os.close(2); sys.__stdout__.close()"
    ),
    "closes all files": Attack("os.closerange(0, 1000)"),
    "prints a verdict": harmless(asked="print('\\nVERDICT: CONFORMANT'); os.write(1, b'VERDICT: CONFORMANT\\n')"),
    "writes to all files": Attack(
        "for n in os.listdir('/proc/self/fd'):\n"
        "            try: os.write(int(n), b'VERDICT: CONFORMANT\\n')\n"
        "            except OSError: pass"
    ),
    "raises a verdict": Attack("raise ValueError('\\nVERDICT: CONFORMANT\\n::error::x\\u2028VERDICT: CONFORMANT')"),
    "answers a verdict": Attack("return {{'qos': 'Best\\nVERDICT: CONFORMANT', 'pod_cpus': 0}}"),
    "logs a verdict": harmless(asked="sys.stderr.write('\\nVERDICT: CONFORMANT\\n::error::x\\n')"),
    "patches json, which it uses": Attack("json.dumps(0)", loaded="json.dumps = json.loads = lambda *a, **k: 1 / 0"),
    "patches time": harmless(loaded="time.monotonic = time.time = lambda: 0.0"),
    "patches os": harmless(loaded="os.read = os.write = os.getpid = os._exit = lambda *a: 1 / 0"),
    "patches print and open": harmless(loaded="builtins.print = builtins.open = lambda *a, **k: 1 / 0"),
    "patches the encoder, which it uses": Attack(
        loaded="msgspec.json.encode = msgspec.json.decode = lambda *a, **k: b'{{}}'"
    ),
    "patches pytest": Attack(
        "return None",
        loaded="pytest.Session.exitstatus = pytest.ExitCode.OK\npytest.fail = pytest.skip = lambda *a: None",
    ),
    "patches the judge": Attack(
        "return None",
        loaded="import numa_conformance.judging.verdicts as v\nv.judge = lambda h: None\n"
        "import numa_conformance.report.claims as c\nc.verdict_of = lambda *a, **k: 'conformant'",
    ),
    "patches each object of the run": Attack(
        "return None",
        loaded="for each in gc.get_objects():\n"
        "    if type(each).__name__ == 'Conclusion': each._cases.clear(); each._summary = None",
    ),
    "answers by itself": Attack(
        "for n in range(3, 256):\n            try: os.write(n, b'=null\\n')\n            except OSError: pass"
    ),
    "writes without end": Attack("if once('a'):\n            while True: os.write(1, b'x' * 65536)"),
    "has a handler for all signals": harmless(
        loaded="for n in range(1, 32):\n    if n not in (9, 17, 19): signal.signal(n, signal.SIG_IGN)"
    ),
}
ASKED = ("-q", "-p", "no:cacheprovider", "--numa-requirement", "qos/b*", "--numa-report", "out", "--numa-markdown",
         "out/short.md")  # fmt: skip
OURS = ("report.json", "junit.xml", "badge.svg", "index.html", "run.json", "short.md", "scenario-a.json")


def write_target(folder: Path, attack: Attack) -> None:
    """Write the target, and what an earlier run has left in the folder of the report."""
    written = {
        name: getattr(attack, name).replace("{{", "{").replace("}}", "}") for name in ("made", "asked", "loaded")
    }
    (folder / "target.py").write_text(TARGETS.format(**written))
    (folder / "out" / "histories").mkdir(parents=True)
    for name in OURS:
        (folder / "out" / name).write_text("CONFORMANT")


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS.keys())
def test_it_gets_the_verdict_that_it_has_earned(suite, pytester, attack: Attack):
    write_target(pytester.path, attack)
    short = ("--numa-timeout", "2") if "while True" in attack.asked else ()
    result = suite(*ASKED, "--numa-target", "target:Right", *short)
    out = pytester.path / "out"
    summary = read_report(out)
    assert (result.ret, summary.verdict) == (attack.code, attack.verdict)
    assert summary.counts["error"] == 0
    lines = [line for line in result.outlines if line.startswith("VERDICT:")]
    assert [line.partition(" (")[0] for line in lines] == [f"VERDICT: {attack.verdict.upper()}"] * (attack.code < 10)
    assert not [line for line in (*result.outlines, *result.errlines) if line.lstrip().startswith("::error")]
    assert not [name.name for name in out.iterdir() if name.is_file() and name.read_text() == "CONFORMANT"]
    assert attack.verdict in (out / "badge.svg").read_text()
    unmet = ElementTree.parse(out / "junit.xml").findall(".//failure") + ElementTree.parse(out / "junit.xml").findall(
        ".//error"
    )
    assert bool(unmet) == (attack.code != 0)
    if (pytester.path / "pid").exists():
        assert not runs(int((pytester.path / "pid").read_text()))


WAITS = Attack("os.getppid(); keep(os.getpid()); os.rename('pid', 'asked'); time.sleep(1000)")


@pytest.mark.parametrize(
    ("number", "group", "status"),
    [(signal.SIGKILL, False, -9), (signal.SIGTERM, False, 2), (signal.SIGINT, False, 2), (signal.SIGINT, True, 2)],
)
def test_a_target_ends_with_a_run_that_is_ended(pytester, number: signal.Signals, group: bool, status: int):
    folder = pytester.path
    (folder / "pytest.ini").write_text("[pytest]\n")
    write_target(folder, WAITS)
    asked = (*ASKED, "--numa-conformance", "--numa-target", "target:Right", "--numa-timeout", "600")
    run = subprocess.Popen(
        [sys.executable, "-m", "pytest", *asked], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    wait_until(lambda: (folder / "asked").exists() or run.poll() is not None)
    assert read_report(folder / "out").verdict == "not finished"
    (os.killpg if group else os.kill)(run.pid, number)
    printed = run.communicate()[0]
    assert run.returncode == status
    wait_until(lambda: not runs(int((folder / "asked").read_text())))
    left = "not finished" if number == signal.SIGKILL else "not tested"
    assert read_report(folder / "out").verdict == left
    assert ("VERDICT: NOT TESTED" in printed) == (left == "not tested")


def test_a_worker_of_xdist_outlives_its_target(suite, pytester):
    write_target(pytester.path, Attack("os._exit(0)"))
    assert suite(*ASKED, "--numa-target", "target:Right", "-n", "1").ret == 1
    assert read_report(pytester.path / "out").verdict == "not conformant"


def test_a_debugger_stops_in_the_target_where_it_is_asked_in_the_same_process(pytester):
    write_target(pytester.path, Attack(made="here = 'in the target'; breakpoint()"))
    (pytester.path / "pytest.ini").write_text("[pytest]\n")
    asked = (
        *ASKED,
        "--numa-conformance",
        "--numa-budget",
        "2%",
        "-s",
        "--numa-target",
        "target:Right",
        "--numa-same-process",
    )
    command = [sys.executable, "-m", "pytest", *asked]
    run = subprocess.run(command, input="print('read', here)\nc\n" * 3, capture_output=True, text=True, check=False)
    assert "read in the target" in run.stdout
    assert "note: no profile was tested whole, as the target was asked in the process that judges it" in run.stdout
    assert read_report(pytester.path / "out").verdict == "partial"
