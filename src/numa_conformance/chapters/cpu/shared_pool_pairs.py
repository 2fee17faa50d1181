"""Nodes whose shared pool lacks CPUs or has too many, and nodes whose pool is right."""

from __future__ import annotations

from ...asking.generators.workloads import guaranteed, static
from ...asking.generators.worlds import held, node, refused, resident
from ...judging.node_subjects import Arrival, NodeMoment, Removal
from ...judging.world import World
from . import shared_pool as chapter


def empty(pool: str | None = None) -> World:
    """Describe a node of eight CPUs, of which CPU 0 is reserved."""
    return node("t1-one-socket-smt2", static(), pool=pool)


def busy(pool: str) -> World:
    """Describe the node with a pod that has CPUs 1 and 5."""
    return node("t1-one-socket-smt2", static(), resident(guaranteed("p", 2), c=held("1,5")), pool=pool)


BUSY, LARGE = busy("0,2-4,6-7"), guaranteed("q", 9)

PAIRS = {
    chapter.pool_holds_all_cpus_at_first: (
        Arrival(empty().settings, empty("1-7")),
        Arrival(empty().settings, empty("0-7")),
    ),
    chapter.pool_loses_nothing: (NodeMoment(busy("0,2-4,6")), NodeMoment(BUSY)),
    chapter.exclusive_cpus_leave_the_pool: (NodeMoment(busy("0-7")), NodeMoment(BUSY)),
    chapter.pool_never_empties: (NodeMoment(empty("")), NodeMoment(empty("0"))),
    chapter.pool_regains_cpus: (Removal(BUSY, BUSY.without("p"), "p", True), Removal(BUSY, empty(), "p", True)),
    chapter.refused_pod_leaves_no_trace: (refused(BUSY, LARGE, pool="0"), refused(BUSY, LARGE)),
}
