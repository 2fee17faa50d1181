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
from .cases import case_id, requirements_of

_LONGEST = 300
"""Characters of what is wrong that are printed."""


class FirstFinding:
    """Prints the first finding that will fail a case, once; quiet with ``-q -q``."""

    def __init__(self, config: pytest.Config, known: KnownFailures) -> None:
        self._config, self._known = config, known
        self._cases: dict[str, str] = {}
        config.pluginmanager.register(self)  # so it learns which cases run

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Take note of the cases that generated conversations can fail."""
        if self._config.option.verbose > -2:
            items = [item for item in session.items if item.get_closest_marker("conversations") is not None]
            self._cases = {name: case_id(item) for item in items for name in requirements_of(item)}

    def __call__(self, verdicts: HistoryVerdicts) -> None:
        """Take what came of a history."""
        first = next(filter(self._fails, verdicts.broken), None) if self._cases else None
        if first is not None:
            self._cases.clear()
            self._print(first)

    def _fails(self, broken: Broken) -> bool:
        name = broken.requirement
        case = self._cases.get(name)
        if case is None or REQUIREMENTS[name].strength != "MUST":
            return False
        return not self._known.covers(case, [name], [broken.history.head.machine.name])

    def _print(self, broken: Broken) -> None:
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        capture = self._config.pluginmanager.get_plugin("capturemanager")
        if reporter is None:
            return
        head, wrong = broken.history.head, broken.violation
        words = ", ".join(filter(None, (wrong.why, wrong.got and f"got {wrong.got}")))
        why = words if len(words) <= _LONGEST else f"{words[:_LONGEST]}..."
        with capture.global_and_fixture_disabled() if capture is not None else contextlib.nullcontext():
            reporter.write("\n")  # behind the dots of pytest, a line of its own
            reporter.write_line(printable(f"first finding, on {head.machine.name}: {broken.requirement}: {why}"))


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
