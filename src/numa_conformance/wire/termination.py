"""Signals that ask a program to end: it ends as with Ctrl-C, so that the target that it asks is closed."""

import math
import os
import signal
import threading
from collections.abc import Callable
from time import monotonic
from types import FrameType
from typing import Any

from ..namespaces import end_with_parent

_DEFAULTS: dict[int, Callable[[int, FrameType | None], Any] | signal.Handlers] = {
    getattr(signal, name): signal.default_int_handler if name == "SIGINT" else signal.SIG_DFL
    for name in ("SIGINT", "SIGTERM", "SIGHUP")
    if hasattr(signal, name)
}
"""What Python does at each signal that asks to end, unless a program wants it otherwise."""
_AGAIN_SECONDS = 1.0
"""Time within which a signal is one of before: ``timeout`` signals to a process, then to its group."""


def die_with(parent: int) -> None:
    """Have this process killed when its parent ends; it ends at once where that is gone already."""
    end_with_parent(signal.SIGKILL)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


class EndsInOrder:
    """While it is entered, SIGTERM and SIGHUP (a terminal that goes away) raise ``KeyboardInterrupt``, as SIGINT does.

    By default they end this process at once, and leave the target's, which is in a session of its own. A signal that
    somebody else has, or that is ignored (``nohup``), stays as it is.
    """

    _last = -math.inf

    def __enter__(self) -> None:
        if threading.current_thread() is threading.main_thread():
            for number, default in _DEFAULTS.items():
                if signal.getsignal(number) == default:
                    signal.signal(number, self._interrupt)

    def __exit__(self, *error: object) -> None:
        for number, default in _DEFAULTS.items():
            if signal.getsignal(number) == self._interrupt:
                signal.signal(number, default)

    def _interrupt(self, number: int, frame: object) -> None:
        now = monotonic()
        if now - self._last >= _AGAIN_SECONDS:
            self._last = now
            raise KeyboardInterrupt(signal.Signals(number).name)
