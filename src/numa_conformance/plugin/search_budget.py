"""Searches at random within a budget: a part of the examples, or as many as a slow target answers in its time."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import ceil

import pytest
from hypothesis import Phase, settings

from .spending import NO_TIME, call, searches, waiting

LEAST = 10
"""Examples that are asked of however small a part."""

FEW = 3
"""Examples that are asked first; how long they take tells how many more are."""
SMALLER = 200
"""Runs for which there must be time where a failing example is to be made smaller, as Hypothesis needs them."""
_PROFILE = "numa-conformance-short"


class ShortSearch:
    """Gives all random searches equal shares of the time left. With enough time they ask what they always ask."""

    def __init__(self, left: Callable[[], float], clock: Callable[[], float] = time.monotonic) -> None:
        self._left, self._clock = left, clock
        self._waiting = 0

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Count the tests that will search."""
        self._waiting = waiting(session.items)

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool | None:
        """Call a test that searches for a few examples, and again for as many as there is time for."""
        whole = _examples_of(pyfuncitem)
        if whole is None:
            return None
        share = self._left() / max(self._waiting, 1)
        self._waiting -= 1
        if not share:
            pytest.skip(NO_TIME)
        began = self._clock()
        failure = None
        try:
            self._call(pyfuncitem, whole, FEW, smaller=False)
        except Exception as error:
            failure = error
        took = max(self._clock() - began, 1e-6)
        if failure is not None:
            if _may_make_smaller(took, share):
                self._call(pyfuncitem, whole, FEW, smaller=True)
            raise failure
        more = min(int(FEW * share / took), whole.max_examples)
        if more > FEW:
            self._call(pyfuncitem, whole, more, smaller=_may_make_smaller(took, share))
        return True

    def _call(self, item: pytest.Function, whole: settings, examples: int, *, smaller: bool) -> None:
        phases = whole.phases if smaller else tuple(phase for phase in whole.phases if phase is not Phase.shrink)
        _call_with(item, whole, settings(whole, max_examples=examples, phases=phases))


class PartSearch:
    """Has all tests that search at random ask a part of their examples: the same in every run."""

    def __init__(self, part: Callable[[], float]) -> None:
        self._part = part

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool | None:
        """Call a test that searches with fewer examples."""
        whole = _examples_of(pyfuncitem)
        if whole is None:
            return None
        part = max(LEAST, ceil(self._part() * whole.max_examples))
        _call_with(pyfuncitem, whole, settings(whole, max_examples=min(part, whole.max_examples)))
        return True


def _may_make_smaller(took: float, share: float) -> bool:
    return took / FEW * SMALLER <= share


def _examples_of(item: pytest.Function) -> settings | None:
    """Return how a test searches without a budget; None for one that does not search."""
    return settings.default if searches(item) else None


def _call_with(item: pytest.Function, whole: settings, for_now: settings) -> None:
    settings.register_profile(_PROFILE, for_now)
    settings.load_profile(_PROFILE)
    try:
        call(item)
    finally:
        settings.register_profile(_PROFILE, whole)
        settings.load_profile(_PROFILE)
