"""Pods that get the CPUs they ask for, or a refusal, wrongly by one sentence, and rightly."""

from __future__ import annotations

from ...asking.generators.workloads import container, guaranteed, kubelet, pod, static
from ...asking.generators.worlds import admitted, held, node, refused
from ...judging.world import World
from . import admission as chapter

TWO, NINE = guaranteed("p", 2), guaranteed("p", 9)
AFTER_INIT = pod("p", [container("c", cpu="2", memory="64Mi")], [container("i", cpu="16", memory="64Mi")])


def up(*options: str, topology: str | None = None, pool: str | None = None) -> World:
    """Describe a node of four NUMA nodes, 0-3,16-19 to 12-15,28-31, of which CPU 0 is reserved."""
    return node("t3-two-numa-per-socket", static(*options, topology=topology), pool=pool)


NONE = node("t3-two-numa-per-socket", kubelet(topologyManagerPolicy="restricted"))
EIGHT_FREE = up(pool="0-1,4-5,8-9,12-14")

PAIRS = {
    chapter.none_has_no_preference: (refused(NONE, NINE), admitted(NONE, NINE, c=held())),
    chapter.free_cpus_serve: (refused(up(), TWO), admitted(up(), TWO, c=held("1,17"))),
    chapter.init_cpus_serve_later_containers: (
        refused(up(), AFTER_INIT),
        admitted(up(), AFTER_INIT, i=held("4-11,20-27"), c=held("4,20")),
    ),
    chapter.refuses_what_is_not_free: (
        admitted(EIGHT_FREE, NINE, c=held("1,4-5,8-9,12-14,16")),
        refused(EIGHT_FREE, NINE),
    ),
}
