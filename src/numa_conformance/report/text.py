"""A run in lines for a terminal or a CI log."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..protocol import version_1
from ..protocol.messages.describe import PROTOCOL, Description
from ..suite.comparison import side_by_side
from ..suite.profiles import Profile
from ..suite.requirements import REQUIREMENTS
from .model import VERDICTS, Summary
from .scenarios import scenario_file

__all__ = ["header_lines", "summary_lines", "told_scenario"]


_VERSION_1 = f"the target speaks version 1 of the protocol, and is judged as ever; version {PROTOCOL} is today's"


def header_lines(label: str, described: Description, level: str, profile: Profile, *, deep: bool) -> list[str]:
    """Return what is tested, for the head of a run."""
    testable = {feature for requirement in REQUIREMENTS.values() for feature in requirement.features}
    at_exact = ", ".join(sorted(profile.features.intersection(described.features) - testable))
    search = "a long random search, whose examples are saved" if deep else "cases and seeds are fixed"
    return [
        f"numa-conformance: {described.name} {described.version} ({label})",
        f"numa-conformance: level {level}, profile {profile.name} of Kubernetes {profile.version}, "
        f"surfaces {', '.join(sorted(described.surfaces))}; {search}",
        *([f"numa-conformance: {_VERSION_1}"] if described.protocol == version_1.PROTOCOL else ()),
        *([f"numa-conformance: asked at level exact only: {at_exact}"] if at_exact and level != "exact" else ()),
    ]


def told_scenario(case: str, scenario: Mapping[str, Any], target: str, folder: str) -> str:
    """Return both placements of a failed scenario, and the command that plays it again.

    ``target`` is what names the target on the command line; without a report ``folder`` there is no file to play.
    """
    command = f"numa-conformance replay {shlex.quote(str(Path(folder, scenario_file(case))))}{target}"
    again = f"play it again: {command}" if folder else "with --numa-report DIR the scenario becomes a file to replay"
    return "\n\n".join(filter(None, (side_by_side(scenario), again)))


def summary_lines(summary: Summary) -> list[str]:
    """Return the verdict by area, the requirements that are not met, and the verdict line."""
    lines = _areas(summary)
    unmet = summary.unmet()
    if unmet:
        lines += ["", "requirements not met:"]
        for name, cases in unmet.items():
            lines.append(f"  {name} ({', '.join(sorted({case.verdict for case in cases}))})")
            lines += [f"      {REQUIREMENTS[name].text}", f"      {REQUIREMENTS[name].address}"]
            lines += [f"      {case.id}" for case in cases]
    recommended = summary.recommendations()
    if recommended:
        lines += ["", "recommendations not followed, which changes no verdict:"]
        lines += [f"  {name}: {REQUIREMENTS[name].text}" for name in recommended]
    lines += ["", *(f"problem: {problem}" for problem in summary.problems)]
    counted = ", ".join(f"{count} {name}" for name, count in summary.counts.items() if count)
    level = f"level {summary.level}, profile {summary.profile}" if summary.profile else f"level {summary.level}"
    lines.append(f"VERDICT: {summary.verdict.upper()} ({level}; {summary.planned} cases: {counted})")
    lines.append(summary.claim)
    return lines


def _areas(summary: Summary) -> list[str]:
    areas: dict[str, Counter[str]] = {}
    for case in summary.cases:
        areas.setdefault(case.area, Counter())[case.verdict] += 1
    width = max((len(area) for area in areas), default=0)
    return [
        f"{area:<{width}}  " + ", ".join(f"{counts[name]} {name}" for name in VERDICTS if counts[name])
        for area, counts in sorted(areas.items())
    ]
