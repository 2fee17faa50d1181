"""Tests that search at random, and the time that each of them has."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

import pytest
from hypothesis import is_hypothesis_test


class SharedTime:
    """The time that all tests that search at random have together, in equal shares."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        """Take the seconds of all tests together."""
        self._seconds = seconds
        self._clock = clock
        self._share = 0.0

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Share the time among the tests that will search."""
        self._share = self._seconds / max(waiting(session.items), 1)


def searches(item: pytest.Item) -> bool:
    """Tell whether a test searches at random."""
    return is_hypothesis_test(getattr(item, "obj", None)) or item.get_closest_marker("searches") is not None


def waiting(items: Iterable[pytest.Item]) -> int:
    """Return how many tests will search at random."""
    return sum(searches(item) and item.get_closest_marker("skip") is None for item in items)


def call(item: pytest.Function) -> None:
    """Call a test with its fixtures."""
    item.obj(**{name: item.funcargs[name] for name in item._fixtureinfo.argnames})
