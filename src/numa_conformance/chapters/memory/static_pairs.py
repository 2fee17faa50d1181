"""Two NUMA nodes of 8 GiB, of which 0.5 GiB are huge pages: nodes that give memory away wrongly, and that keep it."""

from __future__ import annotations

from msgspec.structs import replace

from ...asking.generators.workloads import burstable, guaranteed, static, static_memory
from ...asking.generators.worlds import admitted, bits, block, held, node, refused, resident
from ...judging.may_run import MayRun
from ...judging.node_subjects import NodeMoment
from ...judging.rest import REMOVAL, Balance, Rest
from ...judging.world import World
from ...wire.history.values import HoldingBits, MemoryBits, NodeBits
from ...wire.messages.node import MemoryNode
from . import static as chapter

MACHINE, PAGES = "two-nodes-hugepages", "hugepages-2Mi"
IDLE, NONE = (node(MACHINE, config) for config in (static_memory(), static()))
SMALL, SIX, LARGE = (guaranteed("p", 1, f"{gib}Gi") for gib in (1, 6, 17))
SHARING = burstable("p", 1)
WITH_PAGES = guaranteed("p", 1, "1Gi", **{PAGES: "64Mi"})


def holds(gib: int, on: int = 1, cpus: str = "1") -> HoldingBits:
    """Describe what a container holds: a CPU, and memory of a NUMA node."""
    return held(cpus, memory=[block("memory", gib, on)])


def pages(mib: int) -> HoldingBits:
    """Describe what a container holds: a GiB of the second NUMA node, and huge pages there."""
    return held("1", memory=[block("memory", 1, 1), MemoryBits(PAGES, mib << 20, NodeBits(0b10))])


def up(topology: str = "none", **pods: HoldingBits) -> World:
    """Describe a node with pods that ask for a GiB of memory each."""
    return node(
        MACHINE, static_memory(topology), *(resident(guaranteed(uid, 1, "1Gi"), c=has) for uid, has in pods.items())
    )


def grouped(*nodes: int) -> NodeMoment:
    """Give each of two pods a GiB of some NUMA nodes (bits)."""
    first, second = (held(memory=[MemoryBits("memory", 1 << 30, NodeBits(bits))]) for bits in nodes)
    return NodeMoment(up("restricted", p=first, q=second))


def books(free: int) -> NodeMoment:
    """Describe books by which so many GiB are free of NUMA node 0, where a pod holds one."""
    return NodeMoment(up(p=holds(1, on=0)), (MemoryNode(0, 1, [0], {"memory": free << 30}),))


def emptied(free: int) -> Rest:
    """Describe books after a pod was removed that had a GiB of NUMA node 0, of which 6 GiB were free."""
    return Rest(up(p=holds(1, on=0)), REMOVAL, "p", (), (Balance(1, "memory", free << 30, 7 << 30),))


def taking_memory_from(nodes: str) -> MayRun:
    """Describe a container that has a GiB of NUMA node 0."""
    memory = replace(holds(1, on=0), mems=bits(nodes))
    return MayRun(up(p=memory), "p", "c", memory, True)


REMOVED = up("single-numa-node", a=holds(6, on=0), b=holds(6)).removed("a")

PAIRS = {
    chapter.guarantees_memory: (admitted(IDLE, SMALL, c=held("1")), admitted(IDLE, SMALL, c=holds(1))),
    chapter.none_pins_nothing: (admitted(NONE, SMALL, c=holds(1)), admitted(NONE, SMALL, c=held("1"))),
    chapter.leaves_other_classes_alone: (
        admitted(IDLE, SHARING, c=holds(1, cpus="")),
        admitted(IDLE, SHARING, c=held()),
    ),
    chapter.huge_pages_come_from_named_nodes: (
        admitted(IDLE, SMALL, c=held("1", memory=[block("hugepages-1Gi", 1, 1)])),
        admitted(IDLE, SMALL, c=pages(64)),
    ),
    chapter.huge_pages_are_given_by_size: (
        admitted(IDLE, WITH_PAGES, c=holds(1)),
        admitted(IDLE, WITH_PAGES, c=pages(64)),
    ),
    chapter.gives_no_more_huge_pages_than_there_are: (NodeMoment(up(p=pages(600))), NodeMoment(up(p=pages(512)))),
    chapter.never_gives_more_than_there_is: (NodeMoment(up(p=holds(8))), NodeMoment(up(p=holds(7)))),
    chapter.books_count_what_is_given: (books(free=7), books(free=6)),
    chapter.keeps_groups_apart: (grouped(0b01, 0b11), grouped(0b01, 0b10)),
    chapter.refuses_what_does_not_fit: (admitted(IDLE, LARGE, c=holds(17)), refused(IDLE, LARGE)),
    chapter.memory_returns: (refused(REMOVED, SIX), admitted(REMOVED, SIX, c=holds(6, on=0))),
    chapter.the_books_show_it_as_free: (emptied(free=6), emptied(free=7)),
    chapter.memory_is_where_it_was_given: (taking_memory_from("0-1"), taking_memory_from("0")),
}
