"""Each requirement that is not met, told once: the sentence, the answer, the conversation, what fell with it."""

from __future__ import annotations

import shlex
import textwrap
from dataclasses import dataclass
from pathlib import Path

from ..suite.requirements import REQUIREMENTS
from .case import Case
from .model import Summary
from .scenarios import scenario_file

__all__ = ["Blocks", "playing_again", "rank", "told_blocks"]

MOST_BLOCKS = 8
MOST_LINES = 60
"""Lines of all blocks together, beyond which no further one begins."""
MOST_CASES = 3
"""Further cases of a requirement that are named, one in a line."""
MOST_DETAILS = 30
"""Lines of what a case tells."""
WIDTH = 120


@dataclass(frozen=True, slots=True)
class Blocks:
    """The lines of the blocks, and the ids of requirements that have none."""

    lines: list[str]
    untold: list[str]


def told_blocks(summary: Summary, target: str = "", folder: str = "") -> Blocks:
    """Tell what is not met, a block for each requirement up to a cap.

    A requirement that fell in the conversation of another needs no block of its own. ``target`` is what names the
    target on the command line; without a report ``folder`` there is no file to play again.
    """
    lines: list[str] = []
    shown_already: set[str] = set()
    untold: list[str] = []
    blocks = 0
    unmet = summary.unmet()
    first = {name: min(cases, key=rank) for name, cases in unmet.items()}
    for name, shown in sorted(first.items(), key=lambda item: rank(item[1])):
        if name in shown_already:
            continue
        if blocks >= MOST_BLOCKS or len(lines) > MOST_LINES:
            untold.append(name)
            continue
        others = [case for case in unmet[name] if case is not shown]
        lines += ["", *_block(name, shown, others), _again(shown, summary.level, target, folder)]
        shown_already |= {name, *shown.requirements, *shown.with_it}
        blocks += 1
    return Blocks(lines, [name for name in untold if name not in shown_already])


def rank(case: Case) -> tuple[bool, bool, int, int]:
    """Order what is told: no answer at all, then conversations, then cases that say one thing, then what falls most.

    A fault shows in what it breaks by itself more often than in what falls with it.
    """
    return case.verdict == "failed", not case.histories, len(case.requirements), -case.broken_in


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


def _again(case: Case, level: str, target: str, folder: str) -> str:
    return ": ".join(playing_again(case, level, target, folder))


def playing_again(case: Case, level: str, target: str, folder: str) -> tuple[str, str]:
    """Return what a command does, and the command: the file of a case played again, or the case asked again.

    Without a ``folder`` there is no file.
    """
    if folder and (case.history or case.scenario):
        file = shlex.quote(str(Path(folder, case.history or scenario_file(case.id))))
        if case.history:
            return "play it again", f"numa-conformance judge --again {file}{target}"
        asked = (case.scenario or {}).get("kubernetesVersion")
        version = f" --kubernetes-version {shlex.quote(str(asked))}" if asked else ""
        return "play it again", f"numa-conformance replay {file}{target}{version}"
    named = target.replace(" --target", " --numa-target", 1) + (" --numa-level exact" if level == "exact" else "")
    return "ask it again", f"pytest --numa-conformance --numa-case={shlex.quote(case.id)}{named}"
