"""The first requirement that a target does not meet, printed while the run goes on."""

from __future__ import annotations

import contextlib

import pytest

from ..asking.known_failures import KnownFailures
from ..chapters import REQUIREMENTS
from ..judging.verdicts import Broken, HistoryVerdicts
from ..printable import printable
from ..report.case import Case
from .cases import case_id, requirements_of

_LONGEST = 300
"""Characters of what is wrong that are printed."""


class FirstFinding:
    """Prints the first finding that will fail a case, once; quiet with ``-q -q``."""

    def __init__(self, config: pytest.Config, known: KnownFailures) -> None:
        self._config, self._known = config, known
        self._cases: dict[str, str] = {}
        self._is_due = config.option.verbose > -2
        config.pluginmanager.register(self)  # so it learns which cases run

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Take note of the cases that generated conversations can fail."""
        items = [item for item in session.items if item.get_closest_marker("conversations") is not None]
        self._cases = {name: case_id(item) for item in items for name in requirements_of(item)}

    def __call__(self, verdicts: HistoryVerdicts) -> None:
        """Take what came of a history."""
        first = next(filter(self._fails, verdicts.broken), None) if self._is_due else None
        if first is not None:
            words = ", ".join(filter(None, (first.violation.why, first.violation.got and f"got {first.violation.got}")))
            self._print(f"on {first.history.head.machine.name}", first.requirement, words)

    def of_case(self, case: Case) -> None:
        """Take a case that has failed, such as one of a host."""
        demanded = [name for name in case.requirements if REQUIREMENTS[name].strength == "MUST"]
        if self._is_due and demanded:
            self._print(f"in {case.id}", demanded[0], ", ".join(case.details.splitlines()[:2]))

    def _fails(self, broken: Broken) -> bool:
        name = broken.requirement
        case = self._cases.get(name)
        if case is None or REQUIREMENTS[name].strength != "MUST":
            return False
        return not self._known.covers(case, [name], [broken.history.head.machine.name])

    def _print(self, where: str, requirement: str, words: str) -> None:
        self._is_due = False
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        capture = self._config.pluginmanager.get_plugin("capturemanager")
        if reporter is None:
            return
        why = words if len(words) <= _LONGEST else f"{words[:_LONGEST]}..."
        with capture.global_and_fixture_disabled() if capture is not None else contextlib.nullcontext():
            reporter.write("\n")  # behind the dots of pytest, a line of its own
            reporter.write_line(printable(f"first finding, {where}: {requirement}: {why}"))
