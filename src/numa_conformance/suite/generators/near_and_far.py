"""Nodes whose NUMA nodes are near and far: pods that need several of them, under prefer-closest-numa-nodes."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import partial

from ...documentation.policies import TOPOLOGY_SCOPES
from ...machine import Machine
from ..judge.choice import numa_cpus
from ..judge.start_subjects import MOST_NODES
from .cells import Cell
from .scenario import Scenario, Script, come_and_go, or_the_catalogue
from .walks import Walk
from .workloads import guaranteed

__all__ = ["near_and_far"]

MOST_CPUS = 96
NODES = 3
"""How many NUMA nodes are filled, of which the first and the third are emptied again."""
POLICIES = ("best-effort", "restricted")


def near_and_far(
    claimed: frozenset[str], machines: Sequence[Machine] | None = None, *, seed: int = 0
) -> Iterator[Scenario]:
    """Yield lives for each machine whose distances differ, one in each scope.

    The policies that may take several NUMA nodes come in turn, the other one in the other scope.
    """
    known = or_the_catalogue(machines)
    for number, machine in enumerate(filter(_distances_differ, known)):
        for turn, scope in enumerate(TOPOLOGY_SCOPES):
            policy = POLICIES[(number + turn) % len(POLICIES)]
            cell = Cell(machine, True, frozenset(), policy, scope, False, "a thread", closest=True)
            if cell.features <= claimed:
                life = partial(_life, cell, claimed, f"near {seed} {machine.name}")
                yield Scenario("walk", cell.name, machine, life, seed)


def _distances_differ(machine: Machine) -> bool:
    far = {distance for row in machine.distances or () for distance in row}
    few = len(numa_cpus(machine)) > 2 and len(machine.numa_ids) <= MOST_NODES
    return few and len(far) > 2 and len(machine.cpus) <= MOST_CPUS


def _life(cell: Cell, claimed: frozenset[str], name: str) -> Script:
    walk = Walk(cell, claimed, random.Random(name))
    up = yield walk.start()
    if "default_cpuset" not in up:
        return
    walk.saw(up)
    yield from _ask(walk)
    size = min(cpus.bit_count() for cpus in numa_cpus(cell.machine)) - 1
    for number in range(NODES if size else 0):
        yield "node.admit", {"pod": guaranteed(f"node-{number}", size)}
    for number in range(0, NODES if size else 0, 2):
        yield "node.remove", {"uid": f"node-{number}"}
        yield from _ask(walk)


def _ask(walk: Walk) -> Script:
    """Ask for pods that need several NUMA nodes, one after the other."""
    yield from come_and_go((walk.wide(), walk.wide()))
