"""Relations: the same pods are asked for again and again, where no less is free than when they were admitted."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ...machine import Machine, machine_to_dict
from .cells import Cell
from .scenario import Scenario, Script
from .walks import Walk
from .workloads import container, pod

__all__ = ["related"]

Json = dict[str, Any]
PODS, LESS = 3, 0.5


def related(cells: Iterable[Cell], claimed: frozenset[str], *, seed: int = 0) -> Iterator[Scenario]:
    """Yield for each cell a life in which a few pods come and go, each time with as much free or more."""
    for number, cell in enumerate(cells):
        name = f"relation {seed} {number} {cell.machine.name} {cell.name}"
        yield Scenario("relation", cell.name, cell.machine, partial(_life, cell, claimed, name), seed)


def _life(cell: Cell, claimed: frozenset[str], name: str) -> Script:
    lot = random.Random(name)
    walk = Walk(cell, claimed, lot)
    method, question = walk.start()
    up = yield method, question
    if "default_cpuset" not in up:
        return
    walk.saw(up)
    pods = [walk.wide(), *(walk.alone() for _ in range(PODS))]
    yield from _ask(pods)
    yield from walk.fragment()
    yield from _ask(pods)
    yield from _ask(pods)
    if "cpu-manager/init-containers" in claimed:
        yield from _ask([_with_init(wanted, lot) for wanted in pods])
    if "node/restart" in claimed:
        restarted = yield "node.restart", {}
        if restarted.get("result") != "restarted":
            return
        yield from _ask(pods)
    for uid in walk.there[::2]:
        yield "node.remove", {"uid": uid}
    yield from _ask(pods)
    for same in (cell.machine, None):
        machine = machine_to_dict(cell.machine) if same else _in_another_order(cell.machine)
        yield method, {"machine": machine, **question}
        yield from _ask(pods)


def _ask(pods: Sequence[Json]) -> Script:
    for wanted in pods:
        if (yield "node.admit", {"pod": wanted}).get("result") == "admitted":
            yield "node.remove", {"uid": wanted["metadata"]["uid"]}


def _with_init(wanted: Mapping[str, Any], lot: random.Random) -> Json:
    """Add one or two init containers that ask for as much as the app container, or for fewer CPUs."""
    (app,) = wanted["spec"]["containers"]
    resources = app.get("resources") or {}
    asked = {**resources.get("limits", {}), **resources.get("requests", {})}
    if "limits" not in resources:
        return pod(wanted["metadata"]["uid"], [app], init=[container("i")])
    cpu = asked.get("cpu", "0")
    size = int(cpu) if cpu.isdigit() else 0
    less = str(lot.randint(1, size)) if size and lot.random() < LESS else cpu
    sizes = [cpu, less] if lot.random() < LESS else [less]
    limits = [{**resources["limits"], "cpu": cpus} for cpus in sizes]
    init = [{"name": f"i{n}", "image": "example", "resources": {"limits": amounts}} for n, amounts in enumerate(limits)]
    return pod(wanted["metadata"]["uid"], [app], init=init)


def _in_another_order(machine: Machine) -> Json:
    """Tell a machine with its CPUs and devices in the opposite order."""
    described = machine_to_dict(machine)
    return {
        **described,
        **{name: list(reversed(described[name])) for name in ("cpus", "devices") if described.get(name)},
    }
