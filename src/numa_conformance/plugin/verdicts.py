"""The verdict of a case, sent along with pytest's report of it; errors of the target's making are the target's."""

from collections.abc import Generator
from functools import partial
from typing import cast

import msgspec
import pytest

from ..asking.findings.findings import Finding
from ..asking.findings.telling import CaseReport
from ..asking.groups import groups_of
from ..chapters import REQUIREMENTS
from ..errors import CpuSetSyntaxError
from ..judging.departures import TOGETHER, Causes
from ..judging.verdicts import ANSWERED
from ..printable import listed, printable
from ..report.case import NOT_JUDGED, OUTSIDE, SILENT_CASES, UNMET, Case, Verdict, file_of, with_history
from ..report.reference_answers import quirks_in_history, quirks_in_scenario, with_reference
from ..sources.quirks import QUIRKS
from ..wire import BadReply, TargetFault
from .cases import CASE, TALLY
from .run import RUN, Run
from .spending import NO_TIME

CASE_PROPERTY = "numa_case"
"""The property of a report that holds the case as JSON."""
MOST_MACHINES = 5
"""Machines that are named as those on which a failure shows."""
_named = partial(listed, most=MOST_MACHINES, sign="; ", what=" machines")


class VerdictHooks:
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
            item.stash[CASE] = case = _concluded(item, verdict, report, call, item.config.stash[RUN])
            text = report.longreprtext  # a whole traceback has words of the target
            if printable(text) != text:  # else it stays pytest's own, with colours
                report.longrepr = printable(text)
            report.sections = [(name, printable(printed)) for name, printed in report.sections]
        if report.when == "call" or verdict is not None:
            report.user_properties.append((CASE_PROPERTY, case.to_json()))
        return report


def _verdict(report: pytest.TestReport, call: pytest.CallInfo[None]) -> Verdict | None:
    if call.excinfo is None:
        return "passed" if report.when == "call" else None
    error = as_the_targets(call.excinfo.value)
    if isinstance(error, Finding):
        return "failed"
    if isinstance(error, TargetFault):
        return cast(Verdict, error.verdict)
    unjudged = "not judged" if str(error).startswith(NOT_JUDGED) else "not claimed"
    return cast(Verdict, unjudged if report.skipped else "error")


def _concluded(
    item: pytest.Item, verdict: Verdict, report: pytest.TestReport, call: pytest.CallInfo[None], run: Run
) -> Case:
    """Return the case with its verdict and all that is told of it; changes what pytest reports accordingly."""
    raised = call.excinfo.value if call.excinfo else None
    error = as_the_targets(raised) if raised else None
    asking = item.stash.get(TALLY, None)
    case = _of_what_is_broken(with_history(item.stash[CASE], asking, run.report), error)
    if asking is not None and run.keeps_histories and case.judges_conversations:
        groups = groups_of(case.requirements[0], run.surfaces, run.claimed)
        case = msgspec.structs.replace(case, conversations=[file_of(group) for group in groups])
    details = "" if error is None else _details(error, asking)
    if verdict == "not claimed" and not details.startswith((NO_TIME, OUTSIDE)):
        details = ""
    causes = _departures(case, error, asking, run) if verdict in UNMET else None
    if causes is not None:
        case = msgspec.structs.replace(case, quirks=list(causes))
        named = [", ".join(f"{name}: {QUIRKS[name].summary}" for name in cause.split(TOGETHER)) for cause in causes]
        details += "\nthe kubelet departs here too: " + "; ".join(f"quirk {cause}" for cause in named)
    scenario = None  # or the conversation that led to a finding, with the reference's answers beside the target's
    if isinstance(error, Finding) and error.scenario:
        scenario = with_reference(error.scenario, run.level, run.profile.version)
    if isinstance(error, Finding) and error.marks:
        case = msgspec.structs.replace(case, marks=error.marks)
    if verdict in (*UNMET, "not judged") and run.known.covers(case.id, case.requirements, case.machines):
        verdict = "expected failure"
        report.outcome = "skipped"
        report.wasxfail = run.known.reason(case.id, case.requirements)
    elif verdict == "passed" and run.known.names(case.id, case.requirements):
        verdict = "unexpectedly passed"
    elif verdict == "failed" and {REQUIREMENTS[name].strength for name in case.requirements} == {"SHOULD"}:
        verdict = "not followed"
        report.outcome = "skipped"
        report.wasxfail = "a recommendation that is not followed"
    elif verdict in SILENT_CASES or (verdict in UNMET and run.client.record.is_absent):
        report.outcome = "skipped"
        report.longrepr = report.longrepr if isinstance(report.longrepr, tuple) else ("", 0, verdict)
    elif verdict in UNMET and not item.config.getoption("fulltrace"):
        report.longrepr = details
    return msgspec.structs.replace(case, verdict=verdict, details=details, scenario=scenario)


def _of_what_is_broken(case: Case, error: BaseException | None) -> Case:
    """Leave out the requirements of a case that a finding is not about: they were met where it was found."""
    broken = [name for name in case.requirements if isinstance(error, Finding) and name in error.requirements]
    return msgspec.structs.replace(case, requirements=broken) if broken else case


def _details(error: BaseException, asking: CaseReport | None) -> str:
    lines = [error.in_words if isinstance(error, Finding) else str(error)]
    if asking is not None and asking.history is not None:
        if len(asking.machines) > 1:
            lines.append(f"fails on: {_named(asking.machines)}")
        if asking.known:
            lines.append(f"known on: {_named(asking.known)}")
        if asking.repetitions is not None and asking.repetitions[0] < asking.repetitions[1]:
            lines.append("comes and goes: failed {} of {} times".format(*asking.repetitions))
        if asking.other_requirements:
            lines.append(f"with it: {', '.join(asking.other_requirements)}")
    return printable("\n".join(lines))


def _departures(case: Case, error: BaseException | None, asking: CaseReport | None, run: Run) -> Causes | None:
    """Return the quirks by which the kubelet departs as the target does; None where none does, or nobody asks."""
    if run.level != "documented" or error is None:
        return None
    if asking is not None:
        broken = ANSWERED if isinstance(error, TargetFault) else case.requirements[0]
        return None if asking.history is None else quirks_in_history(asking.history, broken)
    if not isinstance(error, Finding) or not error.scenario:
        return None
    return quirks_in_scenario(error.scenario, run.profile.version, run.client.untold)


def as_the_targets(error: BaseException) -> BaseException:
    """Return a fault of the target where an error is of its making."""
    return BadReply(f"a set of CPUs cannot be read: {error}") if isinstance(error, CpuSetSyntaxError) else error
