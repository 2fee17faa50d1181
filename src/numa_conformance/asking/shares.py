"""Asking one target in several processes: each makes one more, drives its share of a group, and judges it.

What they find is taken in the order of the scenarios, as if one had been asked after the other.
"""

import contextlib
import os
import pickle
import signal
import sys
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

from ..judging.telling import add_up
from ..judging.verdicts import HistoryVerdicts, judge
from ..wire import Client
from ..wire.faults import TargetFault, Unsupported
from ..wire.history.history import History
from ..wire.target_record import TargetRecord
from ..wire.termination import die_with
from .drive import drive
from .generators.scenario import Scenario

Driven = tuple["History | None", HistoryVerdicts, "TargetFault | None"]
"""A history, where somebody looks at it again, what came of it, and the fault that ended it."""
_MOST = 8
_ENDING = (signal.SIGTERM, signal.SIGHUP)
_PATIENCE, _PAUSE = 5.0, 0.01
"""Seconds within which a target is closed, and between two looks whether it is."""


def idle_cpus() -> int:
    """Return how many CPUs this process can use that nobody else uses now, at least 1 and at most ``_MOST``."""
    with open("/proc/loadavg", encoding="ascii") as load:
        running = int(load.read().split()[3].partition("/")[0])
    return max(1, min(_MOST, len(os.sched_getaffinity(0)) - running + 1))


class Shares:
    """The processes of a run. They are copies of this one, made at the first question, and end with it.

    ``only``: the requirements to judge a group by; all by default.
    """

    def __init__(
        self,
        number: int,
        another: Callable[[], Client],
        scenarios: Callable[[str, int], Sequence[Scenario]],
        version: str,
        only: Callable[[str], frozenset[str] | None] = lambda group: None,
    ) -> None:
        self._number, self._another, self._scenarios = number, another, scenarios
        self._version, self._only = version, only
        self._processes: list[tuple[int, Connection]] = []
        self._is_tried = False

    def can_ask(self) -> bool:
        """Tell whether the processes are up: not beside threads that a copy would lack, or where one has no target."""
        if not self._is_tried:
            self._is_tried = True
            if sys.platform == "linux" and not _foreign_threads():
                self._start()
                if not all(self._receive(number) for number in range(len(self._processes))):
                    self.close()
        return bool(self._processes)

    def results(
        self, group: tuple[str, int], part: slice, record: TargetRecord, most_faults: int, *, whole: bool
    ) -> Iterator[Driven | None]:
        """Yield what came of each scenario in a part of a group and seed, in order; ``record`` learns what is stated.

        None: not asked, as so many of its generator ended in a fault. ``whole``: with each history, not those alone
        that show what is broken.
        """
        for _, pipe in self._processes:
            pipe.send((group, part, most_faults, whole))
        for number in range(part.stop - part.start):
            result = self._receive(number % self._number)
            if isinstance(result, Exception):
                raise result
            driven, statements = result or (None, None)
            if statements is not None:
                record.also(statements)
            yield driven

    def close(self) -> None:
        """End them; each closes its target."""
        for process, pipe in self._processes:
            pipe.close()
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGTERM)
        for process, _ in self._processes:
            _gone(process)
        self._processes.clear()

    def _start(self) -> None:
        parent = os.getpid()
        for number in range(self._number):
            ours, theirs = Pipe()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # our own threads wait, and hold nothing
                process = os.fork()
            if process == 0:
                try:
                    self._live(theirs, ours, number, parent)
                finally:  # a copy must never go on as the run
                    os._exit(os.EX_SOFTWARE)
            theirs.close()
            self._processes.append((process, ours))

    def _receive(self, number: int) -> Any:
        process, pipe = self._processes[number]
        try:
            return pipe.recv()
        except (EOFError, OSError):
            code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
            self._processes.pop(number)
            self.close()
            raise RuntimeError(f"a process that asks has ended with status {code}") from None

    def _live(self, pipe: Connection, ours: Connection, number: int, parent: int) -> None:
        try:
            with contextlib.suppress(EOFError, BrokenPipeError, SystemExit, KeyboardInterrupt):
                self._work(pipe, ours, number, parent)
            os._exit(os.EX_OK)
        except SystemExit:  # the signal that ends it came at the last instruction
            os._exit(os.EX_OK)

    def _work(self, pipe: Connection, ours: Connection, number: int, parent: int) -> None:
        """Ask what is wanted until nobody wants more."""
        for other in (*(pipe for _, pipe in self._processes), ours):
            other.close()
        _obey(parent)
        try:
            client = self._another()
        except Exception:
            pipe.send(False)
            return
        faults = defaultdict[tuple[str, int], Counter[str]](Counter)
        telling = Counter[tuple[str, str]]()
        with contextlib.closing(client):
            pipe.send(True)
            while True:
                group, part, most_faults, whole = pipe.recv()
                share = self._scenarios(*group)[part][number :: self._number]
                only = self._only(group[0])
                self._drive(pipe, client, share, faults[group], most_faults, telling, only, whole=whole)

    def _drive(
        self,
        pipe: Connection,
        client: Client,
        scenarios: Sequence[Scenario],
        faults: Counter[str],
        most_faults: int,
        telling: Counter[tuple[str, str]],
        only: frozenset[str] | None,
        *,
        whole: bool,
    ) -> None:
        for scenario in scenarios:
            if faults[scenario.generator] >= most_faults:
                pipe.send(None)
                continue
            try:
                history, fault = drive(scenario, client, self._version)
                verdicts = judge(history, telling, only)
                add_up(telling, verdicts.telling)
                keeps = whole or fault is not None or verdicts.broken
                driven = history if keeps else None, verdicts, fault
                pipe.send((driven, client.record.statements))
            except Exception as error:
                pipe.send(_sendable(error))
            else:
                faults[scenario.generator] += fault is not None and not isinstance(fault, Unsupported)


def _sendable(error: Exception) -> Exception:
    try:
        copy: Exception = pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return copy


def _obey(parent: int) -> None:
    """End with the process that wants the answers, and when it says so; Ctrl-C is for that one."""
    die_with(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in _ENDING:
        signal.signal(number, _end)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)


def _end(*_: object) -> None:
    """End, once: what unwinds is not unwound again."""
    for number in _ENDING:
        signal.signal(number, signal.SIG_IGN)
    sys.exit()


def _foreign_threads() -> bool:
    """Tell whether threads run here that are not ours: a copy lacks them, and what they hold stays held."""
    return len(os.listdir("/proc/self/task")) != 1


def _gone(process: int) -> None:
    """Wait for the end of a process, and kill it where that takes long."""
    until = time.monotonic() + _PATIENCE
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(process, os.WNOHANG)[0] == 0:
            if time.monotonic() > until:
                os.kill(process, signal.SIGKILL)
            time.sleep(_PAUSE)
