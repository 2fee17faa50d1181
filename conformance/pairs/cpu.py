"""Nodes that reserve, choose, give and share CPUs wrongly, each by one sentence, and nodes that do it rightly."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from msgspec.structs import replace

from numa_conformance.asking.generators.workloads import (
    best_effort,
    burstable,
    container,
    guaranteed,
    kubelet,
    pod,
    static,
)
from numa_conformance.chapters.cpu import admission, hints, lifecycle, reservation, shared_pool
from numa_conformance.chapters.cpu import static as policy
from numa_conformance.chapters.pairs import twin
from numa_conformance.judging.choice import CpuChoice
from numa_conformance.judging.hinted import CpuHints
from numa_conformance.judging.may_run import MayRun
from numa_conformance.judging.node_subjects import Arrival, NodeMoment, Removal
from numa_conformance.judging.rest import START, Rest, Stay
from numa_conformance.judging.settings import Settings
from numa_conformance.judging.start_subjects import Start
from numa_conformance.judging.world import AdmittedPod, World
from numa_conformance.machine import load_machine
from numa_conformance.wire.history.values import Affinity, NodeBits

from . import worlds
from .worlds import admitted, bits, held, node, picked, refused, resident

MACHINE = "t1-one-socket-smt2"
"""Four cores, 0,4 to 3,7."""
TWO, NINE, FRACTION = (guaranteed("p", cpus) for cpus in (2, 9, "1500m"))
STRICT = static("strict-cpu-reservation")


def up(*pods: AdmittedPod, pool: str | None = None) -> World:
    """Describe a node with policy static, of which CPU 0 is reserved."""
    return node(MACHINE, static(), *pods, pool=pool)


def two(cpus: str, uid: str = "p") -> AdmittedPod:
    """Describe a pod that asks for two CPUs and has these."""
    return resident(guaranteed(uid, 2), c=held(cpus))


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


def two_of(cpus: str) -> CpuChoice:
    """Choose CPUs where two are asked for."""
    return CpuChoice(up().machine, frozenset(), bits("1-7"), 2, bits(cpus))


def both(first: str, second: str) -> NodeMoment:
    """Give CPUs to each of two pods."""
    return NodeMoment(up(two(first), two(second, "q")))


TWO_APPS = pod("p", [container(name, cpu="1", memory="64Mi") for name in "ab"])
BUSY, LARGE = up(two("1,5")), guaranteed("q", 9)
UNDER_NONE = node(MACHINE, kubelet())
AFTER_SIXTEEN = pod("p", [container("c", cpu="2", memory="64Mi")], [container("i", cpu="16", memory="64Mi")])


def of_four(*options: str, topology: str | None = None, pool: str | None = None) -> World:
    """Describe a node of four NUMA nodes, 0-3,16-19 to 12-15,28-31, of which CPU 0 is reserved."""
    return node("t3-two-numa-per-socket", static(*options, topology=topology), pool=pool)


RESTRICTED = node("t3-two-numa-per-socket", kubelet(topologyManagerPolicy="restricted"))
EIGHT_FREE = of_four(pool="0-1,4-5,8-9,12-14")

CORES = partial(picked, MACHINE)
NODES = partial(picked, "t3-two-numa-per-socket")
"""Two sockets of two NUMA nodes, each of four cores: 0,16 to 3,19, and so on."""
CORE_RESERVED = node(MACHINE, static(reserved="0,4"))
LIMITS = pod("p", [container("c", cpu="2", memory="64Mi")])
AFTER_INIT = pod("p", [container("c", cpu="2", memory="64Mi")], [container("i", cpu="1", memory="64Mi")])


def hinted(
    count: int, offered: str | None, free: str = "1-11", *, reusable: str = "", held: str | None = None
) -> CpuHints:
    """Describe the hints for so many CPUs; a set of NUMA nodes with a star is preferred, None is no opinion.

    NUMA node 0 has the CPUs 0, 2 to 10, of which the first is reserved; node 1 has 1, 3 to 11.
    """
    sets = None if offered is None else [(NodeBits(bits(text.strip("*"))), "*" in text) for text in offered.split()]
    return CpuHints(
        load_machine("t2-two-sockets-interleaved"),
        Settings.of(static(reserved="0")),
        count,
        bits(free),
        bits(reusable),
        None if held is None else bits(held),
        None if sets is None else tuple(Affinity(nodes, preferred) for nodes, preferred in sets),
    )


PAIRS = {
    reservation.none_needs_no_reservation: (
        Arrival(UNDER_NONE.settings, None, "no"),
        Arrival(UNDER_NONE.settings, UNDER_NONE),
    ),
    reservation.must_be_positive: (start(amount("0"), reserved=""), start(amount("0"))),
    reservation.explicit_list_is_taken: (start(static(reserved="5"), "0"), start(static(reserved="5"), "5")),
    reservation.explicit_list_must_exist: (start(static(reserved="5,9"), "5"), start(static(reserved="5,9"))),
    reservation.adds_kube_and_system: (start(amount("1", "1"), "0"), start(amount("1", "1"), "0,4")),
    reservation.rounds_up: (arrival("1500m", "0"), arrival("1500m", "0,4")),
    reservation.takes_cores_in_ascending_order: (arrival("1", "3"), arrival("1", "0")),
    reservation.reserves_by_ascending_core_id: (start(amount("2"), "0-1"), start(amount("2"), "0,4")),
    reservation.reserved_is_never_exclusive: (NodeMoment(up(two("0,4"))), NodeMoment(BUSY)),
    reservation.all_but_reserved_are_allocatable: (
        Arrival(up().settings, up(), allocatable=bits("0-7")),
        Arrival(up().settings, up(), allocatable=bits("1-7")),
    ),
    reservation.reserved_stays_in_the_pool: (NodeMoment(up(pool="1-7")), NodeMoment(up(two("1,5")))),
    reservation.strict_keeps_pods_off: (
        NodeMoment(node(MACHINE, STRICT, pool="0-7")),
        NodeMoment(node(MACHINE, STRICT)),
    ),
    reservation.strict_keeps_a_container_off: (running("0,2"), running("2")),
    shared_pool.pool_holds_all_cpus_at_first: (
        Arrival(up().settings, up(pool="1-7")),
        Arrival(up().settings, up(pool="0-7")),
    ),
    shared_pool.pool_loses_nothing: (NodeMoment(up(two("1,5"), pool="0,2-4,6")), NodeMoment(BUSY)),
    shared_pool.exclusive_cpus_leave_the_pool: (NodeMoment(up(two("1,5"), pool="0-7")), NodeMoment(BUSY)),
    shared_pool.pool_never_empties: (NodeMoment(up(pool="")), NodeMoment(up(pool="0"))),
    shared_pool.pool_regains_cpus: (Removal(BUSY, BUSY.without("p"), "p", True), Removal(BUSY, up(), "p", True)),
    shared_pool.refused_pod_leaves_no_trace: (refused(BUSY, LARGE, pool="0"), refused(BUSY, LARGE)),
    lifecycle.gives_the_number: (admitted(up(), TWO, c=held("1")), admitted(up(), TWO, c=held("1,5"))),
    lifecycle.chooses_the_number: (two_of("1"), two_of("1,5")),
    lifecycle.fractional_is_shared: (admitted(up(), FRACTION, c=held("1,5")), admitted(up(), FRACTION, c=held())),
    lifecycle.burstable_is_shared: (
        admitted(up(), burstable("p", 2), c=held("1,5")),
        admitted(up(), burstable("p", 2), c=held()),
    ),
    lifecycle.best_effort_is_shared: (
        admitted(up(), best_effort("p"), c=held("1")),
        admitted(up(), best_effort("p"), c=held()),
    ),
    lifecycle.none_gives_none: (admitted(UNDER_NONE, TWO, c=held("1,5")), admitted(UNDER_NONE, TWO, c=held())),
    lifecycle.exclusive_cpus_belong_to_one_pod: (both("1,5", "5-6"), both("1,5", "2,6")),
    lifecycle.apps_have_cpus_of_their_own: (
        admitted(up(), TWO_APPS, a=held("1"), b=held("1")),
        admitted(up(), TWO_APPS, a=held("1"), b=held("5")),
    ),
    lifecycle.starting_changes_nothing: (
        Rest(BUSY, START, "p", (Stay("container c of pod p", held("1,5"), held("2,6")),)),
        Rest(BUSY, START, "p", (Stay("container c of pod p", held("1,5"), held("1,5")),)),
    ),
    lifecycle.keeps_its_cpus: (admitted(BUSY, TWO, c=held("2,6")), admitted(BUSY, TWO, c=held("1,5"))),
    admission.none_has_no_preference: (refused(RESTRICTED, NINE), admitted(RESTRICTED, NINE, c=held())),
    admission.free_cpus_serve: (refused(of_four(), TWO), admitted(of_four(), TWO, c=held("1,17"))),
    admission.init_cpus_serve_later_containers: (
        refused(of_four(), AFTER_SIXTEEN),
        admitted(of_four(), AFTER_SIXTEEN, i=held("4-11,20-27"), c=held("4,20")),
    ),
    admission.refuses_what_is_not_free: (
        admitted(EIGHT_FREE, NINE, c=held("1,4-5,8-9,12-14,16")),
        refused(EIGHT_FREE, NINE),
    ),
    policy.limits_alone_give_cpus: (
        admitted(CORE_RESERVED, LIMITS, c=held()),
        admitted(CORE_RESERVED, LIMITS, c=held("1,5")),
    ),
    policy.init_containers_and_sidecars_are_eligible: (
        admitted(CORE_RESERVED, AFTER_INIT, i=held(), c=held("1,5")),
        admitted(CORE_RESERVED, AFTER_INIT, i=held("1"), c=held("1,5")),
    ),
    policy.gives_free_cpus_only: (CORES("1-7", "0,4"), CORES("1-7", "1,5")),
    policy.packs_few_cores: (CORES("0-7", "0-1"), CORES("0-7", "3,7")),
    twin(policy.packs_few_cores): (CORES("1-7", "1-2"), CORES("1-7", "1,5")),
    policy.packs_few_numa_nodes: (NODES("0-31", "0,4,8,12,16,20,24,28"), NODES("0-31", "4-7,20-23")),
    policy.packs_few_numa_nodes_in_use: (NODES("1-15,17-31", "1,4,8,12,17,20,24,28"), NODES("1-15,17-31", "4-7,20-23")),
    hints.none_without_exclusive_cpus: (hinted(0, "0*"), hinted(0, None)),
    hints.every_hint_can_hold: (hinted(6, "0* 1* 0-1"), hinted(6, "1* 0-1")),
    hints.offers_every_narrowest_set: (hinted(4, "0* 0-1"), hinted(4, "0* 1* 0-1")),
    hints.offers_every_set: (hinted(4, "0* 1*"), hinted(4, "0* 1* 0-1")),
    hints.preferred_is_narrowest: (hinted(4, "0* 1* 0-1*"), hinted(4, "0* 1* 0-1")),
    hints.init_cpus_are_reusable: (hinted(3, "", "1", reusable="3,5"), hinted(3, "1* 0-1", "1", reusable="3,5")),
    hints.covers_reusable_cpus: (hinted(2, "0* 1* 0-1", reusable="3"), hinted(2, "1* 0-1", reusable="3")),
    hints.held_cpus_give_the_same: (hinted(2, "0*", held="1,3"), hinted(2, "1* 0-1", held="1,3")),
    hints.none_for_another_number: (hinted(3, "1*", held="1,3"), hinted(3, "", held="1,3")),
    hints.none_where_too_few: (hinted(2, "1*", "1"), hinted(2, "", "1")),
}
