"""Signals that ask a program to end: it ends as with Ctrl-C, so that the target that it asks is closed."""

from __future__ import annotations

import signal
import threading
from types import TracebackType
from typing import NoReturn

_ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


class EndsInOrder:
    """While it is entered, SIGTERM and SIGHUP (a terminal that goes away) raise ``KeyboardInterrupt``.

    By default they end this process at once, and leave the target's, which is in a session of its own. A signal that
    somebody else has, or that is ignored (``nohup``), stays as it is.
    """

    def __enter__(self) -> None:
        """Take the signals."""
        if threading.current_thread() is threading.main_thread():
            for number in _ENDING:
                if signal.getsignal(number) is signal.SIG_DFL:
                    signal.signal(number, self._interrupt)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Leave the signals as they were."""
        for number in _ENDING:
            if signal.getsignal(number) == self._interrupt:
                signal.signal(number, signal.SIG_DFL)

    def _interrupt(self, number: int, frame: object) -> NoReturn:
        raise KeyboardInterrupt(signal.Signals(number).name)
