"""Nodes that start, answer, restart and resize wrongly, each by one sentence, and nodes that do it rightly."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from numa_conformance.asking.generators.workloads import (
    burstable,
    container,
    guaranteed,
    kubelet,
    pod,
    static,
    static_memory,
)
from numa_conformance.chapters import node_admission, protocol, resize, restart, settings
from numa_conformance.judging.earlier_admissions import RepeatedAdmission
from numa_conformance.judging.node_subjects import Arrival, Call, Crash, Recovery, RefusedStart, Resize, Restart, State
from numa_conformance.judging.pods import PodSpec
from numa_conformance.judging.rest import Balance, Rest
from numa_conformance.judging.settings import Settings
from numa_conformance.judging.start_subjects import Start
from numa_conformance.judging.world import AdmittedPod, World

from .worlds import admitted, bits, block, first, held, node, refused, resident, start

ANSWERED = node("t1-one-socket-smt2", static(), resident(guaranteed("p", 2), c=held("1,5")))

FOUR = "t3-two-numa-per-socket"  # 0-3,16-19 to 12-15,28-31
TWO_NODES, FOUR_NODES = (node(machine, static()) for machine in ("two-nodes-devices", FOUR))
ONE_POD, INIT = guaranteed("p", 1), pod("p", [container("c", cpu="1", memory="64Mi")], [container("i", memory="64Mi")])


def second_admission(wanted: dict[str, Any], *, larger: bool = False) -> tuple[RepeatedAdmission, RepeatedAdmission]:
    """Return a pod that was admitted before and is refused now, and one that is admitted."""
    now, spec = FOUR_NODES if larger else TWO_NODES, PodSpec.of(wanted)
    with_init = len(spec.apps) < len(spec.containers)
    wrong, right = (RepeatedAdmission(now, spec, admitted, with_init, larger=larger) for admitted in (False, True))
    return wrong, right


def moved(cpus: str) -> Restart:
    """Restart a node with another policy of the Topology Manager; its pod has CPU 1 before."""
    after = node("two-nodes-devices", static(topology="restricted"), resident(ONE_POD, c=held(cpus)))
    return Restart(BUSY, after, False, {"p": {"c": held(cpus)}}, wanted=after.settings)


BUSY = node("two-nodes-devices", static(), resident(ONE_POD, c=held("1")))

EMPTY, UNRESERVED = node("t1-one-socket-smt2", static()), Settings.of(static(reserved=""))


def up(pool: str, **pods: str) -> World:
    """Describe a node of eight CPUs with pods that run."""
    running = [replace(resident(guaranteed(uid, 2), c=held(cpus)), ran=True) for uid, cpus in pods.items()]
    return node("t1-one-socket-smt2", static(), *running, pool=pool)


BEFORE = up("0,3-4,7", a="1,5", b="2,6")


def crash(pool: str, **pods: str) -> Crash:
    """Crash a node whose pods have CPUs 1 and 5, 2 and 6."""
    return Crash(BEFORE, up(pool, **pods), {uid: {"c": held(cpus)} for uid, cpus in pods.items()})


def recovery(pool: str, **pods: str) -> Recovery:
    """Start with damaged files."""
    return Recovery(up(pool, **pods), {uid: {"c": held(cpus)} for uid, cpus in pods.items()})


STATIC = static()
INFEASIBLE, DEFERRED = "Infeasible", "Deferred"
EXCLUSIVE = resident(guaranteed("p", 2), c=held("1,9"))
SHARED = resident(burstable("p", 2), c=held())


def resized(
    to: Mapping[str, Any],
    reason: str = "",
    pool: str = "0-15",
    was: AdmittedPod = SHARED,
    on: Mapping[str, Any] = STATIC,
) -> Resize:
    """Describe a resize that is granted, or pending for a reason, and the shared pool then."""
    before = node("two-nodes-devices", on, was)
    after = replace(before, pool=bits(pool))
    return Resize(before, after, was, PodSpec.of(to), not reason, was.held, reason)


def exclusive(to: Mapping[str, Any], reason: str = "", on: Mapping[str, Any] = STATIC) -> Resize:
    """Describe the same of a pod that has CPUs of its own."""
    return resized(to, reason, "0,2-8,10-15", EXCLUSIVE, on)


THREE, TOO_MANY, MEMORY = burstable("p", 3), burstable("p", 17), guaranteed("p", 2, "128Mi")
PINNED = static_memory()

NINE, LARGE = guaranteed("p", 9), guaranteed("p", 1, "900Gi")
SIX_EACH = pod("p", [container(name, cpu="6", memory="64Mi") for name in "ab"])
RESTRICTED = kubelet(topologyManagerPolicy="restricted")
SINGLE = {**static(), "topologyManagerPolicy": "single-numa-node"}


def unknown(**fields: Any) -> tuple[Start, Start]:
    """Return a node that comes up with a value that does not exist, and one that does not."""
    return start(FOUR, kubelet(**fields)), start(FOUR, kubelet(**fields), up=False)


PAIRS = {
    settings.cpu_policy_defaults_to_none: (
        start(FOUR, kubelet(), first(NINE, c=held("0-8"))),
        start(FOUR, kubelet(), first(NINE, c=held())),
    ),
    settings.memory_policy_defaults_to_none: (
        start(FOUR, static(), first(NINE, c=held("1-9", memory=[block("memory", 1, 0)]))),
        start(FOUR, static(), first(NINE, c=held("1-9"))),
    ),
    settings.topology_policy_defaults_to_none: (
        start(FOUR, static(), first(NINE, False)),
        start(FOUR, static(), first(NINE, c=held("1-9"))),
    ),
    settings.scope_defaults_to_container: (
        start(FOUR, SINGLE, first(SIX_EACH, False)),
        start(FOUR, SINGLE, first(SIX_EACH, a=held("4-6,20-22"), b=held("8-10,24-26"))),
    ),
    settings.no_cpus_without_the_cpu_manager: (
        start(FOUR, RESTRICTED, first(NINE, False)),
        start(FOUR, RESTRICTED, first(NINE, c=held())),
    ),
    settings.no_memory_without_the_memory_manager: (
        start(FOUR, RESTRICTED, first(LARGE, False)),
        start(FOUR, RESTRICTED, first(LARGE, c=held())),
    ),
    settings.unknown_cpu_policy_is_refused: unknown(cpuManagerPolicy="x"),
    settings.unknown_topology_policy_is_refused: unknown(topologyManagerPolicy="x"),
    settings.unknown_scope_is_refused: unknown(topologyManagerPolicy="none", topologyManagerScope="x"),
    settings.unknown_memory_policy_is_refused: unknown(memoryManagerPolicy="x"),
    protocol.comes_up: (Arrival(ANSWERED.settings, None, "no"), Arrival(ANSWERED.settings, ANSWERED)),
    protocol.knows_its_pods: (Call(ANSWERED, "p", False), Call(ANSWERED, "p", True)),
    protocol.state_agrees_with_answers: (
        State(ANSWERED, {"p": {"c": held("2,6")}}),
        State(ANSWERED, {"p": {"c": held("1,5")}}),
    ),
    node_admission.admits_again: second_admission(ONE_POD),
    node_admission.admits_a_pod_that_is_there: (refused(BUSY, ONE_POD), admitted(BUSY, ONE_POD, c=held("1"))),
    node_admission.admits_on_a_larger_machine: second_admission(ONE_POD, larger=True),
    node_admission.small_init_changes_nothing: second_admission(INIT),
    node_admission.refuses_more_than_is_allocatable: (
        admitted(ANSWERED, burstable("q", 6), c=held()),
        refused(ANSWERED, burstable("q", 6)),
    ),
    node_admission.grants_no_more_than_is_allocatable: (
        resized(burstable("p", 16)),
        resized(burstable("p", 16), "Deferred"),
    ),
    node_admission.leaves_the_rest: (
        Rest(BUSY, "refusal", "q", (), (Balance(1, "memory", 6 << 30, 7 << 30),)),
        Rest(BUSY, "refusal", "q", (), (Balance(1, "memory", 7 << 30, 7 << 30),)),
    ),
    node_admission.a_restart_leaves_containers: (moved("2"), moved("1")),
    restart.admits_again_what_was_there: (
        Restart(BEFORE, EMPTY, True, {"a": {"c": held("1,5")}}, {"b": "TopologyAffinityError"}),
        Restart(BEFORE, BEFORE, True, {"a": {"c": held("1,5")}, "b": {"c": held("2,6")}}),
    ),
    restart.refuses_what_a_start_refuses: (
        RefusedStart(UNRESERVED, True, "nothing is reserved"),
        RefusedStart(UNRESERVED, False, "nothing is reserved"),
    ),
    restart.comes_up_after_a_crash: (Crash(BEFORE, None, refusal="broken"), crash("0,3-4,7", a="1,5", b="2,6")),
    restart.no_cpu_in_two_places: (crash("0,2-4,6-7", a="1,5", b="1,5"), crash("0,3-4,7", a="2,6", b="1,5")),
    restart.no_running_container_moves: (crash("0,3-4,7", a="2,6", b="1,5"), crash("0,3-4,7", a="1,5", b="2,6")),
    restart.nothing_is_given_twice: (recovery("0-7", a="1,5"), recovery("0,2-4,6-7", a="1,5")),
    restart.no_unknown_cpus: (recovery("0-9"), recovery("0-7")),
    resize.exclusive_cpus_are_not_resized: (exclusive(guaranteed("p", 3)), exclusive(guaranteed("p", 3), INFEASIBLE)),
    resize.static_memory_is_not_resized: (exclusive(MEMORY, on=PINNED), exclusive(MEMORY, INFEASIBLE, PINNED)),
    resize.more_than_the_node_has_is_not_granted: (resized(TOO_MANY), resized(TOO_MANY, INFEASIBLE)),
    resize.what_can_never_be_is_infeasible: (resized(TOO_MANY, DEFERRED), resized(TOO_MANY, INFEASIBLE)),
    resize.what_may_be_later_is_deferred: (resized(THREE, INFEASIBLE), resized(THREE, DEFERRED)),
    resize.what_there_is_room_for_is_granted: (resized(THREE, DEFERRED, on=kubelet()), resized(THREE, on=kubelet())),
    resize.pending_changes_nothing: (resized(THREE, DEFERRED, "3-15"), resized(THREE, DEFERRED)),
    resize.shared_containers_get_no_cpus_of_their_own: (resized(THREE, pool="3-15"), resized(THREE)),
}
