"""Nodes that give memory away wrongly, each by one requirement, beside one that keeps it."""

from __future__ import annotations

import pytest

from numa_conformance.protocol.messages.node import MemoryNode, MemoryTable
from numa_conformance.suite.chapters import memory_life
from numa_conformance.suite.generators.workloads import burstable, guaranteed, static, static_memory
from numa_conformance.suite.history.values import Block
from numa_conformance.suite.judge.node_subjects import Arrival, Moment
from worlds import Case, admitted, block, breaks, held, judged_in, node, refused, resident

MEMORY = "memory-manager/"
MACHINE = "two-nodes-hugepages"
"""Two NUMA nodes of 8 GiB, of which half a GiB is in pages of 2 MiB."""
IDLE = node(MACHINE, static_memory())
WITHOUT = node(MACHINE, static())
OWN = guaranteed("p", 1, "1Gi")
GI = 1 << 30
GIB = held("1", memory=[block("memory", 1, 1)])


def holding(gib: int) -> Moment:
    wanted = guaranteed("p", 1, f"{gib}Gi")
    return Moment(node(MACHINE, static_memory(), resident(wanted, c=held("1", memory=[block("memory", gib, 1)]))))


def reserving(gib: float) -> Moment:
    """Give so much of the first NUMA node, where 356 MiB are reserved."""
    held_here = held("1", memory=[Block("memory", int(gib * GI), 1)])
    return Moment(node(MACHINE, static_memory(), resident(OWN, c=held_here)))


LARGE, SMALL = guaranteed("p", 1, "17Gi"), guaranteed("p", 1, "6Gi")
LEFT = [resident(guaranteed(name, 1, "6Gi"), c=held(memory=[block("memory", 6, at)])) for at, name in enumerate("ab")]
REMOVED = node(MACHINE, static_memory("single-numa-node"), *LEFT).removed("a")


def on_groups(*nodes: int) -> Moment:
    """Give each of two pods a GiB of some NUMA nodes (bits)."""
    pods = [resident(guaranteed(f"p{bits}", 1, "1Gi"), c=held(memory=[Block("memory", GI, bits)])) for bits in nodes]
    return Moment(node(MACHINE, static_memory("restricted"), *pods))


def came_up(gib: int) -> Arrival:
    """Describe a start with 1 GiB reserved on NUMA node 0, which says that it has so much to give there."""
    reserved = static_memory(reservedMemory=[{"numaNode": 0, "limits": {"memory": "1Gi"}}])
    table = MemoryTable(8 << 30, 0, gib << 30, 0, gib << 30)
    world = node(MACHINE, reserved)
    return Arrival(world.settings, world, memory=(MemoryNode(0, 0, [0], tables={"memory": table}),))


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
    MEMORY + "reserved-memory/is-never-given": (reserving(7.5), reserving(7)),
    MEMORY + "static/keeps-groups-apart": (on_groups(0b01, 0b11), on_groups(0b01, 0b10)),
    MEMORY + "static/refuses-what-does-not-fit": (
        admitted(IDLE, LARGE, c=held("1", memory=[block("memory", 17, 0)])),
        refused(IDLE, LARGE),
    ),
    MEMORY + "static/returns-memory-on-removal": (
        refused(REMOVED, SMALL),
        admitted(REMOVED, SMALL, c=held("1", memory=[block("memory", 6, 0)])),
    ),
}


def test_huge_pages_are_given_as_asked_for_and_no_more_than_there_are() -> None:
    named, pages = MEMORY + "hugepages/come-from-named-nodes", "hugepages-2Mi"
    wanted = guaranteed("p", 1, "1Gi", **{pages: "64Mi"})
    for mebibytes in (0, 64):
        blocks = [block("memory", 1, 1), Block(pages, mebibytes << 20, 2)]
        assert breaks(named, admitted(IDLE, wanted, c=held("1", memory=blocks))) is (mebibytes == 0)
    for mebibytes in (512, 600):
        there = resident(wanted, c=held("1", memory=[Block(pages, mebibytes << 20, 1)]))
        assert breaks(named, Moment(node(MACHINE, static_memory(), there))) is (mebibytes == 600)


@pytest.mark.parametrize("requirement", CASES)
def test_each_checker_bites_and_spares(requirement: str) -> None:
    wrong, right = CASES[requirement]
    assert (breaks(requirement, wrong), breaks(requirement, right)) == (True, False)


def test_every_checker_has_a_case() -> None:
    assert CASES.keys() == judged_in(memory_life)


@pytest.mark.parametrize(("gib", "broken"), [(7, True), (6, False)])
def test_books_at_the_start_count_no_reserved_memory(gib: int, broken: bool) -> None:
    assert breaks(MEMORY + "reserved-memory/is-never-given", came_up(gib)) is broken


@pytest.mark.parametrize(("free", "broken"), [(7, True), (6, False)])
def test_books_count_what_containers_hold(free: int, broken: bool) -> None:
    books = (MemoryNode(0, 1, [0], {"memory": free * GI}),)
    world = node(MACHINE, static_memory(), resident(OWN, c=held("1", memory=[block("memory", 1, 0)])))
    assert breaks(MEMORY + "static/never-gives-more-than-is-free", Moment(world, books)) is broken
