"""A process that ends with all that it has started, whatever session, parent or environment that has by then.

A supervisor stands between this process and that program. What loses its parent becomes the supervisor's child, and
the supervisor ends when it has none left: after the program, when it is told to, and with this process.
"""

import contextlib
import ctypes
import fcntl
import os
import resource
import select
import signal
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic, sleep
from typing import NoReturn

from .termination import die_with

_LIBC = ctypes.CDLL(None)
"""Loaded before a fork beside threads, which may hold the lock of a loader."""
_SET_CHILD_SUBREAPER = 36
"""Of ``prctl``, see linux/prctl.h."""
_PAUSE_SECONDS = 0.002
_MOST_SECONDS = 60.0
"""Time within which a process that is killed is gone, also on a busy computer."""
_OF_A_TERMINAL = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Supervised:
    """A program in a copy of this process: the file numbers of its standard streams, and its end."""

    def __init__(self, program: Callable[[], object]) -> None:
        """Start it. Of this process's files it has none, and its standard streams are pipes to this process."""
        (stdin, self.stdin), (self.stdout, stdout), (self.stderr, stderr), (line, self._line) = _pipes(4)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # no lock of another thread is taken in the copies
            self._process = os.fork()
        if self._process == 0:
            try:
                _supervise(program, (stdin, stdout, stderr), line)
            finally:  # a copy must never go on as the run
                os._exit(os.EX_SOFTWARE)
        for end in (stdin, stdout, stderr, line):
            os.close(end)
        self._status: int | None = None

    def status(self, seconds: float = 0.0) -> int | None:
        """Return the exit status, below 0 for a signal; None where it has not ended so many seconds later."""
        until = monotonic() + seconds
        while self._status is None:
            process, status = os.waitpid(self._process, os.WNOHANG)
            if process:
                self._status = os.waitstatus_to_exitcode(status)
            elif monotonic() >= until:
                break
            else:
                sleep(_PAUSE_SECONDS)
        return self._status

    def end(self) -> int:
        """Kill it and all that it has started, and return its exit status."""
        with contextlib.suppress(OSError):
            os.write(self._line, b".")
        until = monotonic() + _MOST_SECONDS
        while (status := self.status(_PAUSE_SECONDS)) is None:
            # A program may have stopped its supervisor.
            os.kill(self._process, signal.SIGCONT if monotonic() < until else signal.SIGKILL)
        return status

    def hang_up(self) -> None:
        """Let the program read the end of its standard input."""
        null = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
        os.dup2(null, self.stdin, inheritable=False)
        os.close(null)

    def close(self) -> None:
        """Close the pipes, once it has ended."""
        for end in (self.stdin, self.stdout, self.stderr, self._line):
            os.close(end)


def _pipes(number: int) -> list[tuple[int, int]]:
    """Return pipes, of which no end takes the place of a standard stream that is closed here."""
    pipes = []
    for low in (os.pipe() for _ in range(number)):
        pipes.append((fcntl.fcntl(low[0], fcntl.F_DUPFD_CLOEXEC, 3), fcntl.fcntl(low[1], fcntl.F_DUPFD_CLOEXEC, 3)))
        os.close(low[0])
        os.close(low[1])
    return pipes


def _supervise(program: Callable[[], object], streams: Sequence[int], line: int) -> NoReturn:
    """Start the program, wait for its end or for a word on the line, kill what is left, and end alike."""
    awake, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    for ignored in _OF_A_TERMINAL:
        signal.signal(ignored, signal.SIG_IGN)
    os.setsid()
    if sys.platform == "linux":
        _LIBC.prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    parent, process = os.getpid(), os.fork()
    if process == 0:
        _run(program, streams, parent)
    _leave_files((line, awake, woken))
    ended: dict[int, int] = {}
    while process not in ended and not select.select([line, awake], [], [])[0].count(line):
        os.read(awake, 4096)
        _reap(ended)
    _kill_all(process, ended)
    status = ended.get(process, -signal.SIGKILL)
    if status < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with contextlib.suppress(OSError):  # SIGKILL is as it is
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status)


def _run(program: Callable[[], object], streams: Sequence[int], parent: int) -> NoReturn:
    """Be the program: in a session of its own, without what this process was."""
    try:
        signal.set_wakeup_fd(-1)
        for default in (signal.SIGCHLD, *_OF_A_TERMINAL):
            signal.signal(default, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        os.setsid()
        if sys.platform == "linux":
            die_with(parent)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        _leave_files(range(3))
        program()
        os._exit(os.EX_OK)
    finally:
        os._exit(os.EX_SOFTWARE)


def _leave_files(spared: Sequence[int]) -> None:
    """Close the files of this process but some.

    Their numbers stay taken: an object of the copied process that goes closes nothing that was opened since.
    """
    null = os.open(os.devnull, os.O_RDWR)
    for number in [int(name) for name in os.listdir("/dev/fd")]:
        if number not in spared and number != null:
            with contextlib.suppress(OSError):  # the folder itself was open while it was read
                os.fstat(number)
                os.dup2(null, number, inheritable=False)


def _reap(ended: dict[int, int]) -> bool:
    """Take note of the children that have ended, and tell whether there are others."""
    try:
        while (child := os.waitpid(-1, os.WNOHANG))[0]:
            ended[child[0]] = os.waitstatus_to_exitcode(child[1])
    except ChildProcessError:
        return False
    return True


def _kill_all(group: int, ended: dict[int, int]) -> None:
    """Kill the children of this process, and those that become its children by that."""
    until = monotonic() + _MOST_SECONDS
    while _reap(ended) and monotonic() < until:
        if group not in ended:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)
        for process in _children():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        sleep(_PAUSE_SECONDS)


def _children() -> list[int]:
    processes = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            # The name of the program stands in brackets, and may hold anything.
            parent = (folder / "stat").read_bytes().rpartition(b")")[2].split()[1]
            if int(parent) == os.getpid():
                processes.append(int(folder.name))
    return processes
