"""``python -m strength``: change the reference at random, ask the suite, write what it noticed."""

from __future__ import annotations

import argparse
import difflib
import gc
import json
import multiprocessing
import random
import resource
import sys
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain, zip_longest
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import coverage

from numa_conformance.suite.asking.groups import GROUPS

from .asking import (
    Asked,
    asked,
    at_documented,
    at_exact,
    differs_from_recorded,
    forget_the_reference,
    import_changed,
    reference,
)
from .mutations import PACKAGE, ROOMS, Mutation, drawn, statement_lines
from .table import table, write_table

FORK = multiprocessing.get_context("fork")
MEMORY = 6 << 30
RECORDED = "recorded"
"""What stands beside the groups: the recorded decisions, at level exact."""
DIES = {"changes": True, "caught": "the process died"}


@dataclass(frozen=True, slots=True)
class World:
    """What the unchanged reference answered: at both levels, and at level exact beyond what the suite asks.

    ``reached``: the lines that a group executes, by file.
    """

    documented: Sequence[Asked]
    exact: Sequence[Asked]
    beyond: Sequence[Asked]
    reached: Mapping[str, coverage.CoverageData]

    def of(self, groups: Collection[str]) -> World:
        """Return the part of some groups."""
        documented, exact, beyond = (
            [question for question in part if question.group in groups]
            for part in (self.documented, self.exact, self.beyond)
        )
        return World(documented, exact, beyond, {group: self.reached[group] for group in groups})


def main(arguments: Sequence[str] | None = None) -> None:
    """Run, one change at a time."""
    parser = argparse.ArgumentParser(prog="strength", description=__doc__)
    parser.add_argument("--each", type=int, default=25, help="changes in each room (default: 25)")
    parser.add_argument("--room", action="append", choices=ROOMS, help="only this room; may be repeated")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--group",
        action="append",
        choices=list(GROUPS),
        help="ask only this group, and recorded decisions; may be repeated",
    )
    parser.add_argument("--seconds", type=float, default=300.0, help="time of one change (default: 300)")
    parser.add_argument("--results", type=Path, default=Path("strength.jsonl"), help="one line for each change")
    parser.add_argument("--page", type=Path, help="the page whose table is written anew, when all is asked")
    options = parser.parse_args(arguments)
    world = unchanged(options.group or list(GROUPS))
    gc.freeze()
    results: list[dict[str, Any]] = []
    with options.results.open("w", encoding="utf-8") as file:
        rooms = [
            [(room, change) for change in drawn(room, options.each, options.seed)] for room in options.room or ROOMS
        ]
        for room, mutation in filter(None, chain.from_iterable(zip_longest(*rooms))):
            came = ask(mutation, world, options.seconds)
            results.append({"room": room, **asdict(mutation), "diff": changed_lines(mutation), **came})
            file.write(json.dumps(results[-1]) + "\n")
            file.flush()
    sys.stdout.write(table(results))
    if options.page and not (options.room or options.group):
        write_table(options.page, table(results))


def unchanged(groups: Sequence[str]) -> World:
    """Ask the unchanged reference everything once, and note which of its lines each group reaches."""
    documented: list[Asked] = []
    exact: list[Asked] = []
    beyond: list[Asked] = []
    reached: dict[str, coverage.CoverageData] = {}
    for group in [*groups, RECORDED]:
        tracer = coverage.Coverage(data_file=None, source=[str(PACKAGE / room) for room in ROOMS])
        forget_the_reference()  # nothing that an earlier group had it compute is kept
        with tracer.collect():
            if group == RECORDED:
                differs_from_recorded(reference("exact"))
            else:
                documented += asked(group, "documented")
                exact += asked(group, "exact")
        if group != RECORDED:
            beyond += asked(group, "exact", seed=1)
        reached[group] = tracer.get_data()
    for part in (documented, exact, beyond):
        random.Random(len(part)).shuffle(part)
    return World(documented, exact, beyond, reached)


def ask(mutation: Mutation, world: World, seconds: float) -> dict[str, Any]:
    """Ask the suite about one change, in a process of its own."""
    lines = set(statement_lines(mutation.path, mutation.line))
    groups = [
        group for group, data in world.reached.items() if lines.intersection(data.lines(str(mutation.path)) or ())
    ]
    if not groups:
        return {"status": "not reached"}
    ours, theirs = FORK.Pipe(duplex=False)
    process = FORK.Process(target=_ask, args=(mutation, world.of(groups), theirs))
    began = time.monotonic()
    process.start()
    theirs.close()
    result: dict[str, Any] = {"status": "out of time"}
    try:
        while ours.poll(max(began + seconds - time.monotonic(), 0)):
            result.update(ours.recv())
    except EOFError:
        if result["status"] == "out of time":
            result = {"exact": DIES, "documented": DIES, **result, "status": "asked"}
    process.kill()
    process.join()
    return {**result, "groups": groups, "seconds": round(time.monotonic() - began, 1)}


def _ask(mutation: Mutation, world: World, answer: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        import_changed(mutation)
    except Exception as error:
        answer.send({"status": "not importable", "why": f"{type(error).__name__}: {error}"})
        return
    answer.send({"exact": asdict(at_exact(world.exact, world.beyond, recorded=RECORDED in world.reached))})
    answer.send({"status": "asked", "documented": asdict(at_documented(world.documented))})


def changed_lines(mutation: Mutation) -> list[str]:
    """Return the lines that differ."""
    before, after = mutation.path.read_text(encoding="utf-8").splitlines(), mutation.source().splitlines()
    differences = difflib.unified_diff(before, after, lineterm="", n=0)
    return [line for line in differences if line[0] in "+-" and line[:3] not in ("+++", "---")]


if __name__ == "__main__":
    main()
