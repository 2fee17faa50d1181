"""Nodes that refuse what they admitted when no more was free, and nodes that admit it again."""

from __future__ import annotations

from typing import Any

from ..asking.generators.workloads import container, guaranteed, pod, static
from ..asking.generators.worlds import node
from ..judging.earlier_admissions import RepeatedAdmission
from ..judging.pods import PodSpec
from . import node_admission as chapter

TWO_NODES, FOUR_NODES = (node(machine, static()) for machine in ("two-nodes-devices", "t3-two-numa-per-socket"))
ONE_POD, INIT = guaranteed("p", 1), pod("p", [container("c", cpu="1", memory="64Mi")], [container("i", memory="64Mi")])


def second_admission(wanted: dict[str, Any], *, larger: bool = False) -> tuple[RepeatedAdmission, RepeatedAdmission]:
    """Return a pod that was admitted before and is refused now, and one that is admitted."""
    now, spec = FOUR_NODES if larger else TWO_NODES, PodSpec.of(wanted)
    with_init = len(spec.apps) < len(spec.containers)
    wrong, right = (
        RepeatedAdmission(TWO_NODES, now, spec, admitted, with_init, larger=larger) for admitted in (False, True)
    )
    return wrong, right


PAIRS = {
    chapter.admits_again: second_admission(ONE_POD),
    chapter.admits_on_a_larger_machine: second_admission(ONE_POD, larger=True),
    chapter.small_init_changes_nothing: second_admission(INIT),
}
