"""Progress of a long search, for the person at the terminal."""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import TextIO

import pytest
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeElapsedColumn
from rich.text import Text

from ..protocol import Client

__all__ = ["DeepProgress"]


class DeepProgress:
    """Shows which test searches, how many questions were asked so far, and how many tests there are."""

    def __init__(self, client: Client, terminal: TextIO) -> None:
        """Take the target that is asked, and where to draw."""
        self._client = client
        self._console = Console(file=terminal, force_terminal=True, no_color=bool(os.environ.get("NO_COLOR")))
        self._done = self._total = 0

    @classmethod
    def open(cls, client: Client) -> DeepProgress | None:
        """Return a display on this process's terminal; None in CI, and where there is no terminal."""
        if os.environ.get("CI"):
            return None
        try:
            # pytest captures the standard streams while tests run.
            return cls(client, open("/dev/tty", "w", encoding="utf-8"))
        except OSError:
            return None

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Learn how many tests there are."""
        self._total = len(session.items)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Draw while a test runs."""
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), _Asked(self._client))
        with Progress(*columns, TimeElapsedColumn(), console=self._console, transient=True) as shown:
            shown.add_task(item.name, total=self._total, completed=self._done)
            try:
                return (yield)
            finally:
                self._done += 1

    def pytest_unconfigure(self) -> None:
        """Let go of the terminal."""
        self._console.file.close()


class _Asked(ProgressColumn):
    """The questions asked so far."""

    def __init__(self, client: Client) -> None:
        super().__init__()
        self._client = client

    def render(self, task: Task) -> Text:
        return Text(f"{self._client.asked:,} questions")
