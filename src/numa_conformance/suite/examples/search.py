"""``Search``: asks what was drawn at random, and lets the checkers judge it like any other conversation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from ...machine import Machine
from ...protocol import Client
from ..asking.drive import drive
from ..checkers.verdicts import WELL_FORMED, judge
from ..generators.scenario import Question, Scenario, ask_all
from ..telling.telling import finding_of

__all__ = ["Search"]


class Search:
    """A target, the requirements that a case checks, and the Kubernetes version asked for.

    Once the time of the run is ``over`` nothing is asked but what has failed: that is looked at again.
    """

    def __init__(
        self, client: Client, requirements: Sequence[str], version: str, over: Callable[[], bool] = lambda: False
    ) -> None:
        """Take them."""
        self._over = over
        self._has_failed = False
        self._client = client
        self._requirements = {*requirements, WELL_FORMED}
        self._version = version

    def __call__(self, machine: Machine, questions: Iterable[Question]) -> None:
        """Ask on a machine. Raises a ``Finding`` for the first requirement not met, ``TargetFault`` for a fault."""
        __tracebackhide__ = True
        if self._is_over():
            return
        scenario = Scenario("search", "drawn at random", machine, partial(ask_all, tuple(questions)))
        history, fault = drive(scenario, self._client, self._version, self._is_over)
        if fault is not None:
            self._has_failed = True
            raise fault
        for broken in judge(history).broken:
            if broken.requirement in self._requirements:
                self._has_failed = True
                raise finding_of(broken)

    def _is_over(self) -> bool:
        return not self._has_failed and self._over()
