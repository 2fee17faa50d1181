"""What is not met, as the page shows it: by requirement, what weighs most first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from ..asking.findings.two_pictures import bits_of_text, maps, without_picture
from ..chapters import REQUIREMENTS, Requirement
from ..machine import Machine
from ..machine.picture_svg import machine_svg
from .blocks import playing_again, rank
from .case import Case
from .circumstances import Circumstances
from .model import Summary

_MAX_PICTURED = 512
"""Machines with more CPUs than this are not drawn: the page stays one that a phone can open."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A case with its finding in one line, what else is told, and the command that plays it again."""

    case: Case
    finding: str
    more: str
    does: str
    command: str
    pictures: Mapping[str, Markup]


@dataclass(frozen=True, slots=True)
class Unmet:
    """A requirement that is not met or not followed; ``known`` is None for an id of another version of the suite."""

    id: str
    known: Requirement | None
    cases: list[Shown]


def unmet_requirements(summary: Summary, run: Circumstances | None) -> tuple[list[Unmet], list[Unmet]]:
    """Return requirements that are not met, and recommendations that are not followed.

    ``run`` tells how target and report are named where the run was called. A case that says several things stands with
    the first of them alone.
    """
    target, folder = (run.target, run.folder) if run else ("", "")
    shown_above: set[str] = set()
    parts: list[list[Unmet]] = []
    for by_requirement in (summary.unmet(), summary.recommendations()):
        part: list[Unmet] = []
        for name, cases in sorted(by_requirement.items(), key=lambda item: min(map(rank, item[1]))):
            of_requirement = [case for case in sorted(cases, key=rank) if case.id not in shown_above]
            shown_above |= {case.id for case in of_requirement}
            part.append(
                Unmet(
                    name,
                    REQUIREMENTS.get(name),
                    [_shown(case, summary.options, target, folder or ".") for case in of_requirement],
                )
            )
        parts.append([requirement for requirement in part if requirement.cases])
    return parts[0], parts[1]


def _shown(case: Case, options: str, target: str, folder: str) -> Shown:
    drawn = pictures(case.scenario, case.marks) if case.scenario else {}
    finding, _, rest = (without_picture(case.details) if drawn else case.details).partition("\n")
    does, command = playing_again(case, target, folder, options)
    return Shown(case, finding or case.verdict, rest, does, command, drawn)


def pictures(scenario: Mapping[str, Any], marks: Mapping[str, str]) -> dict[str, Markup]:
    """Return the placements of a scenario by title, none where there is nothing to draw.

    In a report from elsewhere a scenario may hold anything.
    """
    try:
        compared = maps(scenario)
        if compared is None or len(compared[0].cpus) > _MAX_PICTURED:
            return {}
        machine, expected, actual = compared
        reserved = _reserved(scenario, machine)
    except (LookupError, TypeError, ValueError, AttributeError):
        return {}
    titled = {"The reference's placement": expected, "The target's placement": actual}
    others = {"The reference's placement": actual, "The target's placement": expected}
    known = {label: bits_of_text(cpus) & machine.online_bits for label, cpus in marks.items()}
    drawn: dict[str, Markup] = {}
    for title, owners in titled.items():
        if owners is None:
            continue
        other = others[title]
        marked = known or ({} if other is None else {"placed otherwise": _differing(owners, other)})
        held = {**owners, **({"reserved": reserved} if reserved else {})}
        # The pictures escape their texts themselves.
        drawn[title] = Markup(machine_svg(machine, held, marked))
    return drawn


def _reserved(scenario: Mapping[str, Any], machine: Machine) -> int:
    """Return the CPUs that the configuration names as reserved, as bits."""
    return bits_of_text((scenario.get("kubelet") or {}).get("reservedSystemCPUs")) & machine.online_bits


def _differing(first: Mapping[str, int], other: Mapping[str, int]) -> int:
    """Return the CPUs that have other owners in one than in the other, beside those that are only shared."""
    labels = (first.keys() | other.keys()) - {"shared"}
    differing = 0
    for label in labels:
        differing |= first.get(label, 0) ^ other.get(label, 0)
    return differing
