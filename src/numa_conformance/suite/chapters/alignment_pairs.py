"""Memory from more NUMA nodes than hold it, and from as few."""

from __future__ import annotations

from dataclasses import replace

from ..generators.workloads import guaranteed, static_memory
from ..generators.worlds import admitted, held, node
from ..history.answers import Aligned
from ..history.values import Affinity, Block
from ..judge.node_subjects import Admission
from . import alignment as chapter

NODE = node("two-nodes-hugepages-devices", static_memory(topology="best-effort"))


def on(nodes: int) -> Admission:
    """Admit a pod whose GiB lies on NUMA nodes (bits)."""
    return admitted(NODE, guaranteed("p", 1, "1Gi"), c=held("1", memory=[Block("memory", 1 << 30, nodes)]))


def aligned(admission: Admission) -> Admission:
    """Add that the pod was aligned to NUMA node 0."""
    return replace(admission, alignments=(Aligned("c", (), Affinity(0b01, True), admit=True),))


PAIRS = {
    chapter.memory_of_the_fewest_nodes: (on(0b11), on(0b10)),
    chapter.memory_of_the_fewest_nodes_around: (aligned(on(0b11)), aligned(on(0b01))),
}
