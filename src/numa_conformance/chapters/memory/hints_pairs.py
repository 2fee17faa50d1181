"""Hints for memory on two NUMA nodes of 7.5 GiB, and 0.5 GiB in huge pages, each: what each sentence finds wrong."""

from __future__ import annotations

from ...asking.generators.workloads import static, static_memory
from ...asking.generators.worlds import node
from ...judging.offered import MemoryHints
from ...judging.world import World
from ...wire.history.values import Affinity, NodeBits
from . import hints as chapter

IDLE, NONE = (node("two-nodes-hugepages", config) for config in (static_memory(), static()))
ANY, FIRST, SECOND = Affinity(None, True), Affinity(NodeBits(0b01), True), Affinity(NodeBits(0b10), True)
BOTH, WRONGLY_BOTH = (Affinity(NodeBits(0b11), preferred) for preferred in (False, True))


def guaranteed(gib: int, *hints: Affinity, mib_of_pages: int = 0) -> MemoryHints:
    """Describe the hints for what a Guaranteed pod asks for."""
    amounts = {"memory": gib << 30} | ({"hugepages-2Mi": mib_of_pages << 20} if mib_of_pages else {})
    return MemoryHints(IDLE, "Guaranteed", amounts, {"memory": hints})


def burstable(hint: Affinity, world: World = IDLE) -> MemoryHints:
    """Describe the hint for a Burstable pod."""
    return MemoryHints(world, "Burstable", {}, {"memory": (hint,)})


PAIRS = {
    chapter.can_guarantee: (guaranteed(10, FIRST), guaranteed(10, BOTH)),
    chapter.every_type_counts: (guaranteed(1, FIRST, mib_of_pages=600), guaranteed(1, BOTH, mib_of_pages=600)),
    chapter.gives_no_hint_where_none_can: (guaranteed(20, ANY), guaranteed(20)),
    chapter.guaranteed_pods_have_some: (guaranteed(1, ANY), guaranteed(1, FIRST)),
    chapter.default_for_other_classes: (burstable(FIRST), burstable(ANY)),
    chapter.default_under_none: (burstable(FIRST, NONE), burstable(ANY, NONE)),
    chapter.offers_every_narrowest_set: (guaranteed(1, FIRST, BOTH), guaranteed(1, FIRST, SECOND, BOTH)),
    chapter.preferred_is_narrowest: (guaranteed(1, FIRST, WRONGLY_BOTH), guaranteed(1, FIRST, BOTH)),
}
