"""Nodes that refuse what they admitted when no more was free, and nodes that admit it again."""

from __future__ import annotations

from typing import Any

from ..asking.generators.workloads import container, guaranteed, pod, static
from ..asking.generators.worlds import held, node, resident
from ..judging.earlier_admissions import RepeatedAdmission
from ..judging.node_subjects import Restart
from ..judging.pods import PodSpec
from ..judging.rest import Balance, Rest
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


def restart(cpus: str) -> Restart:
    """Restart a node with another policy of the Topology Manager; its pod has CPU 1 before."""
    after = node("two-nodes-devices", static(topology="restricted"), resident(ONE_POD, c=held(cpus)))
    return Restart(BUSY, after, False, {"p": {"c": held(cpus)}}, wanted=after.settings)


BUSY = node("two-nodes-devices", static(), resident(ONE_POD, c=held("1")))

PAIRS = {
    chapter.admits_again: second_admission(ONE_POD),
    chapter.admits_on_a_larger_machine: second_admission(ONE_POD, larger=True),
    chapter.small_init_changes_nothing: second_admission(INIT),
    chapter.leaves_the_rest: (
        Rest(BUSY, "refusal", "q", (), (Balance(1, "memory", 6 << 30, 7 << 30),)),
        Rest(BUSY, "refusal", "q", (), (Balance(1, "memory", 7 << 30, 7 << 30),)),
    ),
    chapter.a_restart_leaves_containers: (restart("2"), restart("1")),
}
