"""What a person sees while a run goes on: the first finding, and how far a long search is."""

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from datetime import timedelta
from itertools import count
from typing import TextIO

import pytest

from ..asking.known_failures import KnownFailures
from ..chapters import REQUIREMENTS
from ..judging.verdicts import Broken, HistoryVerdicts
from ..printable import printable
from ..report.case import Case
from ..wire.target_record import TargetRecord
from .cases import case_id, requirements_of

_LONGEST = 300
"""Characters of what is wrong that are printed."""


class FirstFinding:
    """Prints the first finding that will fail a case, once; quiet with ``-q -q``."""

    def __init__(self, config: pytest.Config, known: KnownFailures, record: TargetRecord) -> None:
        self._config, self._known, self._record = config, known, record
        self._cases: dict[str, str] = {}
        self._is_due = config.option.verbose > -2
        config.pluginmanager.register(self)  # so it learns which cases run

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Take note of the cases that generated conversations can fail."""
        items = [item for item in session.items if item.get_closest_marker("generated") is not None]
        self._cases = {name: case_id(item) for item in items for name in requirements_of(item)}

    def __call__(self, verdicts: HistoryVerdicts) -> None:
        """Take what came of a history."""
        first = (
            next(filter(self._fails, verdicts.broken), None) if self._is_due and not self._record.is_absent else None
        )
        if first is not None:
            words = ", ".join(filter(None, (first.violation.why, first.violation.got and f"got {first.violation.got}")))
            self._print(f"on {first.history.head.machine.name}", first.requirement, words)

    def of_case(self, case: Case) -> None:
        """Take a case that has failed, such as one of a host."""
        demanded = [name for name in case.requirements if REQUIREMENTS[name].strength == "MUST"]
        if self._is_due and demanded and not self._record.is_absent:
            self._print(f"in {case.id}", demanded[0], ", ".join(case.details.splitlines()[:2]))

    def _fails(self, broken: Broken) -> bool:
        name = broken.requirement
        case = self._cases.get(name)
        if case is None or REQUIREMENTS[name].strength != "MUST":
            return False
        return not self._known.covers(case, [name], [broken.history.head.machine.name])

    def _print(self, where: str, requirement: str, words: str) -> None:
        self._is_due = False
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        capture = self._config.pluginmanager.get_plugin("capturemanager")
        if reporter is None:
            return
        why = words if len(words) <= _LONGEST else f"{words[:_LONGEST]}..."
        with capture.global_and_fixture_disabled() if capture is not None else contextlib.nullcontext():
            reporter.write("\n")  # behind the dots of pytest, a line of its own
            reporter.write_line(printable(f"first finding, {where}: {requirement}: {why}"))


DEFAULT_SECONDS = 600.0
"""Of all further seeds of a run together, unless a budget says otherwise."""


class LongSearch:
    """The time that further seeds have together, and a line on a terminal that tells how much of it is spent."""

    def __init__(
        self, seconds: float, terminal: TextIO | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._seconds, self._terminal, self._clock = seconds, terminal, clock
        self._began = clock()
        self._place, self._questions = "", 0

    def is_over(self) -> bool:
        """Tell whether the time is spent."""
        return self._clock() - self._began >= self._seconds

    def rounds(self, groups: Iterable[str]) -> Iterator[tuple[str, int]]:
        """Yield all groups with seed 1, then with seed 2, and so on until the time is over."""
        self._began = self._clock()
        rounds = ((name, seed) for seed in count(1) for name in groups)
        self._write("\n")  # behind the dots of pytest, a line of its own
        for name, seed in rounds:
            if self.is_over():
                break
            self._place = f"seed {seed}, {name}"
            yield name, seed
        self._write("\r\x1b[K")

    def notice(self, verdicts: HistoryVerdicts) -> None:
        """Draw how far it is after one more history; nothing before the first round."""
        self._questions += verdicts.steps
        if not self._place:
            return
        spent, whole = (timedelta(seconds=int(each)) for each in (self._clock() - self._began, self._seconds))
        self._write(f"\r\x1b[K{self._place}: {self._questions:,} questions, {spent} of {whole}")

    def _write(self, text: str) -> None:
        if self._terminal is not None:
            self._terminal.write(text)
            self._terminal.flush()


def terminal_of_a_person() -> AbstractContextManager[TextIO | None]:
    """Open this process's terminal; none in CI, in a worker of xdist, and where there is no terminal."""
    if not (os.environ.get("CI") or os.environ.get("PYTEST_XDIST_WORKER")):
        with contextlib.suppress(OSError):
            # pytest captures the standard streams while tests run.
            return open("/dev/tty", "w", encoding="utf-8")
    return contextlib.nullcontext()
