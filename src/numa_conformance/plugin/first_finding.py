"""The first requirement that a target does not meet, printed while the run goes on."""

import contextlib

import pytest

from ..asking.known_failures import KnownFailures
from ..chapters import REQUIREMENTS
from ..judging.verdicts import Broken, HistoryVerdicts
from ..printable import printable
from ..wire.target_record import TargetRecord
from .cases import case_id, requirements_of

_LONGEST = 300
"""Characters of what is wrong that are printed."""


class FirstFinding:
    """Prints the first finding that will fail a case, once; quiet with ``-q -q``."""

    def __init__(self, config: pytest.Config, known: KnownFailures, record: TargetRecord) -> None:
        self._config, self._known, self._record = config, known, record
        self._cases: dict[str, str] = {}
        config.pluginmanager.register(self)  # so it learns which cases run

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Take note of the cases that generated conversations can fail."""
        if self._config.option.verbose > -2:
            items = [item for item in session.items if item.get_closest_marker("conversations") is not None]
            self._cases = {name: case_id(item) for item in items for name in requirements_of(item)}

    def __call__(self, verdicts: HistoryVerdicts) -> None:
        """Take what came of a history."""
        first = next(filter(self._fails, verdicts.broken), None) if self._cases and not self._record.is_absent else None
        if first is not None:
            self._cases.clear()
            self._print(first)

    def _fails(self, broken: Broken) -> bool:
        name = broken.requirement
        case = self._cases.get(name)
        if case is None or REQUIREMENTS[name].strength != "MUST":
            return False
        return not self._known.covers(case, [name], [broken.history.head.machine.name])

    def _print(self, broken: Broken) -> None:
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        capture = self._config.pluginmanager.get_plugin("capturemanager")
        if reporter is None:
            return
        head, wrong = broken.history.head, broken.violation
        words = ", ".join(filter(None, (wrong.why, wrong.got and f"got {wrong.got}")))
        why = words if len(words) <= _LONGEST else f"{words[:_LONGEST]}..."
        with capture.global_and_fixture_disabled() if capture is not None else contextlib.nullcontext():
            reporter.write("\n")  # behind the dots of pytest, a line of its own
            reporter.write_line(printable(f"first finding, on {head.machine.name}: {broken.requirement}: {why}"))
