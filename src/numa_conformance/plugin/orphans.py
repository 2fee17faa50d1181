"""Processes whose parent is gone: they become children of this process, which ends them."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import time
from collections.abc import Collection
from pathlib import Path

from ..machine.hostfs.namespaces import end_with_parent

_SET_CHILD_SUBREAPER = 36
"""Of ``prctl``, see linux/prctl.h."""
_PAUSE_SECONDS = 0.02
_MOST_SECONDS = 5.0
"""Time within which a process that is killed is gone, also on a busy computer."""


def adopt_orphans(adopts: bool) -> None:
    """Become the parent of all below this process whose own parent ends, or be it no longer."""
    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, int(adopts), 0, 0, 0)


def die_with(parent: int) -> None:
    """Have this process killed when its parent ends; it ends at once where that is gone already."""
    end_with_parent(signal.SIGKILL)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def children() -> set[int]:
    """Return the processes whose parent is this one."""
    found = set()
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                # The name of the program stands in brackets, and may hold anything.
                parent = (folder / "stat").read_bytes().rpartition(b")")[2].split()[1]
                if int(parent) == os.getpid():
                    found.add(int(folder.name))
    return found


def end_orphans(others: Collection[int]) -> None:
    """Kill the children of this process but for some, and those that become its children by that."""
    until = time.monotonic() + _MOST_SECONDS
    while (left := children().difference(others)) and time.monotonic() < until:
        for process in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(process, os.WNOHANG)
        time.sleep(_PAUSE_SECONDS)
