"""A run in lines, for a terminal or a CI log."""

import shlex
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..asking.profiles import Profile
from ..chapters import REQUIREMENTS
from ..wire.messages.describe import Description
from .case import VERDICTS, Case, Verdict, scenario_file
from .model import Summary

MOST_BLOCKS = 8
MOST_LINES = 60
"""Lines of all blocks together, beyond which no further one begins."""
MOST_CASES = 3
"""Further cases of a requirement that are named, one in a line."""
MOST_DETAILS = 30
"""Lines of what a case tells."""
WIDTH = 120
COMES_AND_GOES = "comes and goes: "
"""How a line of a case's details begins that tells how often its fault was seen."""


def unmet_blocks(summary: Summary, target: str = "", folder: str = "") -> tuple[list[str], list[str]]:
    """Tell what is not met, a block for each requirement up to a cap, and of each further one what, why, how to see it.

    A requirement that fell in the conversation of another needs no block of its own. ``target`` is what names the
    target on the command line; without a report ``folder`` there is no file to play again.
    """
    lines: list[str] = []
    shown_already: set[str] = set()
    without: list[str] = []
    blocks = 0
    unmet = summary.unmet()
    first = {name: min(cases, key=lambda case: (rank(case), case.details.count("\n"))) for name, cases in unmet.items()}
    for name, shown in sorted(first.items(), key=lambda item: rank(item[1])):
        if name in shown_already:
            continue
        if blocks >= MOST_BLOCKS or len(lines) > MOST_LINES:
            without.append(name)
            continue
        others = [case for case in unmet[name] if case is not shown]
        lines += ["", *_block(name, shown, others), ": ".join(playing_again(shown, target, folder, summary.options))]
        shown_already |= {name, *shown.requirements, *shown.with_it}
        blocks += 1
    rest = [name for name in without if name not in shown_already]
    short = (_short(name, first[name], target, folder, summary.options) for name in rest)
    return lines, [line for texts in short for line in texts]


def rank(case: Case) -> tuple[bool, bool, int, float]:
    """Order blocks: no answer at all, conversations, cases with few requirements, then what fails most often."""
    falls = case.broken_in * case.broken / max(case.asked, 1)
    return case.verdict == "failed", not case.histories, len(case.requirements), -falls


def _short(name: str, case: Case, target: str, folder: str, options: str) -> list[str]:
    finding, *rest = case.details.splitlines() or [case.verdict]
    comes_and_goes = [line for line in rest if line.startswith(COMES_AND_GOES)]
    quirks = [f"the kubelet departs here too: {', '.join(case.quirks)}"] if case.quirks else []
    lines = [finding, *comes_and_goes, *quirks, ": ".join(playing_again(case, target, folder, options))]
    return [f"  {name}{_times(case)}", *(f"    {line}" for line in lines)]


def _block(name: str, case: Case, others: list[Case]) -> list[str]:
    known = REQUIREMENTS.get(name)
    lines = [f"NOT MET: {name}{_times(case)}"]
    if known is not None:
        lines += [*textwrap.wrap(known.text, WIDTH, initial_indent="  ", subsequent_indent="  "), f"  {known.address}"]
    details = case.details.splitlines()
    lines += details[:MOST_DETAILS]
    if len(details) > MOST_DETAILS:
        lines.append(f"({len(details) - MOST_DETAILS} more lines)")
    if others_broken := [other for other in case.requirements if other != name]:
        lines.append(f"with it: {', '.join(others_broken)}")
    if not case.histories:
        lines.append(f"case: {case.id}")
    lines += [f"also: {other.id}" for other in others[:MOST_CASES]]
    if len(others) > MOST_CASES:
        lines.append(f"      and {len(others) - MOST_CASES} more cases")
    return lines


def _times(case: Case) -> str:
    verdict = "" if case.verdict == "failed" else f" ({case.verdict})"
    if not case.histories:
        return verdict
    return f"{verdict}, tested {case.asked:,} times in {case.histories:,} histories"


def playing_again(case: Case, target: str, folder: str, options: str = "") -> tuple[str, str]:
    """Return what a command does, and the command: a replay of the case's file in ``folder``, or its test."""
    if folder and (case.history or case.scenario):
        file = shlex.quote(str(Path(folder, case.history or scenario_file(case.id))))
        if case.history:
            return "play it again", f"numa-conformance judge --again {file}{target}"
        version_of = (case.scenario or {}).get("kubernetesVersion")
        version = f" --kubernetes-version {shlex.quote(str(version_of))}" if version_of else ""
        return "play it again", f"numa-conformance replay {file}{target}{version}"
    named = target.replace(" --target", " --numa-target", 1)
    return "ask it again", f"pytest --numa-conformance --numa-case={shlex.quote(case.id)}{named}{options}"


def header_lines(label: str, described: Description, level: str, profile: Profile, *, deep: bool) -> list[str]:
    """Return what is tested, for the head of a run."""
    testable = {feature for requirement in REQUIREMENTS.values() for feature in requirement.features}
    at_exact = ", ".join(sorted(profile.features.intersection(described.features) - testable))
    search = "further seeds for a time" if deep else "cases and seeds are fixed"
    return [
        f"numa-conformance: {described.name} {described.version} ({label})",
        f"numa-conformance: level {level}, profile {profile.name} of Kubernetes {profile.version}, "
        f"surfaces {', '.join(sorted(described.surfaces))}; {search}",
        *([f"numa-conformance: asked at level exact only: {at_exact}"] if at_exact and level != "exact" else ()),
    ]


def summary_lines(summary: Summary, target: str = "", folder: str = "") -> list[str]:
    """Return unmet requirements, verdicts by area, and the verdict of a run on a ``target``, kept in ``folder``."""
    blocks, untold = unmet_blocks(summary, target, folder)
    lines = blocks[1:]
    if untold:
        lines += ["", "also not met:", *untold]
    if blocks and not folder:
        lines += ["", "--numa-report FOLDER keeps each of these as a file that plays it again"]
    if recommended := summary.recommendations():
        names = textwrap.wrap(", ".join(recommended), 118, break_on_hyphens=False, break_long_words=False)
        lines += ["", "recommendations not followed, which changes no verdict:", *(f"  {line}" for line in names)]
    if lines:
        lines.append("")
    areas = summary.by_area()
    width = max((len(area) for area in areas), default=0)
    lines += [f"{area:<{width}}  {counts_text(counts)}" for area, counts in areas.items()]
    lines += [f"problem: {problem}" for problem in summary.problems]
    lines += [f"note: {note}" for note in summary.notes]
    counted = ", ".join(f"{count} {name}" for name, count in summary.counts.items() if count)
    level = f"level {summary.level}" + (f", profile {summary.profile}" if summary.profile else "")
    lines.append(f"VERDICT: {summary.verdict.upper()} ({level}; {summary.planned} cases: {counted})")
    lines += _question_counts(summary)
    lines.append(summary.claim)
    return lines


def _question_counts(summary: Summary) -> list[str]:
    judged = [case for case in summary.cases if case.asked and case.judges_conversations]
    if not judged:
        return []
    least = min(judged, key=lambda case: (case.asked, case.id))
    times, histories = sum(case.asked for case in judged), max(case.histories for case in judged)
    return [
        f"{len(judged)} requirements were tested {times:,} times in {histories:,} histories, "
        f"least {least.requirements[0]}: {least.asked:,}{f' ({least.omissions})' if least.omissions else ''}",
        *_telling_counts([case for case in judged if REQUIREMENTS[case.requirements[0]].strength == "MUST"]),
    ]


def _telling_counts(judged: Sequence[Case]) -> list[str]:
    """Tell which MUST was least tellingly tested: on how few machines some other answer would have broken it."""
    telling = {case.requirements[0]: sum(case.telling.values()) for case in judged if any(case.telling.values())}
    if not telling:
        return []
    least = min(telling, key=lambda name: (telling[name], name))
    pairs = [number for case in judged for number in case.telling.values()]
    return [
        f"least tellingly tested: {least}: on {telling[least]:,} of its machines some other answer would break it; "
        f"at {pairs.count(0):,} of {len(pairs):,} pairs of a MUST and a machine no other answer tried breaks it"
    ]


def counts_text(counts: Mapping[Verdict, int]) -> str:
    """Write how many cases came to which verdict."""
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts.get(verdict))
