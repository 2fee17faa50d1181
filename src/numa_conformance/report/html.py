"""A run as one web page that needs nothing else: no network, no other file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from html import escape
from typing import Any

from ..documentation.quirks import QUIRKS
from ..documentation.versions import KubernetesVersion
from ..machine.picture_svg import machine_svg
from ..protocol.features import FEATURES
from ..suite.comparison import maps
from ..suite.requirements import REQUIREMENTS, Requirement
from .html_style import SCRIPT, STYLE
from .model import VERDICTS, Case, Summary
from .scenarios import scenario_file

__all__ = ["html_page", "page_of", "worst"]

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'"
"""Makes the browser refuse whatever would be loaded, so that the page stays self-contained."""
_MAX_PICTURED = 512
"""Machines with more CPUs than this are not drawn: the page stays one that a phone can open."""


def html_page(summary: Summary) -> str:
    """Return the page: verdict, counts, filters, requirements by area, failures with both placements, the target."""
    target = summary.target
    title = f"{target.name} {target.version}: {summary.verdict}"
    body = [
        "<header>",
        f"<h1>{escape(target.name)} {escape(target.version)}</h1>",
        f'<p class="verdict {_css(summary.verdict)}">{escape(summary.verdict)}</p>',
        f"<p>{escape(summary.claim)}</p>",
        f"<p>{summary.planned} cases: "
        f"{escape(', '.join(f'{count} {name}' for name, count in summary.counts.items() if count))}. "
        f"Level {escape(summary.level)}, {f'profile {escape(summary.profile)}, ' if summary.profile else ''}"
        f"Kubernetes {escape(target.kubernetes)}, numa-conformance {escape(summary.suite)}.</p>",
        *(f'<p class="problem">{escape(problem)}</p>' for problem in summary.problems),
        "</header>",
        "<main>",
        *_overview(summary),
        *_filters(summary),
        *_areas(summary),
        *_failures(summary),
        *_claims(summary),
        *_quirks(summary),
        "</main>",
    ]
    return page_of(title, body, SCRIPT)


def page_of(title: str, body: Iterable[str], script: str = "") -> str:
    """Return a whole page around a body."""
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title>",
            f"<style>{STYLE}</style></head><body>",
            *body,
            f"<script>{script}</script>" if script else "",
            "</body></html>\n",
        ]
    )


def worst(cases: Collection[Case]) -> str:
    """Return the verdict that decides about a requirement; one without cases is ``not run``."""
    return max(cases, key=lambda case: case.badness).verdict if cases else "not run"


def _overview(summary: Summary) -> list[str]:
    """Return one line per area: how many cases came to which verdict."""
    areas: dict[str, Counter[str]] = {}
    for case in summary.cases:
        areas.setdefault(case.area, Counter())[case.verdict] += 1
    present = [name for name in VERDICTS if summary.counts.get(name)]
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in present)
    rows = (
        f'<tr><th scope="row"><a href="#{_section(area)}">{escape(area)}</a></th>'
        + "".join(f"<td>{counts[name] or ''}</td>" for name in present)
        + "</tr>"
        for area, counts in sorted(areas.items())
    )
    return [
        '<h2>Areas</h2><div class="scroll" tabindex="0"><table class="numbers">',
        f'<thead><tr><th scope="col">Area</th>{head}</tr></thead><tbody>',
        *rows,
        "</tbody></table></div>",
    ]


def _filters(summary: Summary) -> list[str]:
    present = [name for name in VERDICTS if summary.counts.get(name)]
    boxes = (
        f'<label><input type="checkbox" name="verdict" value="{_css(name)}" checked> {escape(name)}</label>'
        for name in present
    )
    return [
        '<form class="filters" aria-label="Filters"><fieldset><legend>Show</legend>',
        *boxes,
        '<label class="search">Containing <input type="search" name="text" autocomplete="off"></label>',
        '<output aria-live="polite"></output></fieldset></form>',
    ]


def _areas(summary: Summary) -> list[str]:
    areas: dict[str, list[tuple[str, list[Case]]]] = {}
    for name, cases in summary.by_requirement().items():
        areas.setdefault(REQUIREMENTS[name].area if name in REQUIREMENTS else "other", []).append((name, cases))
    lines = ["<h2>Requirements</h2>"]
    for area, found in areas.items():
        lines += [
            f'<section id="{_section(area)}"><h3>{escape(area)}</h3><div class="scroll"><table class="requirements">',
            '<thead><tr><th scope="col">Requirement</th><th scope="col">Verdict</th><th scope="col">Cases</th></tr>',
            "</thead><tbody>",
            *(_requirement(name, cases) for name, cases in found),
            "</tbody></table></div></section>",
        ]
    return lines


def _requirement(name: str, cases: list[Case]) -> str:
    known = REQUIREMENTS.get(name)
    said = f"<br>{escape(known.text)}<br><small>{_source(known)}; since {known.since}</small>" if known else ""
    verdict = worst(cases)
    counts = Counter(case.verdict for case in cases)
    told = ", ".join(f"{counts[one]} {one}" for one in VERDICTS if counts[one])
    links = "".join(f'<br><a href="#{_anchor(case)}">{escape(case.id)}</a>' for case in cases if _shown(case))
    return (
        f'<tr id="{escape(name)}" data-verdict="{_css(verdict)}"><td><code>{escape(name)}</code>{said}</td>'
        f'<td><span class="verdict {_css(verdict)}">{escape(verdict)}</span></td><td>{escape(told)}{links}</td></tr>'
    )


def _source(known: Requirement) -> str:
    return f'<a href="{escape(known.address)}">{escape(known.source)}</a>'


def _failures(summary: Summary) -> list[str]:
    found = [case for case in summary.cases if _shown(case)]
    return ["<h2>What was found</h2>", *map(_failure, found)] if found else []


def _failure(case: Case) -> str:
    parts = [
        f'<details id="{_anchor(case)}" data-verdict="{_css(case.verdict)}"><summary>'
        f'<span class="verdict {_css(case.verdict)}">{escape(case.verdict)}</span> {escape(case.id)}</summary>',
        f"<p>Requirements: {', '.join(map(_link, case.requirements))}</p>",
    ]
    if case.scenario:
        parts.append(_pictures(case.scenario))
        parts.append(f'<p>Scenario: <a href="{scenario_file(case.id)}">{scenario_file(case.id)}</a></p>')
    parts.append(f'<pre tabindex="0">{escape(case.details)}</pre>')
    if case.scenario:
        parts.append(
            "<details><summary>The scenario as JSON</summary>"
            f'<pre tabindex="0">{escape(json.dumps(case.scenario, indent=1))}</pre></details>'
        )
    return "".join([*parts, "</details>"])


def _pictures(scenario: Mapping[str, Any]) -> str:
    found = maps(scenario)
    if found is None or len(found[0].cpus) > _MAX_PICTURED:
        return ""
    machine, expected, actual = found
    figures = [
        f'<figure><figcaption>{title}</figcaption><div class="scroll" tabindex="0">{machine_svg(machine, owners)}</div>'
        "</figure>"
        for title, owners in (("The reference's placement", expected), ("The target's placement", actual))
        if owners is not None
    ]
    return f'<div class="pair">{"".join(figures)}</div>'


def _claims(summary: Summary) -> list[str]:
    claimed = set(summary.target.features)
    return [
        "<h2>The target</h2>",
        f"<p>Surfaces: {escape(', '.join(summary.target.surfaces) or 'none')}</p>",
        *_names("Claimed features", sorted(claimed)),
        *_names("Features not claimed", [name for name in FEATURES if name not in claimed]),
    ]


def _quirks(summary: Summary) -> list[str]:
    """Return the departures from the documentation that the level asks for."""
    if summary.level != "exact":
        return ["<h2>Quirks</h2><p>None: level documented follows the pages of Kubernetes.</p>"]
    version = KubernetesVersion.parse(summary.target.kubernetes)
    shown = [one for one in QUIRKS.values() if version in one.versions]
    items = (f"<li><code>{escape(one.id)}</code>: {escape(one.summary)}</li>" for one in shown)
    return [
        "<h2>Quirks</h2><p>Level exact follows Kubernetes where it departs from its pages:</p><ul>",
        *items,
        "</ul>",
    ]


def _names(title: str, names: list[str]) -> list[str]:
    items = "".join(f"<li><code>{escape(name)}</code></li>" for name in names)
    return [f"<h3>{title}</h3>", f'<ul class="names">{items}</ul>' if names else "<p>None.</p>"]


def _link(requirement: str) -> str:
    return f'<a href="#{escape(requirement)}"><code>{escape(requirement)}</code></a>'


def _shown(case: Case) -> bool:
    return bool(case.details) and case.verdict not in ("passed", "not claimed")


def _anchor(case: Case) -> str:
    return scenario_file(case.id).removesuffix(".json").removeprefix("scenario-")


def _section(area: str) -> str:
    return f"area-{_css(area)}"


def _css(verdict: str) -> str:
    return verdict.replace(" ", "-")
