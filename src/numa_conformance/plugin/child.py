"""A run in a child process. A target in process can end its process at any moment, with any status.

So the process that was started asks nothing: it waits, takes the status that the child puts on record, and gives it
back. What ends with none is not judged. Terminal, debugger and coverage are the child's as before.
"""

import contextlib
import ctypes
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import BinaryIO

import msgspec
import pytest

from ..printable import printable
from ..wire.termination import EndsInOrder, die_with
from .options import setting

_SET_CHILD_SUBREAPER = 36
"""Of ``prctl``, see linux/prctl.h."""
_PAUSE_SECONDS = 0.02
_MOST_SECONDS = 5.0
"""Time within which a process that is killed is gone, also on a busy computer."""


def adopt_orphans(adopts: bool) -> None:
    """Become the parent of all below this process whose own parent ends, or be it no longer."""
    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, int(adopts), 0, 0, 0)


def children() -> set[int]:
    """Return the processes whose parent is this one."""
    processes = set()
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                # The name of the program stands in brackets, and may hold anything.
                parent = (folder / "stat").read_bytes().rpartition(b")")[2].split()[1]
                if int(parent) == os.getpid():
                    processes.add(int(folder.name))
    return processes


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


_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class _End(msgspec.Struct):
    """How a run ended: its status, and the sentences of a ``UsageError``."""

    status: int
    errors: list[str] = []


def can_have_a_child(config: pytest.Config) -> bool:
    """Tell whether a copy of this process can do its work.

    Plugins that a program hands over are to see the run, as those of ``pytester`` in process. Workers of xdist are
    children already. A fork beside other threads, such as a debugger's, may never end.
    """
    return (
        sys.platform == "linux"
        and not config.invocation_params.plugins
        and not hasattr(config, "workerinput")
        and threading.current_thread() is threading.main_thread()
        and threading.active_count() == 1
    )


def status_of_a_child(config: pytest.Config, plugin: object) -> int:
    """Return the status of what a child does in this one's place: what all plugins but one do for a command line."""
    session = config.pluginmanager.subset_hook_caller("pytest_cmdline_main", [plugin])
    end = run_in_a_child(lambda: session(config=config))
    if isinstance(end, int):
        return end
    from .conclusion import HARNESS_ERROR
    from .report_folder import ReportFolder

    with contextlib.closing(ReportFolder()) as folder:
        folder.take(config)
    target = setting(config, "numa_target")
    line = f"numa-conformance: the run ended without a verdict ({end}), so nothing is said of {target}"
    sys.stderr.write(f"\n{printable(line)}\n")  # behind the dots of pytest, a line of its own
    return HARNESS_ERROR


def run_in_a_child(run: Callable[[], object]) -> int | str:
    """Return the status with which the run ended, or how it ended where it told none; raises its ``UsageError``."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    others = children()
    with tempfile.TemporaryFile() as record:
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, (*_ENDING, signal.SIGCHLD))
        try:
            if signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # whoever ignores it learns of no child's end
            adopt_orphans(True)
            parent, child = os.getpid(), os.fork()
            if child == 0:
                die_with(parent)
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)
                # Whoever called pytest in the child is left by an exception, so that coverage is saved on the way.
                raise SystemExit(_status_on_record(run, record))
            code = _wait(child)
            end_orphans(others)
            _keep_coverage()
            adopt_orphans(False)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        record.seek(0)
        try:
            end = msgspec.json.decode(record.read(), type=_End)
        except msgspec.DecodeError:
            return f"signal {-code}" if code < 0 else f"exit status {code}"
    if end.errors:
        raise pytest.UsageError(*end.errors)
    return end.status


def _keep_coverage() -> None:
    """Have coverage add to what the child has saved: otherwise it begins the file anew at the end of this process."""
    coverage = sys.modules.get("coverage")
    measuring = coverage.Coverage.current() if coverage is not None else None
    if measuring is not None:
        measuring.load()


def _status_on_record(run: Callable[[], object], record: BinaryIO) -> int:
    """Run, and write down how it ended; what no exception of pytest ends is written nowhere."""
    try:
        status = run()
        assert isinstance(status, int)
        end = _End(int(status))
    except pytest.UsageError as error:
        end = _End(int(pytest.ExitCode.USAGE_ERROR), [str(each) for each in error.args])
    record.write(msgspec.json.encode(end))
    record.flush()
    return end.status


def _wait(child: int) -> int:
    """Wait for the end of a child, and pass on what other processes signal; a terminal signals to both by itself."""
    while True:
        info = signal.sigwaitinfo((*_ENDING, signal.SIGCHLD))
        process, status = os.waitpid(child, os.WNOHANG)
        if process:
            return os.waitstatus_to_exitcode(status)
        if info.si_signo != signal.SIGCHLD and info.si_code <= 0 and info.si_pid != child:
            os.kill(child, info.si_signo)


_SECONDS = 30.0
"""Time that other plugins may take for what they do at the very end."""


class Ending:
    """Waits, beside the run, for the interpreter to begin to end, and then only so long.

    A thread that is no daemon, or a function given to ``atexit``, keeps a process for ever. A program that calls pytest
    and goes on afterwards is not disturbed: its interpreter does not end.
    """

    def __init__(self, seconds: float = _SECONDS) -> None:
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
        """Leave out places without a line, where a signal may fall: pytest ends with a TypeError on them."""
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
        self.__exit__()
