"""Runs as web pages that need nothing else: no network, no other file. The templates escape all texts of a target."""

import json
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from ..asking.findings.findings import PICTURE, amounts_of, bits_of_text, maps
from ..chapters import OF_TARGETS, REQUIREMENTS, Requirement
from ..machine.picture_scene import differing, scenes_of
from ..machine.picture_svg import scenes_svg
from ..printable import printable
from ..sources.quirks import QUIRKS
from ..sources.versions import KubernetesVersion
from ..wire.features import FEATURES
from .case import SILENT_CASES, VERDICTS, Case, scenario_file
from .circumstances import Circumstances
from .compare import Column, over_time
from .model import Summary
from .text import counts_text, playing_again, rank

_SPECIAL = re.compile(r"[\\`*_{}\[\]<>()#+!|~&@:-]")
"""What may be markup in Markdown."""
_MAX_PICTURED = 1024
"""Machines with more CPUs than this are not drawn: the page stays one that a phone can open."""


@dataclass(frozen=True, slots=True)
class UnmetCase:
    """A case with its finding in one line, what else is told, and the command that plays it again."""

    case: Case
    finding: str
    more: str
    does: str
    command: str
    pictures: Mapping[str, Markup]


@dataclass(frozen=True, slots=True)
class UnmetRequirement:
    """A requirement that is not met or not followed; ``known`` is None for an id of another version of the suite."""

    id: str
    known: Requirement | None
    cases: list[UnmetCase]


def unmet_requirements(
    summary: Summary, run: Circumstances | None
) -> tuple[list[UnmetRequirement], list[UnmetRequirement]]:
    """Return the requirements that are not met, and the recommendations that are not followed.

    ``run`` names target and report in commands. A case of several requirements is listed under the first alone.
    """
    target, folder = (run.target, run.folder) if run else ("", "")
    shown_above: set[str] = set()
    parts: list[list[UnmetRequirement]] = []
    for by_requirement in (summary.unmet(), summary.recommendations()):
        part: list[UnmetRequirement] = []
        for name, cases in sorted(by_requirement.items(), key=lambda item: min(map(rank, item[1]))):
            of_requirement = [case for case in sorted(cases, key=rank) if case.id not in shown_above]
            shown_above |= {case.id for case in of_requirement}
            shown = [_shown(case, summary, target, folder or ".") for case in of_requirement]
            part.append(UnmetRequirement(name, REQUIREMENTS.get(name), shown))
        parts.append([requirement for requirement in part if requirement.cases])
    return parts[0], parts[1]


def _shown(case: Case, summary: Summary, target: str, folder: str) -> UnmetCase:
    drawn = pictures(case.scenario, case.marks, summary.level) if case.scenario else {}
    finding, _, rest = (PICTURE.sub("", case.details) if drawn else case.details).partition("\n")
    does, command = playing_again(case, target, folder, summary.options)
    return UnmetCase(case, finding or case.verdict, rest, does, command, drawn)


def pictures(scenario: Mapping[str, Any], marks: Mapping[str, str], level: str) -> dict[str, Markup]:
    """Return the placements of a scenario by title; empty where there are none, also for malformed scenarios.

    At level documented the reference's is one of many that pass.
    """
    try:
        compared = maps(scenario)
        if compared is None or len(compared[0].cpus) > _MAX_PICTURED:
            return {}
        machine, expected, actual = compared
        reserved = bits_of_text((scenario.get("kubelet") or {}).get("reservedSystemCPUs")) & machine.online_bits
        amounts = amounts_of(scenario, "expect"), amounts_of(scenario, "answered")
    except (LookupError, TypeError, ValueError, AttributeError):
        return {}
    shown = differing(expected, actual) if expected is not None and actual is not None else 0
    known = {label: bits_of_text(cpus) & machine.online_bits for label, cpus in marks.items()}
    marked = known or ({"placed otherwise": shown} if shown else {})
    empty = {"reserved": reserved} if reserved else {}
    passing = "The reference's placement" if level == "exact" else "One placement that passes"
    titled = {passing: (expected, amounts[0]), "The target's placement": (actual, amounts[1])}
    sides = {title: ({**empty, **owners}, more) for title, (owners, more) in titled.items() if owners is not None}
    # The pictures escape their texts themselves. Their symbols are the same, and explained below the last.
    return {
        title: Markup(scenes_svg({"": scene}, legend=title == [*sides][-1]))
        for title, scene in scenes_of(machine, sides, marked).items()
    }


NOT_RUN = "not run"
"""What a requirement is called of which a report has no case."""


@dataclass(frozen=True, slots=True)
class _Row:
    """A requirement of the table, with its cases; ``known`` is None for an id of another version of the suite."""

    id: str
    known: Requirement | None
    cases: list[Case]

    @property
    def verdict(self) -> str:
        """The verdict that decides."""
        return worst(self.cases)

    @property
    def counts(self) -> Mapping[str, int]:
        counted = Counter(case.verdict for case in self.cases)
        return {verdict: counted[verdict] for verdict in VERDICTS}


def html_page(summary: Summary, run: Circumstances | None = None) -> str:
    """Return the page: verdict, what is not met, with pictures, then areas, requirements folded, and the target."""
    target = summary.target
    version = KubernetesVersion.parse(target.kubernetes)
    unmet, recommended = unmet_requirements(summary, run)
    firsts = [requirement.cases[0] for requirement in unmet]
    rows: dict[str, list[_Row]] = {}
    for name, cases in summary.by_requirement().items():
        known = REQUIREMENTS.get(name)
        rows.setdefault(known.area if known else "other", []).append(_Row(name, known, cases))
    shown_above = {shown.case.id for requirement in (*unmet, *recommended) for shown in requirement.cases}
    return render(
        "report.html",
        title=f"{target.name} {target.version}: {summary.verdict}",
        summary=summary,
        run=run,
        target=target,
        verdicts=[verdict for verdict in VERDICTS if summary.counts.get(verdict)],
        unmet=unmet,
        opened={shown.case.id for shown in (*firsts[:1], *[shown for shown in firsts if shown.pictures][:1])},
        recommended=recommended,
        others=[case for case in summary.cases if _has_details(case) and case.id not in shown_above],
        areas=summary.by_area(),
        requirements=rows,
        not_claimed=[feature for feature in FEATURES if feature not in target.features],
        quirks=[quirk for quirk in QUIRKS.values() if version in quirk.versions],
    )


def matrix_page(columns: Sequence[Column]) -> str:
    """Return a page of requirements by reports: areas without tests last, and the history of dated reports."""
    cases = [column.report.by_requirement() for column in columns]
    areas: dict[str, list[tuple[Requirement, list[str]]]] = {}
    for name, requirement in OF_TARGETS.items():
        verdicts = [worst(by_requirement.get(name, ())) for by_requirement in cases]
        areas.setdefault(requirement.area, []).append((requirement, verdicts))
    totals = {area: _totals(rows, len(columns)) for area, rows in areas.items()}
    in_use = {verdict for rows in areas.values() for _, verdicts in rows for verdict in verdicts}
    return render(
        "matrix.html",
        title="Conformance by requirement",
        columns=columns,
        history=over_time(columns),
        areas=dict(sorted(areas.items(), key=lambda area: not any(totals[area[0]]))),
        totals=totals,
        total=len(OF_TARGETS),
        verdicts=[verdict for verdict in (*VERDICTS, NOT_RUN) if verdict in in_use],
    )


def _totals(rows: Sequence[tuple[Requirement, Sequence[str]]], columns: int) -> list[Counter[str]]:
    """Return, by report, to which verdicts an area's requirements came, of those that were asked."""
    return [
        Counter(verdicts[at] for _, verdicts in rows if verdicts[at] not in (NOT_RUN, *SILENT_CASES))
        for at in range(columns)
    ]


def worst(cases: Collection[Case]) -> str:
    """Return the verdict that decides about a requirement; one without cases is ``NOT_RUN``."""
    return max(cases, key=lambda case: case.badness).verdict if cases else NOT_RUN


def render(template: str, **values: Any) -> str:
    """Return a page of a template; one of HTML escapes every text."""
    return _environment().get_template(template).render(values)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=select_autoescape(("html", "svg", "xml")),  # Markdown says itself which texts are not ours
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=lambda value: value if isinstance(value, Markup) or not isinstance(value, str) else printable(value),
    )
    environment.filters["anchor"] = lambda id: scenario_file(id).removesuffix(".json").removeprefix("scenario-")
    environment.filters.update(asked=_question_counts, duration=_duration)
    environment.filters.update(css=lambda words: words.replace(" ", "-"), json=partial(json.dumps, indent=1))
    environment.filters.update(scenario_file=scenario_file, told=counts_text, text=_markdown)
    environment.tests["shown"] = _has_details
    return environment


def _markdown(text: str) -> str:
    """Return a text in a line in which no character is markup."""
    return _SPECIAL.sub(lambda match: f"&#{ord(match[0])};", " ".join(printable(text).split()))


def _has_details(case: Case) -> bool:
    return bool(case.details) and case.verdict not in ("passed", "not claimed")


def _question_counts(case: Case) -> str:
    if not case.judges_conversations or not (case.asked or case.held_back):
        return ""
    times = f"tested {case.asked:,} times in {case.histories:,} histories"
    return f"{times}; {case.omissions}" if case.omissions else times


def _duration(seconds: float) -> str:
    minutes, rest = divmod(seconds, 60)
    return f"{minutes:.0f} min {rest:.0f} s" if minutes else f"{rest:.1f} s"
