"""``Conversation``: asks what a case wrote or drew, and lets the checkers judge it like any other conversation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from hypothesis import currently_in_test_context

from ...judging.verdicts import WELL_FORMED, judge
from ...machine import Machine
from ...wire import Client, Unsupported
from ..drive import drive
from ..findings.telling import CaseReport, finding_of, other_broken
from ..generators.scenario import Question, Scenario, Script

MOST_REFUSED = 10
"""Machines that a target does not support, after which a search that has asked nothing is given up."""


class Conversation:
    """A target, the requirements that a case checks, and the Kubernetes version asked for.

    ``tell`` takes what is known of each conversation beside the verdict; ``before`` is told each machine before it is
    asked on. Once the time of the run is ``over`` nothing is asked but what has failed, which is looked at again.
    """

    def __init__(
        self,
        client: Client,
        requirements: Sequence[str],
        version: str,
        tell: Callable[[CaseReport], None] | None = None,
        *,
        before: Callable[[Machine], None] = lambda machine: None,
        over: Callable[[], bool] = lambda: False,
    ) -> None:
        """Take them."""
        self._before, self._over = before, over
        self._has_failed = self._has_asked = False
        self._refused = 0
        self._client = client
        self._requirements = {*requirements, WELL_FORMED}
        self._version = version
        self._tell = tell or (lambda known: None)

    def __call__(self, machine: Machine, questions: Iterable[Question]) -> None:
        """Ask on a machine. Raises a ``Finding`` for the first requirement not met, ``TargetFault`` for a fault."""
        __tracebackhide__ = True
        self._before(machine)
        if self._is_over():
            return
        scenario = Scenario("case", "of the suite", machine, partial(_script, tuple(questions)))
        history, fault = drive(scenario, self._client, self._version, self._is_over)
        if isinstance(fault, Unsupported) and currently_in_test_context():
            self._refused += 1
            if self._refused < MOST_REFUSED or self._has_asked:
                return  # a search goes on with other machines
        self._has_asked |= fault is None
        if fault is not None:
            self._has_failed = True
            raise fault
        verdicts = judge(history)
        tests = max(verdicts.tests[name] for name in self._requirements)
        for broken in verdicts.broken:
            if broken.requirement in self._requirements:
                until = broken.history.until(broken.step + 1)
                report = CaseReport(tests, 1, until, 1, 1, (machine.name,), other_requirements=other_broken(broken))
                self._tell(report)
                self._has_failed = True
                raise finding_of(broken)
        self._tell(CaseReport(tests, 1))

    def _is_over(self) -> bool:
        return not self._has_failed and self._over()


def _script(questions: Iterable[Question]) -> Script:
    """Ask one after the other; a node that does not come up is asked nothing until it is started anew."""
    down = False
    for question in questions:
        if not down or question[0] == "node.start":
            answer = yield question
            down = question[0] == "node.start" and answer["result"] == "failed"
