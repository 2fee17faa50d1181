"""Finds every process that a target has started, whatever it did to leave the target's session."""

import contextlib
import os
import secrets
import signal
import sys
import time
from pathlib import Path

_NAME = "NUMA_CONFORMANCE_TARGET"
_PAUSE_SECONDS = 0.02
_MOST_SECONDS = 60.0
"""Time within which a process that is killed is gone, also on a busy computer."""


class Marked:
    """A mark in the environment of a process, which those that it starts inherit.

    A daemon is in no group and no session of the target's, and its parent is gone; its environment still tells. One
    that has cleared its environment, or runs where there is no ``/proc``, is not found.
    """

    def __init__(self) -> None:
        """Make a mark of its own."""
        self._mark = secrets.token_hex(8)

    def environment(self) -> dict[str, str]:
        """Return this process's environment with the mark."""
        return {**os.environ, _NAME: self._mark}

    def __enter__(self) -> None:
        """Have what this process starts bear the mark; the process itself is not found by it."""
        os.environ[_NAME] = self._mark

    def __exit__(self, *failed: object) -> None:
        """Let what is started from now on go unmarked."""
        os.environ.pop(_NAME, None)

    def kill(self) -> None:
        """Kill all that bear the mark, and wait until none is there: one may start another in the meantime.

        A program that has only just begun to run shows no environment for a moment, so none has to be seen twice.
        """
        if sys.platform != "linux":
            return
        there_before, until = True, time.monotonic() + _MOST_SECONDS
        while True:
            processes = self._marked_processes()
            for process in processes:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(process, signal.SIGKILL)
            if not (processes or there_before) or time.monotonic() > until:
                return
            there_before = bool(processes)
            time.sleep(_PAUSE_SECONDS)

    def _marked_processes(self) -> list[int]:
        wanted = f"{_NAME}={self._mark}".encode()
        processes = []
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit():
                with contextlib.suppress(OSError):
                    if wanted in (folder / "environ").read_bytes().split(b"\0"):
                        processes.append(int(folder.name))
        return processes
