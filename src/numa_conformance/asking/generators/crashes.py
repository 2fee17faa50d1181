"""Crashes: the node agent ends after each write of its state files in turn, and comes up with what is there."""

import random
from collections.abc import Iterable, Iterator
from functools import partial

from ...cpuset import CpuSet
from .cell_kubelets import kubelet_of
from .cells import Cell
from .scenario import Question, Scenario, Script
from .workloads import guaranteed

NEEDED = frozenset({"node/restart", "node/writes"})
"""What a target must claim to be asked."""
FILES: Question = ("node.checkpoints", {})


def crashes(cells: Iterable[Cell], *, seed: int = 0) -> Iterator[Scenario]:
    """Yield for each cell a node on which pods run, and which crashes while one comes and while one goes."""
    for number, cell in enumerate(cells):
        if cell.static:
            name = f"crash {seed} {number} {cell.machine.name} {cell.name}"
            yield Scenario("crash", cell.name, cell.machine, partial(_crash, cell, name), seed)


def _crash(cell: Cell, name: str) -> Script:
    lot = random.Random(name)
    up = yield "node.start", {"kubelet": kubelet_of(cell, lot)}
    if "default_cpuset" not in up:
        return
    threads = cell.machine.core_bits[0].bit_count()
    free = len(CpuSet.parse(up["default_cpuset"]))
    running = []
    for uid in ("first", "second"):
        answer = yield "node.admit", {"pod": guaranteed(uid, threads * lot.randint(1, max(1, free // threads // 4)))}
        if answer.get("result") == "admitted":
            running.append(uid)
            yield "node.run", {"uid": uid}
    coming = guaranteed("coming", threads * lot.randint(1, 2))
    yield from _crashing(("node.admit", {"pod": coming}))
    if running:
        yield from _crashing(("node.remove", {"uid": lot.choice(running)}))


def _crashing(question: Question) -> Script:
    """Ask for something, then restart from the state files before each of the writes it took, and after the last."""
    before = yield FILES
    yield question
    after = yield FILES
    texts: dict[str, str | None] = dict(before["checkpoints"])
    names = texts.keys() | after["checkpoints"].keys()
    for write in [*(after.get("writes") or ()), None]:
        answer = yield "node.restart", {"files": {name: texts.get(name) for name in sorted({*names, *texts})}}
        if answer.get("result") != "restarted":
            return
        if write is not None:
            texts[write["file"]] = write["text"]
