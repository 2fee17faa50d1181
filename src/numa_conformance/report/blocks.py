"""Each requirement that is not met, told once: the sentence, the answer, the conversation, what fell with it."""

from __future__ import annotations

import shlex
import textwrap
from dataclasses import dataclass
from pathlib import Path

from ..chapters import REQUIREMENTS
from .case import Case
from .model import Summary
from .scenarios import scenario_file

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


@dataclass(frozen=True, slots=True)
class Blocks:
    """The lines of the blocks, and those of each requirement that has none: what is wrong, why, how to see it."""

    lines: list[str]
    untold: list[str]


def told_blocks(summary: Summary, target: str = "", folder: str = "") -> Blocks:
    """Tell what is not met, a block for each requirement up to a cap.

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
        lines += ["", *_block(name, shown, others), _again(shown, target, folder, summary.options)]
        shown_already |= {name, *shown.requirements, *shown.with_it}
        blocks += 1
    short = (
        _short(name, first[name], target, folder, summary.options) for name in without if name not in shown_already
    )
    return Blocks(lines, [line for told in short for line in told])


def rank(case: Case) -> tuple[bool, bool, int, float]:
    """Order what is told: no answer at all, then conversations, then cases that say one thing, then what falls most.

    A fault breaks its own sentence sooner than others, in more conversations, and mostly where that sentence is asked.
    """
    falls = case.broken_in * case.broken / max(case.asked, 1)
    return case.verdict == "failed", not case.histories, len(case.requirements), -falls


def _short(name: str, case: Case, target: str, folder: str, options: str) -> list[str]:
    """Return a requirement in a few lines: its finding, whether it comes and goes, its quirks, the command."""
    finding, *rest = case.details.splitlines() or [case.verdict]
    comes_and_goes = [line for line in rest if line.startswith(COMES_AND_GOES)]
    quirks = [f"the kubelet departs here too: {', '.join(case.quirks)}"] if case.quirks else []
    lines = [finding, *comes_and_goes, *quirks, _again(case, target, folder, options)]
    return [f"  {name}{_asked(case)}", *(f"    {line}" for line in lines)]


def _block(name: str, case: Case, others: list[Case]) -> list[str]:
    known = REQUIREMENTS.get(name)
    lines = [f"NOT MET: {name}{_asked(case)}"]
    if known is not None:
        lines += [*textwrap.wrap(known.text, WIDTH, initial_indent="  ", subsequent_indent="  "), f"  {known.address}"]
    details = case.details.splitlines()
    lines += details[:MOST_DETAILS]
    if len(details) > MOST_DETAILS:
        lines.append(f"({len(details) - MOST_DETAILS} more lines)")
    beside = [other for other in case.requirements if other != name]
    if beside:
        lines.append(f"with it: {', '.join(beside)}")
    if not case.histories:
        lines.append(f"case: {case.id}")
    lines += [f"also: {other.id}" for other in others[:MOST_CASES]]
    if len(others) > MOST_CASES:
        lines.append(f"      and {len(others) - MOST_CASES} more cases")
    return lines


def _asked(case: Case) -> str:
    verdict = "" if case.verdict == "failed" else f" ({case.verdict})"
    if not case.histories:
        return verdict
    return f"{verdict}, asked {case.asked:,} times in {case.histories:,} histories"


def _again(case: Case, target: str, folder: str, options: str) -> str:
    return ": ".join(playing_again(case, target, folder, options))


def playing_again(case: Case, target: str, folder: str, options: str = "") -> tuple[str, str]:
    """Return what a command does, and the command: the file of a case played again, or the case asked again.

    Without a ``folder`` there is no file. ``options``: those with which the suite asks what it has asked.
    """
    if folder and (case.history or case.scenario):
        file = shlex.quote(str(Path(folder, case.history or scenario_file(case.id))))
        if case.history:
            return "play it again", f"numa-conformance judge --again {file}{target}"
        asked = (case.scenario or {}).get("kubernetesVersion")
        version = f" --kubernetes-version {shlex.quote(str(asked))}" if asked else ""
        return "play it again", f"numa-conformance replay {file}{target}{version}"
    named = target.replace(" --target", " --numa-target", 1)
    return "ask it again", f"pytest --numa-conformance --numa-case={shlex.quote(case.id)}{named}{options}"
