"""The verdict of a case, sent along with pytest's report of it."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, cast

import pytest

from ..protocol import TargetFault
from ..report.beside_reference import with_reference
from ..report.model import UNMET, Case, Verdict
from ..report.text import told_scenario
from ..suite.findings import Finding
from ..suite.requirements import REQUIREMENTS
from .cases import CASE
from .run import RUN, Run

__all__ = ["CASE_PROPERTY", "Verdicts"]

CASE_PROPERTY = "numa_case"
"""The property of a report that holds the case as JSON."""


class Verdicts:
    """Names the verdict of each case as soon as one of its phases decides it."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Add the case to the report of a phase."""
        report = yield
        case = item.stash.get(CASE, None)
        if case is None:
            return report
        verdict = _verdict(report, call)
        if verdict is not None:
            item.stash[CASE] = case = _concluded(case, verdict, report, call, item.config.stash[RUN])
        if report.when == "call" or verdict is not None:
            report.user_properties.append((CASE_PROPERTY, case.to_json()))
        return report


def _verdict(report: pytest.TestReport, call: pytest.CallInfo[None]) -> Verdict | None:
    """Return what a phase says; None for a setup or teardown with nothing to say."""
    if call.excinfo is None:
        return "passed" if report.when == "call" else None
    error = call.excinfo.value
    if isinstance(error, Finding):
        return "failed"
    if isinstance(error, TargetFault):
        return cast(Verdict, error.verdict)
    return "not claimed" if report.skipped else "error"


def _concluded(case: Case, verdict: Verdict, report: pytest.TestReport, call: pytest.CallInfo[None], run: Run) -> Case:
    """Return the case with its verdict and all that is told of it; changes what pytest reports accordingly."""
    error = call.excinfo.value if call.excinfo else None
    details = "" if error is None or verdict == "not claimed" else str(error)
    scenario = _beside_reference(error, run)
    if verdict in UNMET and run.known.covers(case.requirements):
        verdict = "expected failure"
        report.outcome = "skipped"
        report.wasxfail = run.known.reason(case.requirements)
    elif verdict in UNMET and _only_recommended(case):
        verdict = "not followed"
        report.outcome = "skipped"
        report.wasxfail = "a recommendation that is not followed"
    elif verdict == "not claimed":
        report.outcome = "skipped"
        report.longrepr = report.longrepr if isinstance(report.longrepr, tuple) else ("", 0, verdict)
    elif scenario is not None:
        told = told_scenario(case.id, scenario, run.again, run.report)
        report.sections.append(("numa-conformance", told))
        details = f"{details}\n\n{told}"
    return case.with_verdict(verdict, details, scenario)


def _only_recommended(case: Case) -> bool:
    """Tell whether a case checks nothing but what the documentation recommends (SHOULD)."""
    return bool(case.requirements) and all(REQUIREMENTS[name].strength == "SHOULD" for name in case.requirements)


def _beside_reference(error: BaseException | None, run: Run) -> dict[str, Any] | None:
    """Return the conversation that led to a finding, with the reference's answers beside the target's."""
    if not isinstance(error, Finding) or not error.scenario:
        return None
    return with_reference(error.scenario, run.level, run.profile.version)
