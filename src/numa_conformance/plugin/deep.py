"""A long search: the generated groups with further seeds, and how far it is, for the person at the terminal."""

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from datetime import timedelta
from itertools import count
from typing import TextIO

from ..judging.verdicts import HistoryVerdicts

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
