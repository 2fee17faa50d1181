"""Pods admitted and refused wrongly under restricted, each by one sentence, and rightly."""

from __future__ import annotations

from dataclasses import replace

from ...asking.generators.workloads import guaranteed, static, static_memory
from ...asking.generators.worlds import admitted, block, held, node, refused
from . import restricted as chapter

THREE, NINE = guaranteed("p", 3), guaranteed("p", 9)
WIDE = guaranteed("p", 17, "30Gi")  # one NUMA node has 16 CPUs and 28 GiB
FOUR_NODES = node(
    "t3-two-numa-per-socket", static(topology="restricted")
)  # 0-3,16-19 to 12-15,28-31; CPU 0 is reserved
TWO_FREE_EACH = node("t3-two-numa-per-socket", static(topology="restricted"), pool="0-2,4-5,8-9,12-13")
HUGE_PAGES = node("two-nodes-hugepages-devices", static_memory(topology="restricted"))
UNALIGNED = replace(refused(TWO_FREE_EACH, THREE), reason="TopologyAffinityError")

PAIRS = {
    chapter.admits_what_can_be_aligned: (refused(FOUR_NODES, NINE), admitted(FOUR_NODES, NINE, c=held("4-7,20-24"))),
    chapter.admits_what_needs_several_nodes: (
        admitted(FOUR_NODES, NINE, c=held("4-5,8-12,20-21")),
        admitted(FOUR_NODES, NINE, c=held("4-7,20-24")),
    ),
    chapter.admits_what_several_nodes_hold: (
        refused(HUGE_PAGES, WIDE),
        admitted(HUGE_PAGES, WIDE, c=held("1-17", memory=[block("memory", 15, 0), block("memory", 15, 1)])),
    ),
    chapter.refuses_unaligned_pods: (admitted(TWO_FREE_EACH, THREE, c=held("4-5,8")), UNALIGNED),
    chapter.refuses_what_nothing_prefers: (admitted(TWO_FREE_EACH, THREE, c=held("4-5,8")), UNALIGNED),
}
