"""How a run ends: on request with its targets closed, and in bounded time once its verdict is told."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from typing import NoReturn

import pytest

_SECONDS = 30.0
"""Time that other plugins may take for what they do at the very end."""


class Ending:
    """Waits, beside the run, for the interpreter to begin to end, and then only so long.

    A thread that is no daemon, or a function given to ``atexit``, keeps a process for ever. A program that calls pytest
    and goes on afterwards is not disturbed: its interpreter does not end.
    """

    def __init__(self, seconds: float = _SECONDS) -> None:
        """Take the seconds that the end may last."""
        self._seconds = seconds
        self._session: pytest.Session | None = None

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Begin to wait."""
        self._session = session
        threading.Thread(target=self._wait, name="numa-conformance ending", daemon=True).start()

    def _wait(self) -> None:
        threading.main_thread().join()
        time.sleep(self._seconds)
        status = int(self._session.exitstatus) if self._session is not None else 1
        with contextlib.suppress(OSError, ValueError, AttributeError):
            print(
                f"the target kept this process from ending; it was ended {self._seconds:g} s later",
                file=sys.__stderr__,
                flush=True,
            )
        os._exit(status)


class Termination:
    """Makes of SIGTERM what Ctrl-C is: the target is closed, and what was asked so far is told.

    By default the signal ends this process at once, and leaves the target's, which is in a session of its own.
    """

    def pytest_sessionstart(self) -> None:
        """Take the signal, unless somebody else has it."""
        if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, self._interrupt)

    def pytest_unconfigure(self) -> None:
        """Leave the signal as it was."""
        if signal.getsignal(signal.SIGTERM) == self._interrupt:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)

    @staticmethod
    def _interrupt(number: int, frame: object) -> NoReturn:
        raise KeyboardInterrupt("SIGTERM")
