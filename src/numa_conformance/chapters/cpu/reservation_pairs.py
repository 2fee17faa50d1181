"""Nodes that reserve other CPUs than they should, or give reserved ones away, and nodes that do not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...asking.generators import worlds
from ...asking.generators.workloads import burstable, guaranteed, kubelet, static
from ...asking.generators.worlds import bits, held, node, resident
from ...judging.may_run import MayRun
from ...judging.node_subjects import Arrival, NodeMoment
from ...judging.start_subjects import Start
from ...judging.world import World
from . import reservation as chapter

MACHINE = "t1-one-socket-smt2"
"""Four cores, 0,4 to 3,7."""


def start(config: Mapping[str, Any], reserved: str | None = None) -> Start:
    """Describe a node that comes up with these reserved CPUs; None: it does not come up."""
    if reserved is None:
        return worlds.start(MACHINE, config, up=False)
    return replace(worlds.start(MACHINE, config), reserved=bits(reserved))


def amount(cpus: str, more: str = "0") -> dict[str, Any]:
    """Reserve an amount for Kubernetes, and one for the system."""
    return static(reserved="", kubeReserved={"cpu": cpus}, systemReserved={"cpu": more})


def arrival(cpus: str, reserved: str) -> Arrival:
    """Describe a node that comes up with an amount reserved."""
    world = node(MACHINE, amount(cpus), reserved=reserved)
    return Arrival(world.settings, world)


def running(cpuset: str) -> MayRun:
    """Describe a shared container under strict-cpu-reservation, with CPU 0 reserved."""
    shared = held(cpuset=cpuset)
    return MayRun(node(MACHINE, STRICT, resident(burstable("p", 1), c=shared)), "p", "c", shared, True)


def busy(cpus: str) -> World:
    """Give CPUs to a pod, with CPU 0 reserved."""
    return node(MACHINE, static(), resident(guaranteed("p", 2), c=held(cpus)))


NONE, STRICT = node(MACHINE, kubelet()), static("strict-cpu-reservation")

PAIRS = {
    chapter.none_needs_no_reservation: (Arrival(NONE.settings, None, "no"), Arrival(NONE.settings, NONE)),
    chapter.must_be_positive: (start(amount("0"), reserved=""), start(amount("0"))),
    chapter.explicit_list_is_taken: (start(static(reserved="5"), "0"), start(static(reserved="5"), "5")),
    chapter.explicit_list_must_exist: (start(static(reserved="5,9"), "5"), start(static(reserved="5,9"))),
    chapter.adds_kube_and_system: (start(amount("1", "1"), "0"), start(amount("1", "1"), "0,4")),
    chapter.rounds_up: (arrival("1500m", "0"), arrival("1500m", "0,4")),
    chapter.takes_cores_in_ascending_order: (arrival("1", "3"), arrival("1", "0")),
    chapter.reserves_by_ascending_core_id: (start(amount("2"), "0-1"), start(amount("2"), "0,4")),
    chapter.reserved_is_never_exclusive: (NodeMoment(busy("0,4")), NodeMoment(busy("1,5"))),
    chapter.reserved_stays_in_the_pool: (NodeMoment(node(MACHINE, static(), pool="1-7")), NodeMoment(busy("1,5"))),
    chapter.strict_keeps_pods_off: (NodeMoment(node(MACHINE, STRICT, pool="0-7")), NodeMoment(node(MACHINE, STRICT))),
    chapter.strict_keeps_a_container_off: (running("0,2"), running("2")),
}
