"""Nodes that give CPUs away wrongly, each by one requirement, beside one that keeps it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from numa_conformance.suite.chapters import cpu_life, cpu_pool
from numa_conformance.suite.generators.workloads import (
    best_effort,
    burstable,
    container,
    guaranteed,
    kubelet,
    pod,
    static,
)
from numa_conformance.suite.judge.node_subjects import (
    Arrival,
    Moment,
    ReconcilePass,
    Removal,
    Restart,
    Run,
    State,
    Update,
)
from numa_conformance.suite.judge.world import Held, PodOnNode, World
from worlds import Case, admitted, bits, block, breaks, held, judged_in, node, refused, resident

STATIC = "cpu-manager/static/"
POOL = "cpu-manager/shared-pool/"
RESERVATION = "cpu-manager/reservation/"
STRICT = static("strict-cpu-reservation")
OWN, FRACTION = guaranteed("p", 2), guaranteed("p", "1500m")
TWO_APPS = pod("p", [container(name, cpu="1", memory="64Mi") for name in "ab"])


def up(*pods: PodOnNode, config: dict[str, Any] | None = None, **told: str) -> World:
    """Describe a node of four cores, 0,4 to 3,7, of which CPU 0 is reserved."""
    return node("t1-one-socket-smt2", static() if config is None else config, *pods, **told)


def counted(amount: str, reserved: str) -> Arrival:
    """Describe a reservation by number."""
    world = up(config=static(reserved="", kubeReserved={"cpu": amount}), reserved=reserved)
    return Arrival(world.settings, world)


def with_two(cpus: str, **told: str) -> World:
    return up(resident(guaranteed("p", 2), c=held(cpus)), **told)


IDLE = up()
BUSY = with_two("1,5")
SHARING = up(resident(OWN, c=held("1,5")), resident(burstable("s", 1), c=held()), resident(best_effort("t"), c=held()))


def restarted(cpus: str) -> Restart:
    return Restart(BUSY, BUSY, True, {"p": {"c": held(cpus)}})


def reconciled(**sent: str) -> ReconcilePass:
    updates = tuple(Update(uid, "c", bits(cpus)) for uid, cpus in sent.items())
    return ReconcilePass(SHARING, updates, {("s", "c"): bits("0-7"), ("t", "c"): bits("0-7")})


def under_none(**sent: str) -> ReconcilePass:
    world = up(resident(OWN, c=held()), config=kubelet())
    return ReconcilePass(world, tuple(Update(uid, "c", bits(cpus)) for uid, cpus in sent.items()), {("p", "c"): 0})


REFUSED_UNDER_NONE = Arrival(up(config=kubelet()).settings, None, "no")

CASES: dict[str, Case] = {
    "cpu-manager/none/gives-no-exclusive-cpus": (
        admitted(up(config=kubelet()), OWN, c=held("1,5")),
        admitted(up(config=kubelet()), OWN, c=held()),
    ),
    STATIC + "integral-guaranteed-is-exclusive": (admitted(IDLE, OWN, c=held("1")), admitted(IDLE, OWN, c=held("1,5"))),
    STATIC + "fractional-guaranteed-is-shared": (
        admitted(IDLE, FRACTION, c=held("1,5")),
        admitted(IDLE, FRACTION, c=held()),
    ),
    STATIC + "burstable-is-shared": (
        admitted(IDLE, burstable("p", 2), c=held("1,5")),
        admitted(IDLE, burstable("p", 2), c=held()),
    ),
    STATIC + "best-effort-is-shared": (
        admitted(IDLE, best_effort("p"), c=held("1")),
        admitted(IDLE, best_effort("p"), c=held()),
    ),
    "qos/class-is-told-at-admission": (
        admitted(IDLE, FRACTION, "Burstable", c=held()),
        admitted(IDLE, FRACTION, "Guaranteed", c=held()),
    ),
    POOL + "holds-all-cpus-at-first": (
        Arrival(IDLE.settings, up(pool="1-7")),
        Arrival(IDLE.settings, IDLE),
    ),
    "protocol/comes-up": (Arrival(IDLE.settings, None, "no"), Arrival(IDLE.settings, IDLE)),
    RESERVATION + "rounds-up": (counted("1500m", "0"), counted("1500m", "0,4")),
    RESERVATION + "takes-cores-in-ascending-order": (counted("1", "3"), counted("1", "0")),
    POOL + "loses-nothing": (Moment(with_two("1,5", pool="0,2-4,6")), Moment(BUSY)),
    STATIC + "exclusive-cpus-leave-the-shared-pool": (Moment(with_two("1,5", pool="0-7")), Moment(BUSY)),
    STATIC + "exclusive-cpus-belong-to-one-pod": (
        Moment(up(resident(OWN, c=held("1,5")), resident(guaranteed("q", 2), c=held("1,5")))),
        Moment(up(resident(OWN, c=held("1,5")), resident(guaranteed("q", 2), c=held("2,6")))),
    ),
    STATIC + "apps-have-cpus-of-their-own": (
        admitted(IDLE, TWO_APPS, a=held("1"), b=held("1")),
        admitted(IDLE, TWO_APPS, a=held("1"), b=held("5")),
    ),
    RESERVATION + "is-never-exclusive": (Moment(with_two("0,4")), Moment(BUSY)),
    RESERVATION + "stays-in-the-shared-pool": (Moment(up(pool="1-7")), Moment(IDLE)),
    "cpu-manager/strict-cpu-reservation/keeps-pods-off-reserved-cpus": (
        Moment(up(config=STRICT, pool="0-7")),
        Moment(up(config=STRICT)),
    ),
    POOL + "never-empties": (Moment(up(pool="")), Moment(up(pool="0"))),
    POOL + "regains-cpus-on-removal": (
        Removal(BUSY, BUSY.without("p"), "p", True),
        Removal(BUSY, IDLE, "p", True),
    ),
    "topology-manager/admission/a-refused-pod-leaves-the-node-as-it-was": (
        refused(IDLE, guaranteed("p", 9), pool="0"),
        refused(IDLE, guaranteed("p", 9)),
    ),
    STATIC + "keeps-cpus-while-it-runs": (
        Run(BUSY, BUSY, "p", {"c": held("2,6")}),
        Run(BUSY, BUSY, "p", {"c": held("1,5")}),
    ),
    STATIC + "keeps-cpus-when-admitted-again": (
        admitted(BUSY, OWN, c=held("2,6")),
        admitted(BUSY, OWN, c=held("1,5")),
    ),
    "protocol/state-agrees-with-answers": (
        State(BUSY, {"p": {"c": held("2,6")}}),
        State(BUSY, {"p": {"c": held("1,5")}}),
    ),
    "cpu-manager/state-file/assignments-survive-a-restart": (restarted("2,6"), restarted("1,5")),
    "cpu-manager/reconcile/sends-what-is-assigned": (reconciled(p="0,2-4,6-7"), reconciled(p="1,5", s="0,2-4,6-7")),
    "cpu-manager/reconcile/none-writes-nothing": (under_none(p="0-7"), under_none()),
    "cpu-manager/none/needs-no-reservation": (
        REFUSED_UNDER_NONE,
        Arrival(REFUSED_UNDER_NONE.settings, up(config=kubelet())),
    ),
    "cpu-manager/reconcile/running-containers-get-their-cpusets": (
        reconciled(s="0,2-4,6-7"),
        reconciled(s="0,2-4,6-7", t="0,2-4,6-7"),
    ),
}


@pytest.mark.parametrize("requirement", CASES)
def test_each_checker_bites_and_spares(requirement: str) -> None:
    wrong, right = CASES[requirement]
    assert (breaks(requirement, wrong), breaks(requirement, right)) == (True, False)


def test_every_checker_has_a_case() -> None:
    assert CASES.keys() >= judged_in(cpu_life) | judged_in(cpu_pool)


def test_an_ended_init_container_may_have_left_its_cpus_to_either() -> None:
    wanted = pod("p", [container("c", cpu="1", memory="64Mi")], [container("i", cpu="2", memory="64Mi")])
    ran = replace(resident(wanted, i=held("1,5"), c=held("1")), ran=True)
    for pool in ("0,2-4,6-7", "0,2-7"):
        assert breaks(POOL + "loses-nothing", Moment(up(ran, pool=pool))) is False


@pytest.mark.parametrize(
    ("told", "breaking"),
    [
        (held("1,5", memory=[block("memory", 1, 0)], devices={"r": "a"}), False),
        (held("1,5", memory=[block("memory", 1, 1)], devices={"r": "a"}), True),
        (held("1,5", memory=[block("memory", 1, 0)], devices={"r": "b"}), True),
        (held("1,5", memory=[block("memory", 1, 0)]), True),
        (Held(bits("1,5")), False),
    ],
    ids=["all", "other memory", "another device", "no device", "CPUs alone"],
)
def test_what_a_node_tells_of_memory_and_devices_is_what_it_gave(told: Held, breaking: bool) -> None:
    given = held("1,5", memory=[block("memory", 1, 0)], devices={"r": "a"})
    assert (
        breaks("protocol/state-agrees-with-answers", State(up(resident(OWN, c=given)), {"p": {"c": told}})) is breaking
    )
