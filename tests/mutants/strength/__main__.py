"""``python -m mutants.strength``: change the reference at random, ask the suite, write what it noticed."""

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
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import reduce
from itertools import chain, count, zip_longest
from multiprocessing.connection import Connection
from operator import or_
from pathlib import Path
from typing import Any

import coverage

from numa_conformance.asking.groups import GROUPS
from numa_conformance.sources.versions import NEWEST, SUPPORTED

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
from .mutations import PACKAGE, ROOMS, Mutation, at_import, drawn, places_of, statement_lines
from .table import table, write_table

FORK = multiprocessing.get_context("fork")
MEMORY = 6 << 30
RECORDED = "recorded"
"""What stands beside the groups: the recorded decisions, at level exact."""
DIES = {"changes": True, "caught": "the process died"}


Executed = Mapping[str, Mapping[int, int]]
"""By file and line, the numbers of the scenarios that execute it, as bits; none where it is executed otherwise."""


@dataclass(frozen=True, slots=True)
class World:
    """What the unchanged reference answered: at both levels, and at level exact beyond what the suite asks.

    ``reached``: the lines that each group executes.
    """

    version: str
    documented: Sequence[Asked]
    exact: Sequence[Asked]
    beyond: Sequence[Asked]
    reached: Mapping[str, Executed]

    def at(self, mutation: Mutation) -> World:
        """Return the part in which the statement of a change is executed."""
        path, lines = mutation.path, statement_lines(mutation.path, mutation.line)
        of_file = {group: executed.get(str(path), {}) for group, executed in self.reached.items()}
        reached = {group: executed for group, executed in of_file.items() if executed.keys() & lines}
        scenarios = reduce(or_, (executed.get(line, 0) for executed in reached.values() for line in lines), 0)
        always = at_import(path, mutation.line)
        documented, exact, beyond = (
            [asked for asked in part if (always and asked.group in reached) or scenarios >> asked.number & 1]
            for part in (self.documented, self.exact, self.beyond)
        )
        return World(self.version, documented, exact, beyond, {group: self.reached[group] for group in reached})

    @property
    def asks(self) -> bool:
        """Whether the suite asks anything of it."""
        return bool(self.documented or self.exact or RECORDED in self.reached)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run, one change at a time."""
    parser = argparse.ArgumentParser(prog="strength", description=__doc__)
    parser.add_argument("--each", type=int, default=25, help="changes in each room (default: 25)")
    parser.add_argument("--room", action="append", choices=ROOMS, help="only this room; may be repeated")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--kubernetes-version", choices=list(map(str, SUPPORTED)), default=str(NEWEST), help=f"(default: {NEWEST})"
    )
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
    world = unchanged(options.group or list(GROUPS), options.kubernetes_version)
    gc.freeze()
    results: list[dict[str, Any]] = []
    with options.results.open("w", encoding="utf-8") as file:

        def write(result: dict[str, Any]) -> None:
            results.append(result)
            file.write(json.dumps(result) + "\n")
            file.flush()

        changes = []
        for room in options.room or ROOMS:
            places = places_of(room)
            reached = [place for place in places if world.at(place[0]).asks]
            others = sorted({f"{place[0].file}:{place[0].line}" for place in places if place not in reached})
            write({"room": room, "status": "places", "places": len(places), "reached": len(reached), "others": others})
            changes.append([(room, change) for change in drawn(room, reached, options.each, options.seed)])
        for room, mutation in filter(None, chain.from_iterable(zip_longest(*changes))):
            came = ask(mutation, world, options.seconds)
            write({"room": room, **asdict(mutation), "diff": changed_lines(mutation), **came})
    sys.stdout.write(table(results))
    if options.page and not (options.room or options.group):
        write_table(options.page, table(results))


def unchanged(groups: Sequence[str], version: str) -> World:
    """Ask the unchanged reference everything once, and note which of its lines each group reaches."""
    documented: list[Asked] = []
    exact: list[Asked] = []
    beyond: list[Asked] = []
    reached: dict[str, Executed] = {}
    numbers = count()
    for group in [*groups, RECORDED]:
        tracer = coverage.Coverage(data_file=None, source=[str(PACKAGE / "reference" / room) for room in ROOMS])

        def begin(tracer: coverage.Coverage = tracer) -> int:
            number = next(numbers)
            tracer.switch_context(str(number))
            return number

        forget_the_reference()  # nothing that an earlier group had it compute is kept
        with tracer.collect():
            if group == RECORDED:
                differs_from_recorded(reference("exact", version), version)
            else:
                documented += asked(group, "documented", version, 0, begin)
                exact += asked(group, "exact", version, 0, begin)
                beyond += asked(group, "exact", version, 1, begin)
        reached[group] = _executed(tracer.get_data())
    for part in (documented, exact, beyond):
        random.Random(len(part)).shuffle(part)
    return World(version, documented, exact, beyond, reached)


def _executed(data: coverage.CoverageData) -> Executed:
    return {
        file: {
            line: sum(1 << int(number) for number in numbers if number)
            for line, numbers in data.contexts_by_lineno(file).items()
        }
        for file in data.measured_files()
    }


def ask(mutation: Mutation, world: World, seconds: float) -> dict[str, Any]:
    """Ask the suite about one change, in a process of its own."""
    part = world.at(mutation)
    ours, theirs = FORK.Pipe(duplex=False)
    process = FORK.Process(target=_ask, args=(mutation, part, theirs))
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
    return {**result, "groups": [*part.reached], "seconds": round(time.monotonic() - began, 1)}


def _ask(mutation: Mutation, world: World, answer: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        import_changed(mutation)
    except Exception as error:
        answer.send({"status": "not importable", "why": f"{type(error).__name__}: {error}"})
        return
    recorded = RECORDED in world.reached
    answer.send({"exact": asdict(at_exact(world.exact, world.beyond, world.version, recorded=recorded))})
    answer.send({"status": "asked", "documented": asdict(at_documented(world.documented, world.version))})


def changed_lines(mutation: Mutation) -> list[str]:
    """Return the lines that differ."""
    before, after = mutation.path.read_text(encoding="utf-8").splitlines(), mutation.source().splitlines()
    differences = difflib.unified_diff(before, after, lineterm="", n=0)
    return [line for line in differences if line[0] in "+-" and line[:3] not in ("+++", "---")]


if __name__ == "__main__":
    main()
