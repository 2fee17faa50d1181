"""A run in lines for a terminal or a CI log."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from ..asking.profiles import Profile
from ..chapters import REQUIREMENTS
from ..wire.messages.describe import Description
from .blocks import told_blocks
from .case import VERDICTS
from .model import Summary


def header_lines(label: str, described: Description, level: str, profile: Profile, *, deep: bool) -> list[str]:
    """Return what is tested, for the head of a run."""
    testable = {feature for requirement in REQUIREMENTS.values() for feature in requirement.features}
    at_exact = ", ".join(sorted(profile.features.intersection(described.features) - testable))
    search = "a long random search, whose examples are saved" if deep else "cases and seeds are fixed"
    return [
        f"numa-conformance: {described.name} {described.version} ({label})",
        f"numa-conformance: level {level}, profile {profile.name} of Kubernetes {profile.version}, "
        f"surfaces {', '.join(sorted(described.surfaces))}; {search}",
        *([f"numa-conformance: asked at level exact only: {at_exact}"] if at_exact and level != "exact" else ()),
    ]


def summary_lines(summary: Summary, target: str = "", folder: str = "") -> list[str]:
    """Return each requirement that is not met, told once, the verdict by area, and the verdict line.

    ``target`` names the target on the command line, ``folder`` is where the reports are.
    """
    blocks = told_blocks(summary, target, folder)
    lines = blocks.lines[1:]
    if blocks.untold:
        lines += ["", "also not met:", *blocks.untold]
    if blocks.lines and not folder:
        lines += ["", "--numa-report FOLDER keeps each of these as a file that plays it again"]
    recommended = summary.recommendations()
    if recommended:
        lines += ["", "recommendations not followed, which changes no verdict:", *_ids(recommended)]
    if lines:
        lines.append("")
    lines += [*_areas(summary), *(f"problem: {problem}" for problem in summary.problems)]
    lines += [f"note: {note}" for note in summary.notes]
    counted = ", ".join(f"{count} {name}" for name, count in summary.counts.items() if count)
    level = f"level {summary.level}, profile {summary.profile}" if summary.profile else f"level {summary.level}"
    lines.append(f"VERDICT: {summary.verdict.upper()} ({level}; {summary.planned} cases: {counted})")
    lines += _asked(summary)
    lines.append(summary.claim)
    return lines


def _ids(names: Iterable[str]) -> list[str]:
    lines = textwrap.wrap(", ".join(names), 118, break_on_hyphens=False, break_long_words=False)
    return [f"  {line}" for line in lines]


def _asked(summary: Summary) -> list[str]:
    """Tell how often requirements were asked on conversations, and which one least."""
    asked = [case for case in summary.cases if case.asked and case.judges_conversations]
    if not asked:
        return []
    least = min(asked, key=lambda case: (case.asked, case.id))
    times, histories = sum(case.asked for case in asked), max(case.histories for case in asked)
    return [
        f"{len(asked)} requirements were asked {times:,} times in {histories:,} histories, "
        f"least {least.requirements[0]}: {least.asked:,}{f' ({least.not_asked})' if least.not_asked else ''}"
    ]


def _areas(summary: Summary) -> list[str]:
    areas = summary.by_area()
    width = max((len(area) for area in areas), default=0)
    return [
        f"{area:<{width}}  " + ", ".join(f"{counts[name]} {name}" for name in VERDICTS if counts[name])
        for area, counts in areas.items()
    ]
