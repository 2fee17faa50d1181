"""The files of a report: ``report.json``, JUnit XML, a badge, the pages. Equal runs give equal files."""

import contextlib
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

from ..chapters import REQUIREMENTS
from ..errors import Fault, UsageError
from ..files import replace_text
from ..printable import printable
from .case import SCENARIO_FILES, UNMET, VERDICTS, Case, remove_other_histories, scenario_file
from .circumstances import FILE, REPORT, Circumstances
from .claims import NOT_FINISHED, NOT_JUDGED, SILENT, Target
from .html import html_page, render
from .model import Summary

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(summary: Summary) -> str:
    """Return a test suite for each area, verdicts as types; problems of the run are errors of a suite of their own."""
    areas: dict[str, list[Case]] = {}
    for case in sorted(summary.cases, key=lambda case: case.area):
        areas.setdefault(case.area, []).append(case)
    suites = [(area, Counter(map(_tag, cases)), [(*_named(case), _tag(case), case) for case in cases])
              for area, cases in areas.items()]  # fmt: skip
    problems = summary.problems or [summary.claim] * (summary.verdict in (*SILENT, "not tested"))
    text = printable(render("junit.xml", target=summary.target, suites=suites, problems=problems))
    return _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text)  # a target may answer anything


def _tag(case: Case) -> str:
    """Return the element that says what came of a case, nothing where it passed."""
    if case.verdict in ("passed", "error"):
        return case.verdict.removeprefix("passed")
    return "failure" if case.verdict in (*UNMET, "unexpectedly passed", "not judged") else "skipped"


def _named(case: Case) -> tuple[str, str]:
    """Return the group of a case, by its area and requirement, and its name: of a sentence alone that sentence."""
    name = case.id.partition("::")[2]
    known = REQUIREMENTS.get(next(iter(case.requirements), ""))
    if known is None:
        return case.area, name
    return f"{case.area}.{known.id}", known.text if f"[{known.id}]" in name else name


_COLOURS = {"conformant": "#2e7d32", "partial": "#8a5a00", "not conformant": "#b3261e"}
_OTHER = "#5f6368"
_LETTER, _PADDING = 7, 16


def badge_svg(summary: Summary) -> str:
    """Return an SVG with the verdict, passed of claimed cases, a profile's name, level and Kubernetes version."""
    left = "numa-conformance"
    right = summary.verdict
    claimed = len(summary.cases) - summary.counts["not claimed"]
    if claimed and summary.verdict != NOT_JUDGED:
        right += f" {summary.counts['passed']}/{claimed}"
    if (profile := summary.profile.partition("@")[0]) not in ("", "all"):
        right += f" ({profile})"
    right += f", {summary.level} {summary.target.kubernetes}"
    widths = [len(text) * _LETTER + _PADDING for text in (left, right)]
    claims_nothing = summary.verdict == "partial" and summary.problems
    colour = _OTHER if claims_nothing else _COLOURS.get(summary.verdict, _OTHER)
    return render("badge.svg", left=left, right=right, widths=widths, colour=colour)


MOST = 20
"""Requirements that the summary tells with what was answered; further ones are named."""
MOST_FINDING_LINES = 40
"""Lines of one finding."""
_MARKS = {"conformant": "✅", "partial": "🟡", "not conformant": "❌"}


def markdown_text(summary: Summary) -> str:
    """Return verdict, areas and what is not met, for the page of a CI system; what a target said is no markup."""
    unmet = summary.unmet()
    return render(
        "summary.md",
        summary=summary,
        mark=_MARKS.get(summary.verdict, "⚪"),
        verdicts=[verdict for verdict in VERDICTS if summary.counts.get(verdict)],
        unmet=[(name, REQUIREMENTS.get(name), *_fenced(cases)) for name, cases in list(unmet.items())[:MOST]],
        further=list(unmet)[MOST:],
        recommended=list(summary.recommendations()),
    )


def _fenced(cases: list[Case]) -> tuple[str, list[str]]:
    """Return a fence that is longer than any in what is told of a requirement, and the lines of that."""
    details = printable(next((case.details for case in cases if case.details), cases[0].verdict)).splitlines()
    more = [f"({len(details) - MOST_FINDING_LINES} more lines)"] if len(details) > MOST_FINDING_LINES else []
    longest = max((len(run) for line in details for run in re.findall("`+", line)), default=0)
    return "`" * max(3, 1 + longest), [*details[:MOST_FINDING_LINES], *more]


WRITERS: Mapping[str, Callable[[Summary], str]] = {
    REPORT: Summary.to_json,
    "junit.xml": junit_xml,
    "badge.svg": badge_svg,
}
"""Files and their texts: what is the same for the same answers, whenever and wherever they were given."""
PAGE = "index.html"


def write_reports(summary: Summary, folder: Path, circumstances: Circumstances | None = None) -> None:
    """Write a file for every writer, the page, and the scenario of every failure that has no conversation of its own.

    ``circumstances`` tell when and how the run was made; without them there is no ``run.json``, of an earlier run
    either. Scenarios of an earlier run are removed. Raises ``UsageError`` when the folder cannot be written.
    """
    texts = {file: write(summary) for file, write in WRITERS.items()}  # all of them, before one is replaced
    texts[PAGE] = html_page(summary, circumstances)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob(SCENARIO_FILES):
            old.unlink()
        for file, text in texts.items():
            replace_text(folder / file, text)
        if circumstances is None:
            (folder / FILE).unlink(missing_ok=True)
        else:
            replace_text(folder / FILE, circumstances.to_json())
        remove_other_histories(summary.cases, folder)
        for case in summary.cases:
            if case.scenario and not case.history:
                scenario = {**case.scenario, "id": case.id}
                replace_text(folder / scenario_file(case.id), json.dumps(scenario, indent=1) + "\n")
    except OSError as error:
        for file in (*texts, FILE):  # one half of them would speak for a run, or an earlier one
            with contextlib.suppress(OSError):
                (folder / file).unlink()
        raise UsageError(Fault(str(folder), f"cannot be written: {error.strerror or error}")) from error


_NO_END = "no end of the run is recorded: it is under way, or was ended before its verdict"


def report_under_way(name: str, level: str, kubernetes: str) -> Summary:
    """Return a report without cases; ``name`` is the target's on the command line: it has not described itself yet."""
    target = Target(name, "of unknown version", kubernetes, [], [])
    return Summary.concluded(target, level, "", (), [_NO_END], narrowed=True, silent=NOT_FINISHED, complete=False)
