import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from numa_conformance.plugin.conformance import Termination
from processes import PATIENCE, wait_until


def interrupted() -> None:
    raise KeyboardInterrupt("SIGTERM")


def test_a_signal_at_an_instruction_that_has_no_line_is_shown(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(interrupted, "__code__", interrupted.__code__.replace(co_linetable=b""))
    with pytest.raises(KeyboardInterrupt) as told:
        interrupted()
    Termination().pytest_keyboard_interrupt(told)
    assert "SIGTERM" in str(told.getrepr(funcargs=True))


SLEEPS = """
import os, sys, time
from pathlib import Path
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.wire import serve
class Sleeps(ReferenceTarget):
    def allocate(self, request):
        print(os.getpid(), file=open("asked", "w"))
        os.rename("asked", "pid")
        time.sleep(1000)
    pick = node_start = allocate
serve(Sleeps(level="documented"))
"""


@pytest.mark.skipif(os.name != "posix", reason="this system has no SIGTERM")
def test_a_run_that_is_terminated_closes_its_target_and_tells_its_verdict(tmp_path: Path):
    (tmp_path / "sleeps.py").write_text(SLEEPS)
    target = shlex.join([sys.executable, "sleeps.py"])
    asked = [
        "--numa-case",
        "histories/test_histories::test_every_step[cpu-manager/static/packs-whole-cores]",
        "--numa-target-command",
        target,
        f"--numa-timeout={PATIENCE}",
    ]
    run = subprocess.Popen(
        [sys.executable, "-m", "pytest", "--numa-conformance", "-p", "no:cacheprovider", *asked],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
    )
    wait_until(lambda: (tmp_path / "pid").exists() or run.poll() is not None)
    run.send_signal(signal.SIGTERM)
    said = run.communicate(timeout=PATIENCE)[0]
    assert "VERDICT: NOT TESTED" in said
    assert run.returncode == 2
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)
