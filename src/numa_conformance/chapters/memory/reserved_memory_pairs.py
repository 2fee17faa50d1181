"""Nodes that must have 356 MiB of reservedMemory: starts that are wrong, and right."""

from __future__ import annotations

from ...asking.generators.workloads import guaranteed, kubelet, pinning, static_memory
from ...asking.generators.worlds import held, node, resident, start
from ...judging.node_subjects import Arrival, NodeMoment
from ...judging.start_subjects import Start
from ...sources.versions import NEWEST
from ...wire.history.values import MemoryBits, NodeBits
from ...wire.messages.node import MemoryNode, MemoryTable
from . import reserved_memory as chapter

MACHINE = "two-nodes-hugepages"
GIB = 1 << 30


def starts(*entries: tuple[int, str, str]) -> tuple[Start, Start]:
    """Describe a node that comes up with entries of reservedMemory (NUMA node, type, amount), and one that does not."""
    listed = [{"numaNode": node, "limits": {kind: amount}} for node, kind, amount in entries]
    config = kubelet(**{**pinning(0), "reservedMemory": listed})
    came_up, down = (start(MACHINE, config, up=up, version=str(NEWEST)) for up in (True, False))
    return came_up, down


def gives(gib: float) -> NodeMoment:
    """Give so much of NUMA node 0, where 356 MiB are reserved, and 7.5 GiB are not in huge pages."""
    memory = [MemoryBits("memory", int(gib * GIB), NodeBits(0b01))]
    return NodeMoment(node(MACHINE, static_memory(), resident(guaranteed("p", 1, "1Gi"), c=held("1", memory=memory))))


def books(gib: int) -> Arrival:
    """Describe a node that reserves a GiB of NUMA node 0, and whose books have so much to give there."""
    world = node(MACHINE, static_memory(reservedMemory=[{"numaNode": 0, "limits": {"memory": "1Gi"}}]))
    table = MemoryTable(8 * GIB, 0, gib * GIB, 0, gib * GIB)
    return Arrival(world.settings, world, memory=(MemoryNode(0, 0, [0], tables={"memory": table}),))


PAIRS = {
    chapter.reserved_memory_is_mandatory: starts(),
    chapter.reserved_memory_must_match: starts((0, "memory", "355Mi")),
    chapter.reserved_memory_that_matches: starts((0, "memory", "100Mi"), (1, "memory", "256Mi"))[::-1],
    chapter.refuses_duplicates: starts((0, "memory", "178Mi"), (0, "memory", "178Mi")),
    chapter.refuses_zero_limits: starts((0, "memory", "356Mi"), (1, "memory", "0")),
    chapter.refuses_unknown_numa_nodes: starts((9, "memory", "356Mi")),
    chapter.refuses_unknown_types: starts((0, "memory", "356Mi"), (0, "swap", "1")),
    chapter.never_gives_what_is_reserved: (gives(7.5), gives(7)),
    chapter.has_no_reserved_memory_to_give: (books(7), books(6)),
}
