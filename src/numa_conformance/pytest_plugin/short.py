"""Searches at random within a time: no more examples than a slow target answers in its share."""

from __future__ import annotations

import pytest
from hypothesis import Phase, settings

from .searching import SharedTime, call, searches

__all__ = ["ShortSearch"]

FEW = 3
"""Examples that are asked whatever the time; how long they take tells how many more are."""
SMALLER = 200
"""Runs for which there must be time where a failing example is to be made smaller, as Hypothesis needs them."""
_PROFILE = "numa-conformance-short"


class ShortSearch(SharedTime):
    """Has all tests that search at random together take about so many seconds.

    Where the time is enough they ask what they would without a budget: the same examples, in the same order.
    """

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool | None:
        """Call a test that searches for a few examples, and again for as many as there is time for."""
        if not searches(pyfuncitem):
            return None
        whole = settings.default
        assert whole is not None
        began = self._clock()
        failure = None
        try:
            self._call(pyfuncitem, whole, FEW, smaller=False)
        except Exception as error:
            failure = error
        took = max(self._clock() - began, 1e-6)
        if failure is not None:
            if self._may_make_smaller(took):
                self._call(pyfuncitem, whole, FEW, smaller=True)
            raise failure
        more = min(int(FEW * self._share / took), whole.max_examples)
        if more > FEW:
            self._call(pyfuncitem, whole, more, smaller=self._may_make_smaller(took))
        return True

    def _may_make_smaller(self, took: float) -> bool:
        return took / FEW * SMALLER <= self._share

    def _call(self, item: pytest.Function, whole: settings, examples: int, *, smaller: bool) -> None:
        phases = whole.phases if smaller else tuple(phase for phase in whole.phases if phase is not Phase.shrink)
        settings.register_profile(_PROFILE, whole, max_examples=examples, phases=phases)
        settings.load_profile(_PROFILE)
        try:
            call(item)
        finally:
            settings.register_profile(_PROFILE, whole)
            settings.load_profile(_PROFILE)
