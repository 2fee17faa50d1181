"""How a run ends: on request with its targets closed, and in bounded time once its verdict is told."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time

import pytest

from ..wire.termination import EndsInOrder

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


class Termination(EndsInOrder):
    """Makes of SIGTERM and SIGHUP what Ctrl-C is: the target is closed, and what was asked so far is told."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Leave out places that have no line: pytest ends with a TypeError where it is to show one.

        A signal is taken between any two instructions, and some belong to no line of the source.
        """
        at = excinfo.tb
        while (behind := at.tb_next) is not None:
            if (behind.tb_lineno or 0) < 1:
                at.tb_next = behind.tb_next
            else:
                at = behind

    def pytest_sessionstart(self) -> None:
        """Take the signals, unless somebody else has them."""
        self.__enter__()

    def pytest_unconfigure(self) -> None:
        """Leave the signals as they were."""
        self.__exit__(None, None, None)
