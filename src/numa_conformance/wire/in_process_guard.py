"""What a target in this process must not do to it: end it, go on in a copy of it, leave workers behind."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

_exit = os._exit
_guarded: dict[int, int] = {}
"""The process in which each thread that asks a target was started, by the thread's identifier."""


@contextmanager
def guarded() -> Iterator[None]:
    """Make ``os._exit`` an exception in this thread: a run that ended there with status 0 would look as if passed."""
    thread = threading.get_ident()
    _guarded[thread] = os.getpid()
    os._exit = _refused_exit
    try:
        yield
    finally:
        _guarded.pop(thread)  # a later thread, which may be of the target, gets the same identifier


def leave_a_copy() -> None:
    """End this process if it is a copy that the target has forked: nobody waits for its answer."""
    if _guarded.get(threading.get_ident()) != os.getpid():
        _exit(os.EX_SOFTWARE if hasattr(os, "EX_SOFTWARE") else 1)


def end_workers() -> None:
    """End what the target has started with ``multiprocessing``, which this process would wait for at its end."""
    multiprocessing = sys.modules.get("multiprocessing")
    for child in multiprocessing.active_children() if multiprocessing is not None else ():
        child.kill()
        child.join()


def _refused_exit(status: int) -> NoReturn:
    if _guarded.get(threading.get_ident()) == os.getpid():
        raise SystemExit(f"os._exit({status})")
    _exit(status)
