"""Histories of each surface that every later version reads and judges: right and wrong ones, with their verdicts.

``python -m yardstick keep`` writes the histories of a surface that has none. They are never written anew: they show
that a file of an earlier version can still be read. ``python -m yardstick renew`` judges them, and writes the verdicts
of a judge that was changed deliberately.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from alternatives import ALTERNATIVES
from directly import Directly
from mutants import INSIDE, MUTANTS
from numa_conformance.asking.drive import drive
from numa_conformance.asking.generators.scenario import Scenario
from numa_conformance.asking.groups import ALL, GROUPS
from numa_conformance.judging.verdicts import judge_from_file
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.wire.history.history import History, histories_text, read_histories

FOLDER = Path(__file__).parent / "stored"
SURFACES = tuple(dict.fromkeys(group.surface for group in GROUPS.values()))
EACH = 25
"""Histories of a surface that are right, and as many that are wrong."""
MOST_CPUS = 32
"""CPUs of a machine, where a group has such small ones."""

Verdict = dict[str, list[Any]]


def keep() -> None:
    """Write histories of each surface that has none, and all verdicts."""
    FOLDER.mkdir(exist_ok=True)
    for surface in SURFACES:
        if not _file(surface).exists():
            lot = random.Random(surface)
            scenarios = [
                one for group in GROUPS.values() if group.surface == surface for one in group.scenarios(ALL, 0)
            ]
            small = [scenario for scenario in scenarios if len(scenario.machine.cpus) <= MOST_CPUS] or scenarios
            right = _various(_histories(_right(), small, lot, 60), wrong=False)
            wrong = _various(_histories(_wrong(surface), small, lot, 3 if surface == "node" else 20), wrong=True)
            _write(_file(surface), histories_text(sorted([*right, *wrong], key=lambda each: each.head.machine.name)))
    renew()


def renew() -> None:
    """Judge all histories, and write their verdicts."""
    for surface in SURFACES:
        lines = (json.dumps(verdict_of(history)) for history in stored(surface))
        _write(_verdicts_file(surface), "".join(f"{line}\n" for line in lines))


def stored(surface: str) -> list[History]:
    """Return the histories of a surface."""
    with gzip.open(_file(surface), "rt", encoding="utf-8") as file:
        return list(read_histories(file))


def verdicts(surface: str) -> list[Verdict]:
    """Return the verdicts that were written of the histories of a surface."""
    with gzip.open(_verdicts_file(surface), "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def verdict_of(history: History) -> Verdict:
    """Return what came of a history: the requirements that were asked, those that are broken, at which step."""
    judged = judge_from_file(history)
    broken = {(each.requirement, each.step) for each in judged.broken}
    return {"asked": sorted(judged.tests), "broken": sorted(map(list, broken))}


def differences(before: Verdict, now: Verdict) -> Iterator[str]:
    """Yield where a history is judged otherwise; a requirement that is asked for the first time, and met, is none."""
    yield from (f"no longer asked: {name}" for name in before["asked"] if name not in now["asked"])
    for word, these, others in (("no longer", before, now), ("newly", now, before)):
        only = [each for each in these["broken"] if each not in others["broken"]]
        yield from (f"{word} broken: {name} at step {step}" for name, step in only)


def _file(surface: str) -> Path:
    return FOLDER / f"{surface}.jsonl.gz"


def _verdicts_file(surface: str) -> Path:
    return FOLDER / f"{surface}-verdicts.jsonl.gz"


def _write(file: Path, text: str) -> None:
    file.write_bytes(gzip.compress(text.encode(), mtime=0))


def _right() -> Iterator[Callable[[], object]]:
    yield lambda: ReferenceTarget("documented")
    yield from ALTERNATIVES.values()


def _wrong(surface: str) -> Iterator[Callable[[], object]]:
    """Yield wrong allocators, those first whose fault is in answers of the surface."""
    makers = [*MUTANTS.items(), *INSIDE.items()]
    yield from (make for _, make in sorted(makers, key=lambda item: surface not in repr(item)))


def _histories(
    makers: Iterator[Callable[[], object]], scenarios: list[Scenario], lot: random.Random, each: int
) -> Iterator[History]:
    for make in makers:
        client = Directly(make())
        for scenario in lot.sample(scenarios, min(each, len(scenarios))):
            history, fault = drive(scenario, client, client.description.kubernetes_version)
            if fault is None and client.claimed == ALL:
                yield history


def _various(histories: Iterator[History], *, wrong: bool) -> list[History]:
    """Return histories that show most between them, in few lines: of what is asked, or of what is broken."""
    candidates = [(history, verdict_of(history)) for history in histories]
    candidates = [each for each in candidates if bool(each[1]["broken"]) is wrong]
    shown = [
        (h, {name for name, _ in v["broken"]} if wrong else set(v["asked"]), len(histories_text([h])))
        for h, v in candidates
    ]
    chosen: list[History] = []
    met: set[str] = set()
    while shown and len(chosen) < EACH:
        best = max(shown, key=lambda each: (len(each[1] - met) / each[2], -each[2]))
        shown.remove(best)
        chosen.append(best[0])
        met |= best[1]
    return chosen
