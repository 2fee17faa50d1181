"""Several reports of one target as one: parts of the suite that ran apart."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import Fault, UsageError
from .case import Case
from .model import SILENT, Summary


def merge_reports(reports: Sequence[Summary], names: Sequence[str]) -> Summary:
    """Join reports; a case that several hold keeps its worst verdict. ``names`` are the reports' own, for errors.

    Problems of the parts stay, once each. The whole is at most *partial*: that together they are the whole suite is
    nothing a report knows. Raises ``UsageError`` for reports of different targets or levels, naming each.
    """
    if not reports:
        raise UsageError(Fault("report merge", "there is no report to merge", "one or more"))
    first = reports[0]
    faults = [
        Fault(name, f"is of {_who(report)}", f"{_who(first)}, as in {names[0]}")
        for name, report in zip(names, reports, strict=True)
        if (report.target, report.level) != (first.target, first.level)
    ]
    if faults:
        raise UsageError(faults)
    cases: dict[str, Case] = {}
    for report in reports:
        for case in report.cases:
            known = cases.get(case.id)
            if known is None or case.badness > known.badness:
                cases[case.id] = case
    problems = list(dict.fromkeys(problem for report in reports for problem in report.problems))
    silent = next((verdict for verdict in SILENT if any(report.verdict == verdict for report in reports)), "")
    if len(reports) == 1:
        return first
    complete = all(report.complete for report in reports)
    return Summary.concluded(
        first.target, first.level, "", cases.values(), problems, narrowed=True, silent=silent, complete=complete
    )


def _who(summary: Summary) -> str:
    target = summary.target
    return f"{target.name} {target.version} (Kubernetes {target.kubernetes}, level {summary.level})"
