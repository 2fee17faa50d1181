"""Pods admitted and refused wrongly under single-numa-node, each by one sentence, and rightly."""

from __future__ import annotations

from dataclasses import replace

from ...asking.generators.workloads import guaranteed, static
from ...asking.generators.worlds import admitted, held, node, refused
from . import single_numa_node as chapter

GPU = "example.com/gpu"
TWO, NINE, WITH_THREE = guaranteed("p", 2), guaranteed("p", 9), guaranteed("p", 2, **{GPU: "3"})
FOUR_NODES = node("t3-two-numa-per-socket", static(topology="single-numa-node"))  # 0-3,16-19 to 12-15,28-31
DEVICES = node("two-nodes-devices", static(topology="single-numa-node"))  # two GPUs on each NUMA node

PAIRS = {
    chapter.admits_what_one_node_holds: (refused(FOUR_NODES, TWO), admitted(FOUR_NODES, TWO, c=held("1,17"))),
    chapter.refuses_what_needs_several_nodes: (
        admitted(FOUR_NODES, NINE, c=held("4-7,20-24")),
        refused(FOUR_NODES, NINE),
    ),
    chapter.refuses_what_no_node_holds: (
        admitted(DEVICES, WITH_THREE, c=held("1,9", devices={GPU: ["gpu-0", "gpu-1", "gpu-2"]})),
        replace(refused(DEVICES, WITH_THREE), reason="TopologyAffinityError"),
    ),
    chapter.gives_one_node: (admitted(FOUR_NODES, TWO, c=held("1,4")), admitted(FOUR_NODES, TWO, c=held("1,17"))),
}
