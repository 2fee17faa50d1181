"""``python -m yardstick record FOLDER`` and ``compare FOLDER``, in this folder: does a changed judge judge as before?

Records histories of right and wrong targets on all surfaces, with every judgement and finding. A comparison judges
them again and prints each difference. Who changes what judges, and means no change of verdicts, runs both.
``python -m yardstick keep`` and ``renew`` write the few that are part of the repository (``stored_histories.py``).
"""

from __future__ import annotations

import gzip
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import stored_histories
from alternatives import ALTERNATIVES
from directly import Directly
from mutants import INSIDE, MUTANTS
from noise import odd_target
from numa_conformance.asking.drive import drive
from numa_conformance.asking.generators.scenario import Scenario
from numa_conformance.asking.groups import GROUPS
from numa_conformance.judging.verdicts import HistoryVerdicts, judge
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.wire.history.history import History, read_histories, write_history

HISTORIES, VERDICTS = "histories.jsonl.gz", "verdicts.json"
OF_THE_REFERENCE, OF_ANOTHER = 80, 6
"""Scenarios that each target is asked: of each group, and in all."""


def _targets() -> Iterator[tuple[str, Callable[[], object], bool]]:
    """Yield the name of each target, what makes one, and whether much of every group is asked."""
    yield "reference", lambda: ReferenceTarget("documented"), True
    yield "reference exact", lambda: ReferenceTarget("exact"), True
    for room in (MUTANTS, INSIDE, ALTERNATIVES):
        yield from ((name, make, False) for name, make in room.items())
    yield from ((f"seed {seed}", lambda seed=seed: odd_target(seed), False) for seed in range(60))


@cache
def _scenarios(group: str, claimed: frozenset[str]) -> tuple[Scenario, ...]:
    return tuple(GROUPS[group].scenarios(claimed, 0))


def _histories() -> Iterator[History]:
    for name, make, thorough in _targets():
        client, lot = Directly(make()), random.Random(name)
        groups = [group for group in GROUPS.values() if group.surface in client.description.surfaces]
        each = {group.name: _scenarios(group.name, client.claimed) for group in groups}
        if thorough:
            chosen = [scenario for of in each.values() for scenario in lot.sample(of, min(len(of), OF_THE_REFERENCE))]
        else:
            some = [of for of in each.values() if of]
            chosen = [lot.choice(lot.choice(some)) for _ in range(OF_ANOTHER)]
        yield from (drive(scenario, client, client.description.kubernetes_version)[0] for scenario in chosen)


def _told(verdicts: HistoryVerdicts) -> dict[str, Any]:
    """Return as JSON what came of a history."""
    held_back: Counter[str] = Counter()
    for (requirement, _), times in verdicts.held_back.items():
        held_back[requirement] += times
    broken = [[each.requirement, each.step, *map(str, _parts(each.violation))] for each in verdicts.broken]
    return {"asked": dict(verdicts.tests), "held_back": dict(held_back), "broken": sorted(broken)}


def _parts(violation: Any) -> tuple[object, ...]:
    return violation.why, violation.got, violation.allowed, sorted(violation.marks.items()), violation.about


def record(folder: Path) -> None:
    """Drive all targets, and write their histories and verdicts."""
    folder.mkdir(parents=True, exist_ok=True)
    verdicts = []
    with gzip.open(folder / HISTORIES, "wt", encoding="utf-8") as out:
        for history in _histories():
            write_history(history, out)
            verdicts.append(_told(judge(history)))
    (folder / VERDICTS).write_text("\n".join(map(json.dumps, verdicts)) + "\n", encoding="utf-8")
    print(_summary(verdicts))


def _summary(verdicts: list[dict[str, Any]]) -> str:
    asked = sum((Counter(each["asked"]) for each in verdicts), Counter[str]())
    findings = [finding for each in verdicts for finding in each["broken"]]
    return (
        f"{len(verdicts):,} histories, {asked.total():,} judgements of {len(asked)} requirements, "
        f"{len(findings):,} findings of {len({finding[0] for finding in findings})}"
    )


def compare(folder: Path, most: int = 30) -> int:
    """Judge what was recorded again; return how many histories are judged otherwise."""
    before = [json.loads(line) for line in (folder / VERDICTS).read_text(encoding="utf-8").splitlines()]
    with gzip.open(folder / HISTORIES, "rt", encoding="utf-8") as file:
        histories = list(read_histories(file))
    began = time.process_time()
    judged = list(map(judge, histories))
    seconds = time.process_time() - began
    other = 0
    for history, verdicts, was in zip(histories, judged, before, strict=True):
        now = json.loads(json.dumps(_told(verdicts)))
        if now != was:
            other += 1
            if other <= most:
                print(history.id, *_differences(was, now), sep="\n    ")
    print(_summary(before), f"{other} histories are judged otherwise; {seconds:.2f} s of processor time", sep="\n")
    return other


def _differences(was: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    for kind in ("asked", "held_back"):
        for name in sorted({*was[kind], *now[kind]}):
            if was[kind].get(name, 0) != now[kind].get(name, 0):
                yield f"{name} {kind}: {was[kind].get(name, 0)} -> {now[kind].get(name, 0)}"
    yield from (f"lost: {finding}" for finding in was["broken"] if finding not in now["broken"])
    yield from (f"new: {finding}" for finding in now["broken"] if finding not in was["broken"])


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["record", folder]:
            record(Path(folder))
        case ["compare", folder]:
            sys.exit(min(compare(Path(folder)), 1))
        case ["keep"]:
            stored_histories.keep()
        case ["renew"]:
            stored_histories.renew()
        case _:
            sys.exit(__doc__)
