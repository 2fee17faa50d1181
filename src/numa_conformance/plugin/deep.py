"""A long search: for how long each test goes on, and how far it is, for the person at the terminal."""

from __future__ import annotations

import os
import time
from collections.abc import Generator
from datetime import timedelta
from typing import TextIO

import pytest
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn
from rich.text import Text

from ..wire import Client
from .spending import SharedTime, call, searches

DEFAULT_SECONDS = 600.0
"""Of all searches of a run together, unless a budget says otherwise."""


class LongSearch(SharedTime):
    """Has each test that searches at random go on, round after round, for its share of the time."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool | None:
        """Call a test that searches until its time is spent, once at least; what fails ends it."""
        if not searches(pyfuncitem):
            return None
        until = self._clock() + self._share
        while True:
            call(pyfuncitem)
            if self._clock() >= until:
                return True


class DeepProgress:
    """Shows which test searches, how many questions were asked so far, and how many tests there are."""

    def __init__(self, client: Client, terminal: TextIO, seconds: float = DEFAULT_SECONDS) -> None:
        self._client = client
        self._console = Console(file=terminal, force_terminal=True, no_color=bool(os.environ.get("NO_COLOR")))
        self._done = self._total = 0
        self._of = f"of {timedelta(seconds=round(seconds))} of search"
        self._began = time.monotonic()

    @classmethod
    def open(cls, client: Client, seconds: float) -> DeepProgress | None:
        """Return a display on this process's terminal; None in CI, and where there is no terminal."""
        if os.environ.get("CI"):
            return None
        try:
            # pytest captures the standard streams while tests run.
            return cls(client, open("/dev/tty", "w", encoding="utf-8"), seconds)
        except OSError:
            return None

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Learn how many tests there are."""
        self._total = len(session.items)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Draw while a test runs."""
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), _Questions(self._client))
        times = (_Elapsed(self._began), TextColumn(self._of))
        with Progress(*columns, *times, console=self._console, transient=True) as shown:
            shown.add_task(item.name, total=self._total, completed=self._done)
            try:
                return (yield)
            finally:
                self._done += 1

    def pytest_unconfigure(self) -> None:
        """Let go of the terminal."""
        self._console.file.close()


class _Elapsed(ProgressColumn):
    def __init__(self, began: float) -> None:
        super().__init__()
        self._began = began

    def render(self, task: Task) -> Text:
        return Text(str(timedelta(seconds=int(time.monotonic() - self._began))))


class _Questions(ProgressColumn):
    def __init__(self, client: Client) -> None:
        super().__init__()
        self._client = client

    def render(self, task: Task) -> Text:
        return Text(f"{self._client.questions:,} questions")
