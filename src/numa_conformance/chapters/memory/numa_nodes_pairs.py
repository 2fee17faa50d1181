"""Memory from more NUMA nodes than hold it, and from as few."""

from __future__ import annotations

from ...asking.generators.workloads import guaranteed, static_memory
from ...asking.generators.worlds import admitted, aligned, held, node
from ...wire.history.values import MemoryBits, NodeBits
from . import numa_nodes as chapter

NODE = node("two-nodes-hugepages-devices", static_memory(topology="best-effort"))
ON_BOTH, ON_0 = (
    admitted(NODE, guaranteed("p", 1, "1Gi"), c=held("1", memory=[MemoryBits("memory", 1 << 30, NodeBits(nodes))]))
    for nodes in (0b11, 0b01)
)

PAIRS = {
    chapter.memory_of_the_fewest_nodes: (ON_BOTH, ON_0),
    chapter.memory_of_the_fewest_nodes_around: (aligned(ON_BOTH, "c"), aligned(ON_0, "c")),
}
