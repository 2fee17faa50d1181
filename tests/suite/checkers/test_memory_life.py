"""Nodes that give memory away wrongly, each by one requirement, beside one that keeps it."""

from __future__ import annotations

import pytest

from numa_conformance.suite.checkers import memory_life
from numa_conformance.suite.generators.workloads import burstable, guaranteed, static, static_memory
from numa_conformance.suite.judge.node_subjects import Moment, Restart
from worlds import Case, admitted, block, breaks, held, judged_in, node, resident

MEMORY = "memory-manager/"
MACHINE = "two-nodes-hugepages"
"""Two NUMA nodes of 8 GiB, of which half a GiB is in pages of 2 MiB."""
IDLE = node(MACHINE, static_memory())
WITHOUT = node(MACHINE, static())
OWN = guaranteed("p", 1, "1Gi")
GIB = held("1", memory=[block("memory", 1, 1)])


def holding(gib: int) -> Moment:
    wanted = guaranteed("p", 1, f"{gib}Gi")
    return Moment(node(MACHINE, static_memory(), resident(wanted, c=held("1", memory=[block("memory", gib, 1)]))))


def restarted(on: int) -> Restart:
    before = node(MACHINE, static_memory(), resident(OWN, c=GIB))
    return Restart(before, before, True, {"p": {"c": held("1", memory=[block("memory", 1, on)])}})


CASES: dict[str, Case] = {
    MEMORY + "static/guarantees-memory-to-guaranteed-pods": (
        admitted(IDLE, OWN, c=held("1")),
        admitted(IDLE, OWN, c=GIB),
    ),
    MEMORY + "hugepages/come-from-named-nodes": (
        admitted(IDLE, OWN, c=held("1", memory=[block("hugepages-1Gi", 1, 1)])),
        admitted(IDLE, OWN, c=held("1", memory=[block("hugepages-2Mi", 1, 1)])),
    ),
    MEMORY + "static/leaves-other-classes-alone": (
        admitted(IDLE, burstable("p", 1), c=held(memory=[block("memory", 1, 1)])),
        admitted(IDLE, burstable("p", 1), c=held()),
    ),
    MEMORY + "none/pins-nothing": (admitted(WITHOUT, OWN, c=GIB), admitted(WITHOUT, OWN, c=held("1"))),
    MEMORY + "static/never-gives-more-than-is-free": (holding(8), holding(7)),
    MEMORY + "state-file/assignments-survive-a-restart": (restarted(0), restarted(1)),
}


@pytest.mark.parametrize("requirement", CASES)
def test_each_checker_bites_and_spares(requirement: str) -> None:
    wrong, right = CASES[requirement]
    assert (breaks(requirement, wrong), breaks(requirement, right)) == (True, False)


def test_every_checker_has_a_case() -> None:
    assert CASES.keys() == judged_in(memory_life)
