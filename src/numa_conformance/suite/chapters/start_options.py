"""Which options of the Topology Manager take effect. Page: Control Topology Management Policies on a node."""

from __future__ import annotations

from ..judge.chapter import Chapter, Judgement, applies, violated
from ..judge.start_subjects import MANY_NODES, MOST_NODES, Start

chapter = Chapter(since="1.26")


@chapter.requires(
    "topology-manager/policy-options/need-their-gates",
    "topology-manager/best-effort",
    on=Start,
    rests_on=("topology/policy-options/gates",),
    until="1.35",
)
def options_need_their_gates(start: Start) -> Judgement:
    """max-allowable-numa-nodes allows no further NUMA nodes while a gate hides it."""
    nodes = start.nodes_in_use
    applies(start.named == {MANY_NODES}, "max-allowable-numa-nodes is not named, or is not alone")
    applies(start.shows(MANY_NODES) is False, "the option is visible, or a gate is set that is locked or gone")
    applies(nodes > MOST_NODES, "the machine has no more than eight NUMA nodes")
    why = f"the option allows {nodes} NUMA nodes while it is hidden"
    return violated(not start.up, why, allowed="the node does not come up")
