"""The time that ``--numa-budget`` gives a run: how much is left, for which cases."""

import math
import time
from collections.abc import Callable

import pytest

from .cases import CASE

CONVERSATIONS, TELLING, BY_HAND = 0.35, 0.2, 0.05
"""The part of a run's time that is kept for what comes after each of these; reports come last."""
BEGAN = "numa_began"
"""What tells a worker of xdist when the run began: on one machine all processes have one clock."""
NO_TIME = "not asked within the budget"
"""How the reason begins why a case was not asked for which there was no time."""


class Spending:
    """The time of a run. Waiting for a target counts as deciding does; without seconds there is no end to it."""

    def __init__(
        self, seconds: float | None = None, clock: Callable[[], float] = time.monotonic, began: float | None = None
    ) -> None:
        self.seconds = seconds
        self._clock = clock
        self.began = clock() if began is None else began

    @property
    def spent(self) -> float:
        """Seconds since it began."""
        return self._clock() - self.began

    def left(self, reserve: float = 0.0) -> float:
        """Return the seconds that are left but for a part of all that is kept for later; 0 where nothing is."""
        return math.inf if self.seconds is None else max(0.0, self.seconds * (1 - reserve) - self.spent)


class ShortCases:
    """Leaves cases written by hand out once only what is kept for reports is left."""

    def __init__(self, spending: Spending) -> None:
        self._spending = spending

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> None:
        """Skip a case for which there is no time."""
        if turn(pyfuncitem) == 1 and not self._spending.left(BY_HAND):
            pytest.skip(NO_TIME)


def turn(item: pytest.Item) -> int:
    """Return when a test comes: generated conversations first, then cases by hand, and tests of the user last."""
    if item.get_closest_marker("generated") is not None:
        return 0
    return 1 if CASE in item.stash else 2
