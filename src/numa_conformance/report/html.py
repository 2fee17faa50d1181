"""Runs as web pages that need nothing else: no network, no other file. The templates escape whatever a target said."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ..documentation.quirks import QUIRKS
from ..documentation.versions import KubernetesVersion
from ..machine.picture_svg import machine_svg
from ..protocol.features import FEATURES
from ..suite.comparison import maps
from ..suite.requirements import REQUIREMENTS, Requirement
from .case import VERDICTS, Case
from .model import Summary
from .scenarios import scenario_file

__all__ = ["html_page", "matrix_page", "worst"]

_MAX_PICTURED = 512
"""Machines with more CPUs than this are not drawn: the page stays one that a phone can open."""


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
        """How many cases came to which verdict."""
        counted = Counter(case.verdict for case in self.cases)
        return {verdict: counted[verdict] for verdict in VERDICTS}


def html_page(summary: Summary) -> str:
    """Return the page: verdict, counts, filters, requirements by area, failures with both placements, the target."""
    target = summary.target
    version = KubernetesVersion.parse(target.kubernetes)
    return _render(
        "report.html",
        title=f"{target.name} {target.version}: {summary.verdict}",
        summary=summary,
        target=target,
        verdicts=[verdict for verdict in VERDICTS if summary.counts.get(verdict)],
        areas=summary.by_area(),
        requirements=_rows_by_area(summary),
        not_claimed=[feature for feature in FEATURES if feature not in target.features],
        quirks=[quirk for quirk in QUIRKS.values() if version in quirk.versions],
    )


def matrix_page(reports: Sequence[Summary]) -> str:
    """Return a page with a row for each requirement and a column for each report, in the order given."""
    columns = [report.by_requirement() for report in reports]
    rows = [
        (requirement, [worst(column.get(name, ())) for column in columns]) for name, requirement in REQUIREMENTS.items()
    ]
    return _render("matrix.html", title="Conformance by requirement", reports=reports, rows=rows)


def worst(cases: Collection[Case]) -> str:
    """Return the verdict that decides about a requirement; one without cases is ``not run``."""
    return max(cases, key=lambda case: case.badness).verdict if cases else "not run"


def _rows_by_area(summary: Summary) -> dict[str, list[_Row]]:
    areas: dict[str, list[_Row]] = {}
    for name, cases in summary.by_requirement().items():
        known = REQUIREMENTS.get(name)
        areas.setdefault(known.area if known else "other", []).append(_Row(name, known, cases))
    return areas


def _render(template: str, **values: Any) -> str:
    return _environment().get_template(template).render(values)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(
        anchor=_anchor, css=_css, json=_json, pictures=_pictures, scenario_file=scenario_file, told=_told
    )
    environment.tests["shown"] = _shown
    return environment


def _pictures(scenario: Mapping[str, Any]) -> dict[str, Markup]:
    """Return the placements of a scenario by title, none where there is nothing to draw.

    In a report from elsewhere a scenario may hold anything.
    """
    try:
        drawn = maps(scenario)
    except (LookupError, TypeError, ValueError, AttributeError):
        return {}
    if drawn is None or len(drawn[0].cpus) > _MAX_PICTURED:
        return {}
    machine, expected, actual = drawn
    owners = {"The reference's placement": expected, "The target's placement": actual}
    # The pictures escape their texts themselves.
    return {title: Markup(machine_svg(machine, held)) for title, held in owners.items() if held is not None}


def _told(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count)


def _json(scenario: Mapping[str, Any]) -> str:
    return json.dumps(scenario, indent=1)


def _shown(case: Case) -> bool:
    """Tell whether a case has something to show beside its verdict."""
    return bool(case.details) and case.verdict not in ("passed", "not claimed")


def _anchor(case_id: str) -> str:
    return scenario_file(case_id).removesuffix(".json").removeprefix("scenario-")


def _css(words: str) -> str:
    return words.replace(" ", "-")
