"""Nodes that enforce cpusets and quota and keep their state file wrongly, each by one sentence, and rightly."""

from msgspec.structs import replace

from numa_conformance.asking.generators.workloads import best_effort, burstable, guaranteed, kubelet, static
from numa_conformance.chapters.cpu import cpusets, reconcile, state_file
from numa_conformance.judging.files import CPU_FILE
from numa_conformance.judging.may_run import MayRun
from numa_conformance.judging.node_subjects import Admission, ForeignStart, ReconcilePass, Restart
from numa_conformance.judging.world import AdmittedPod, World
from numa_conformance.wire.history.values import UpdateBits

from .worlds import admitted, bits, held, node, resident, sighting

MACHINE = "t1-one-socket-smt2"
"""Eight CPUs."""
STATIC, STRICT, NONE = (node(MACHINE, each) for each in (static(), static("strict-cpu-reservation"), kubelet()))
EXCLUSIVE, FRACTION = guaranteed("p", 2), guaranteed("p", "1500m")
ON_TWO = resident(EXCLUSIVE, c=held("1,5"))
BUSY = STATIC.with_pod(ON_TWO)


def shared_on(cpuset: str, *others: AdmittedPod, world: World | None = None, given_up: str = "") -> MayRun:
    """Describe a shared container on these CPUs, after the last cpuset was sent."""
    holds = held(cpuset=cpuset)
    pod = replace(resident(burstable("s", 1), c=holds), ran=True, lost={"c": bits(given_up)})
    return MayRun((world or node(MACHINE, static(), *others)).with_pod(pod), "s", "c", holds, True)


def exclusive_on(cpuset: str) -> MayRun:
    """Describe a container that has CPUs 1 and 5."""
    holds = held("1,5", cpuset=cpuset)
    return MayRun(node(MACHINE, static(), resident(guaranteed("p", 2), c=holds)), "p", "c", holds, True)


UNDER_NONE = NONE.with_pod(resident(EXCLUSIVE, c=held()))
SHARING = node(MACHINE, static(), ON_TWO, *(resident(pod, c=held()) for pod in (burstable("s", 1), best_effort("t"))))


def loop(world: World, **sent: str) -> ReconcilePass:
    """Describe a pass that sends CPUs to containers of pods; all of them ran on all CPUs."""
    runs_on = {(uid, "c"): bits("0-7") for uid, pod in world.pods.items() if not pod.held["c"].cpus}
    return ReconcilePass(world, tuple(UpdateBits(uid, "c", bits(cpus)) for uid, cpus in sent.items()), runs_on)


def bounded(world: World, quota: int, cpus: str = "") -> Admission:
    """Admit a pod with a limit of 1.5 CPUs, or of 2 where it has CPUs."""
    return admitted(world, EXCLUSIVE if cpus else FRACTION, c=held(cpus, quota=quota))


def same(cpus: str) -> Restart:
    """Restart a node whose pod has CPUs 1 and 5."""
    return Restart(BUSY, BUSY, True, {"p": {"c": held(cpus)}})


def changed(wanted: World, *deleted: str, up: bool, refusal: str = "") -> Restart:
    """Restart an empty node with policy static as another one, with or without its state file."""
    after = wanted if up else None
    return Restart(STATIC, after, False, refusal=refusal, wanted=wanted.settings, deleted=frozenset(deleted))


TO_NONE, TO_STRICT = changed(NONE, up=False), changed(STRICT, up=False)
HELPFUL = "policy static is not none: delete cpu_manager_state"

PAIRS = {
    cpusets.keeps_off_exclusive_cpus: (shared_on("0-7", ON_TWO), shared_on("0,2-4", ON_TWO)),
    cpusets.is_never_empty: (shared_on(""), shared_on("2")),
    cpusets.is_online: (shared_on("0,9"), shared_on("0")),
    cpusets.holds_the_exclusive_cpus: (exclusive_on("0-1,5"), exclusive_on("1,5")),
    cpusets.regains_cpus_on_removal: (shared_on("0,2-4,6-7", given_up="1,5"), shared_on("0-7", given_up="1,5")),
    cpusets.none_keeps_nobody_to_some: (shared_on("0-6", world=NONE), shared_on("0-7", world=NONE)),
    reconcile.sends_what_is_assigned: (loop(SHARING, p="0,2-4,6-7"), loop(SHARING, p="1,5", s="0,2-4,6-7")),
    reconcile.runs_on_what_is_assigned: (loop(SHARING, s="0,2-4,6-7"), loop(SHARING, s="0,2-4,6-7", t="0,2-4,6-7")),
    reconcile.none_writes_nothing: (loop(UNDER_NONE, p="0-7"), loop(UNDER_NONE)),
    reconcile.none_enforces_limits: (bounded(NONE, -1), bounded(NONE, 150_000)),
    reconcile.static_enforces_shared_limits: (bounded(STATIC, 100_000), bounded(STATIC, 150_000)),
    reconcile.exclusive_cpus_have_no_quota: (bounded(STATIC, 200_000, "1,5"), bounded(STATIC, -1, "1,5")),
    state_file.cpus_survive_a_restart: (same("2,6"), same("1,5")),
    state_file.cpu_file_can_be_read: (
        sighting(BUSY, of=CPU_FILE, damage="the checksum is another"),
        sighting(BUSY, of=CPU_FILE),
    ),
    state_file.policy_change_is_refused: (changed(NONE, up=True), TO_NONE),
    state_file.changed_cpus_are_refused: (ForeignStart(STATIC.settings, True), ForeignStart(STATIC.settings, False)),
    state_file.strict_change_is_refused: (changed(STRICT, up=True), TO_STRICT),
    state_file.policy_change_names_the_file: (TO_NONE, changed(NONE, up=False, refusal=HELPFUL)),
    state_file.policy_change_works: (changed(NONE, CPU_FILE, up=False), changed(NONE, CPU_FILE, up=True)),
}
