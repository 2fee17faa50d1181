"""``python -m strength``: change the reference at random, ask the suite, write what it noticed."""

from __future__ import annotations

import argparse
import difflib
import gc
import json
import multiprocessing
import resource
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import coverage

from numa_conformance.suite.groups import GROUPS

from .asking import Asked, asked, at_documented, at_exact, import_changed
from .mutations import PACKAGE, ROOMS, Mutation, drawn, statement_lines
from .table import table, write_table

FORK = multiprocessing.get_context("fork")
MEMORY = 6 << 30
HANGS = {"changes": True, "caught": "timed out"}


@dataclass(frozen=True, slots=True)
class World:
    """What the unchanged reference answered: at both levels, and at level exact beyond what the suite asks."""

    documented: Sequence[Asked]
    exact: Sequence[Asked]
    beyond: Sequence[Asked]
    reached: coverage.CoverageData


def main(arguments: Sequence[str] | None = None) -> None:
    """Run, one change at a time."""
    parser = argparse.ArgumentParser(prog="strength", description=__doc__)
    parser.add_argument("--each", type=int, default=25, help="changes in each room (default: 25)")
    parser.add_argument("--room", action="append", choices=ROOMS, help="only this room; may be repeated")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--group", action="append", choices=list(GROUPS), help="ask only this group; may be repeated")
    parser.add_argument("--seconds", type=float, default=60.0, help="time of one change, at both levels together")
    parser.add_argument("--results", type=Path, default=Path("strength.jsonl"), help="one line for each change")
    parser.add_argument("--page", type=Path, help="the page whose table is written anew")
    options = parser.parse_args(arguments)
    world = unchanged(options.group or list(GROUPS))
    gc.freeze()
    results: list[dict[str, Any]] = []
    with options.results.open("w", encoding="utf-8") as file:
        for room in options.room or ROOMS:
            for mutation in drawn(room, options.each, options.seed):
                came = ask(mutation, world, options.seconds)
                results.append({"room": room, **asdict(mutation), "diff": changed_lines(mutation), **came})
                file.write(json.dumps(results[-1]) + "\n")
                file.flush()
    sys.stdout.write(table(results))
    if options.page:
        write_table(options.page, table(results))


def unchanged(groups: Sequence[str]) -> World:
    """Ask the unchanged reference everything once, and note which of its lines that reaches."""
    tracer = coverage.Coverage(data_file=None, source=[str(PACKAGE / room) for room in ROOMS])
    with tracer.collect():
        documented, exact = asked(groups, "documented"), asked(groups, "exact")
    return World(documented, exact, asked(groups, "exact", seed=1), tracer.get_data())


def ask(mutation: Mutation, world: World, seconds: float) -> dict[str, Any]:
    """Ask the suite about one change, in a process of its own."""
    lines = world.reached.lines(str(mutation.path)) or []
    if not set(statement_lines(mutation.path, mutation.line)) & set(lines):
        return {"status": "not reached"}
    ours, theirs = FORK.Pipe(duplex=False)
    process = FORK.Process(target=_ask, args=(mutation, world, theirs))
    began = time.monotonic()
    process.start()
    theirs.close()
    result: dict[str, Any] = {"status": "asked", "exact": HANGS, "documented": HANGS}
    try:
        while ours.poll(max(seconds - (time.monotonic() - began), 0)):
            result.update(ours.recv())
    except EOFError:
        pass
    process.kill()
    process.join()
    return {**result, "seconds": round(time.monotonic() - began, 1)}


def _ask(mutation: Mutation, world: World, answer: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        import_changed(mutation)
    except Exception as error:
        answer.send({"status": "not importable", "why": f"{type(error).__name__}: {error}"})
        return
    answer.send({"exact": asdict(at_exact(world.exact, world.beyond))})
    answer.send({"documented": asdict(at_documented(world.documented))})


def changed_lines(mutation: Mutation) -> list[str]:
    """Return the lines that differ."""
    before, after = mutation.path.read_text(encoding="utf-8").splitlines(), mutation.source().splitlines()
    differences = difflib.unified_diff(before, after, lineterm="", n=0)
    return [line for line in differences if line[0] in "+-" and line[:3] not in ("+++", "---")]


if __name__ == "__main__":
    main()
