"""Nodes that refuse or scatter pods under none and best-effort, each by one sentence, and nodes that do not."""

from __future__ import annotations

from ...asking.generators.workloads import guaranteed, static, static_memory
from ...asking.generators.worlds import admitted, aligned, block, held, node, picked, refused
from . import none_and_best_effort as chapter
from .merging_pairs import ON_0, ON_1, merged

TWO, LARGE = guaranteed("p", 2), guaranteed("p", 1, "30Gi")  # one NUMA node has 28 GiB
FOUR_NODES = node("t3-two-numa-per-socket", static(topology="best-effort"))
ON_BOTH = held("1", memory=[block("memory", 28, 0), block("memory", 2, 1)])
HUGE_PAGES = node("two-nodes-hugepages-devices", static_memory(topology="best-effort"))


PAIRS = {
    chapter.none_aligns_nothing: (merged("none", ON_0, to=0b01), merged("none", ON_0, to=None, preferred=False)),
    chapter.admits_what_is_elsewhere: (
        aligned(refused(HUGE_PAGES, LARGE), "c", preferred=False),
        aligned(admitted(HUGE_PAGES, LARGE, c=ON_BOTH), "c", preferred=False),
    ),
    chapter.best_effort_admits: (
        merged("best-effort", ON_0, ON_1, to=0b10, preferred=False, admit=False),
        merged("best-effort", ON_0, ON_1, to=0b10, preferred=False),
    ),
    chapter.aligned_when_possible: (
        admitted(FOUR_NODES, TWO, c=held("1,4")),  # of two NUMA nodes
        admitted(FOUR_NODES, TWO, c=held("1,17")),
    ),
    chapter.follows_the_hint: (
        picked("t3-two-numa-per-socket", "0-31", "4,20", near="0-3,16-19"),
        picked("t3-two-numa-per-socket", "0-31", "0,16", near="0-3,16-19"),
    ),
}
