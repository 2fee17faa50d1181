"""Tests begin with defaults, whoever starts them: a background job, nohup, a cautious umask, another locale."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from processes import PATIENCE

STARTS = """
import os, signal, subprocess, sys
from inherited import reset_environment, reset_signals
reset_signals()
reset_environment()
os.kill(os.getpid(), signal.SIGHUP)
subprocess.run([sys.executable, "-c", sys.argv[1]], check=True)
"""
"""Outlives its terminal, and starts a program."""
TELLS = """
import os, signal
names = ("SIGINT", "SIGHUP", "SIGTERM", "SIGQUIT", "SIGCHLD")
ignored = [name for name in names if signal.getsignal(getattr(signal, name)) is signal.SIG_IGN]
print(ignored, signal.pthread_sigmask(signal.SIG_BLOCK, ()), oct(os.umask(0)), os.environ["LC_ALL"],
    os.environ.get("GRPC_VERBOSITY"))
"""
CAUTIOUS = "trap '' INT HUP TERM QUIT CHLD; umask 077; LC_ALL=C exec \"$@\""


@pytest.mark.skipif(os.name != "posix", reason="this system has no such signals")
def test_a_program_that_a_test_starts_has_the_defaults():
    started = subprocess.run(
        ["sh", "-c", CAUTIOUS, "sh", sys.executable, "-c", STARTS, TELLS],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (started.returncode, started.stdout) == (0, "[] set() 0o22 C.UTF-8 NONE\n"), started.stderr


def test_so_have_these():
    told = subprocess.run([sys.executable, "-c", TELLS], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert told.stdout == "[] set() 0o22 C.UTF-8 NONE\n"
