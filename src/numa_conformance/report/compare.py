"""Several reports: what changed between two, runs of one target in the order of their dates, parts joined."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import msgspec

from ..errors import Fault, UsageError
from .case import UNMET, Case
from .circumstances import Circumstances
from .claims import NOT_ASKED, SILENT
from .model import Summary

_MET = ("passed", "unexpectedly passed")
_UNMET = (*UNMET, "not judged", "expected failure", "error")


@dataclass(frozen=True, slots=True)
class CaseChange:
    """A case whose verdict is another one; None where a report lacks it."""

    id: str
    requirements: tuple[str, ...]
    before: str | None
    after: str | None

    def __str__(self) -> str:
        return f"{self.id}: {self.before or 'absent'} -> {self.after or 'absent'} ({', '.join(self.requirements)})"


@dataclass(frozen=True, slots=True)
class ReportComparison:
    """Changes by kind, in the order of case ids. ``changed``: neither ``regressed`` from met nor ``fixed`` to met."""

    regressed: tuple[CaseChange, ...]
    fixed: tuple[CaseChange, ...]
    changed: tuple[CaseChange, ...]
    new: tuple[CaseChange, ...]
    gone: tuple[CaseChange, ...]

    def lines(self) -> list[str]:
        """Return the changes for a person, the worst first."""
        lines = []
        for kind in ("regressed", "gone", "changed", "new", "fixed"):
            if changes := getattr(self, kind):
                lines += [f"{kind} ({len(changes)}):", *(f"  {change}" for change in changes)]
        return lines or ["no verdict differs"]


def compare_reports(before: Summary, after: Summary) -> ReportComparison:
    """Compare by case id, never by place in a file."""
    old, new = ({case.id: case for case in report.cases} for report in (before, after))
    both = [(old[name], new[name]) for name in sorted(old.keys() & new.keys())]
    moved = [(case, later) for case, later in both if case.verdict != later.verdict]
    regressed = [pair for pair in moved if pair[0].verdict in _MET and pair[1].verdict in _UNMET]
    fixed = [pair for pair in moved if pair[0].verdict in _UNMET and pair[1].verdict in _MET]
    rest = [pair for pair in moved if pair not in regressed and pair not in fixed]
    return ReportComparison(
        regressed=tuple(_change(*pair) for pair in regressed),
        fixed=tuple(_change(*pair) for pair in fixed),
        changed=tuple(_change(*pair) for pair in rest),
        new=tuple(_change(None, new[name]) for name in sorted(new.keys() - old.keys())),
        gone=tuple(_change(old[name], None) for name in sorted(old.keys() - new.keys())),
    )


def _change(before: Case | None, after: Case | None) -> CaseChange:
    known = after or before
    assert known is not None
    verdicts = (case.verdict if case else None for case in (before, after))
    return CaseChange(known.id, tuple(known.requirements), *verdicts)


def merge_reports(reports: Sequence[Summary], names: Sequence[str]) -> Summary:
    """Join reports; a case that several hold keeps its worst verdict. ``names`` are the reports' own, for errors.

    Problems of the parts stay, once each. The whole is at most *partial*: that together they are the whole suite is
    nothing a report knows. Raises ``UsageError`` for reports of different targets, levels or versions of the suite.
    """
    if not reports:
        raise UsageError(Fault("report merge", "there is no report to merge", "one or more"))
    first = reports[0]
    faults = [
        Fault(name, f"is of {_who(report)}", f"{_who(first)}, as in {names[0]}")
        for name, report in zip(names, reports, strict=True)
        if (report.target, report.level, report.suite) != (first.target, first.level, first.suite)
    ]
    if faults:
        raise UsageError(faults)
    cases: dict[str, Case] = {}
    for report in reports:
        for case in report.cases:
            cases[case.id] = max(cases.get(case.id, case), case, key=lambda known: known.badness)
    problems = list(dict.fromkeys(problem for report in reports for problem in report.problems))
    verdicts = [report.verdict for report in reports]
    silent = next((each for each in SILENT if each in verdicts and (each != NOT_ASKED or {*verdicts} == {each})), "")
    if len(reports) == 1:
        return first
    complete = all(report.complete for report in reports)
    whole = Summary.concluded(
        first.target, first.level, "", cases.values(), problems, narrowed=True, silent=silent, complete=complete
    )
    missing = sum(report.planned - len(report.cases) for report in reports)
    return msgspec.structs.replace(whole, suite=first.suite, planned=whole.planned + missing)


def _who(summary: Summary) -> str:
    target = summary.target
    suite = f"level {summary.level}, numa-conformance {summary.suite}"
    return f"{target.name} {target.version} (Kubernetes {target.kubernetes}, {suite})"


@dataclass(frozen=True, slots=True)
class Column:
    """A report of the matrix: with the address of its page, empty where there is none, and when it was made."""

    report: Summary
    page: str = ""
    run: Circumstances | None = None


@dataclass(frozen=True, slots=True)
class DatedReport:
    """A report whose date is known, and what changed since the one before it; None for the first."""

    column: Column
    since: ReportComparison | None


def over_time(columns: Sequence[Column]) -> dict[str, list[DatedReport]]:
    """Return by target and level the reports that have dates, oldest first, of all that have more than one."""
    dated: dict[str, list[Column]] = {}
    for column in columns:
        if column.run is not None:
            dated.setdefault(f"{column.report.target.name}, level {column.report.level}", []).append(column)
    return {name: _moments(those) for name, those in dated.items() if len(those) > 1}


def _moments(columns: Sequence[Column]) -> list[DatedReport]:
    ordered = sorted(columns, key=lambda column: column.run.began if column.run else "")
    later = [DatedReport(after, compare_reports(before.report, after.report)) for before, after in pairwise(ordered)]
    return [DatedReport(ordered[0], None), *later]
