"""Nodes that refuse or scatter pods under none and best-effort, each by one sentence, and nodes that do not."""

from __future__ import annotations

from dataclasses import replace

from ...generators.workloads import guaranteed, static, static_memory
from ...generators.worlds import admitted, block, held, node, refused
from ...history.answers import Aligned
from ...history.values import Affinity
from ...judge.node_subjects import Admission
from . import none_and_best_effort as chapter
from .merging_pairs import ON_0, ON_1, merged

TWO, LARGE = guaranteed("p", 2), guaranteed("p", 1, "30Gi")  # one NUMA node has 28 GiB
FOUR_NODES = node("t3-two-numa-per-socket", static(topology="best-effort"))
HUGE_PAGES = node("two-nodes-hugepages-devices", static_memory(topology="best-effort"))


def on_node_0(admission: Admission) -> Admission:
    """Add that nobody preferred NUMA node 0, to which the pod was aligned."""
    return replace(admission, alignments=(Aligned("c", (), Affinity(1, False), admit=True),))


PAIRS = {
    chapter.none_aligns_nothing: (merged("none", ON_0, to=0b01), merged("none", ON_0, to=None, preferred=False)),
    chapter.admits_what_is_elsewhere: (
        on_node_0(refused(HUGE_PAGES, LARGE)),
        on_node_0(admitted(HUGE_PAGES, LARGE, c=held("1", memory=[block("memory", 28, 0), block("memory", 2, 1)]))),
    ),
    chapter.best_effort_admits: (
        merged("best-effort", ON_0, ON_1, to=0b10, preferred=False, admit=False),
        merged("best-effort", ON_0, ON_1, to=0b10, preferred=False),
    ),
    chapter.aligned_when_possible: (
        admitted(FOUR_NODES, TWO, c=held("1,4")),  # of two NUMA nodes
        admitted(FOUR_NODES, TWO, c=held("1,17")),
    ),
}
