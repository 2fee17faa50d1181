"""A run as Markdown, for the summary page of a CI system."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from ..chapters import REQUIREMENTS
from ..printable import printable
from .case import VERDICTS, Case, Verdict
from .model import Summary

MOST = 20
"""Requirements that are told with what was answered; further ones are named."""
MOST_LINES = 40
"""Lines of one finding."""
_SPECIAL = re.compile(r"[\\`*_{}\[\]<>()#+!|~&@:-]")
_MARKS = {"conformant": "✅", "partial": "🟡", "not conformant": "❌"}


def markdown_text(summary: Summary) -> str:
    """Return the verdict, a table of areas, and what is not met; whatever a target said is text and no markup."""
    level = f"level {summary.level}" + (f", profile {summary.profile}" if summary.profile else "")
    lines = [
        f"## {_MARKS.get(summary.verdict, '⚪')} numa-conformance: {summary.verdict}",
        "",
        f"{_text(summary.claim)} ({_text(level)}; {summary.planned} cases)",
        "",
        *_areas(summary.by_area()),
    ]
    lines += ["", *(f"- problem: {_text(problem)}" for problem in summary.problems)]
    lines += [f"- note: {_text(note)}" for note in summary.notes]
    unmet = summary.unmet()
    for name, cases in list(unmet.items())[:MOST]:
        lines += ["", *_requirement(name, cases)]
    rest = list(unmet)[MOST:]
    if rest:
        lines += ["", "also not met: " + ", ".join(map(_text, rest))]
    recommended = summary.recommendations()
    if recommended:
        lines += ["", "recommendations not followed: " + ", ".join(map(_text, recommended))]
    return "\n".join(lines) + "\n"


def _areas(counts: Mapping[str, Counter[Verdict]]) -> list[str]:
    shown = [verdict for verdict in VERDICTS if any(count[verdict] for count in counts.values())]
    return [
        f"| area | {' | '.join(shown)} |",
        f"| --- |{' ---: |' * len(shown)}",
        *(
            f"| {_text(area)} | {' | '.join(str(count[verdict] or '') for verdict in shown)} |"
            for area, count in counts.items()
        ),
    ]


def _requirement(name: str, cases: list[Case]) -> list[str]:
    """Return one requirement, folded: its sentence, its address, and the first finding."""
    known = REQUIREMENTS.get(name)
    details = printable(next((case.details for case in cases if case.details), cases[0].verdict)).splitlines()
    more = [f"({len(details) - MOST_LINES} more lines)"] if len(details) > MOST_LINES else []
    fence = "`" * max(3, 1 + max((len(run) for line in details for run in re.findall("`+", line)), default=0))
    return [
        f"<details><summary>not met: {_text(name)}</summary>",
        "",
        *([f"{_text(known.text)} [{_text(known.address)}]({known.address})", ""] if known else ()),
        f"{fence}text",
        *details[:MOST_LINES],
        *more,
        fence,
        "",
        "</details>",
    ]


def _text(text: str) -> str:
    """Return one line in which nothing is markup, a mention or a link."""
    return _SPECIAL.sub(lambda match: f"&#{ord(match[0])};", " ".join(printable(text).split()))
