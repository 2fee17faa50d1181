"""Nodes that send wrong cpusets or bound the wrong containers, each by one sentence, and nodes that do not."""

from __future__ import annotations

from ...asking.generators.workloads import best_effort, burstable, guaranteed, kubelet, static
from ...asking.generators.worlds import admitted, bits, held, node, resident
from ...judging.node_subjects import Admission, ReconcilePass
from ...judging.world import World
from ...wire.history.values import UpdateBits
from . import reconcile as chapter

MACHINE = "t1-one-socket-smt2"
"""Eight CPUs."""
EXCLUSIVE, FRACTION = guaranteed("p", 2), guaranteed("p", "1500m")
NONE, STATIC = node(MACHINE, kubelet()), node(MACHINE, static())
UNDER_NONE = NONE.with_pod(resident(EXCLUSIVE, c=held()))
SHARING = node(
    MACHINE,
    static(),
    resident(EXCLUSIVE, c=held("1,5")),
    *(resident(pod, c=held()) for pod in (burstable("s", 1), best_effort("t"))),
)


def loop(world: World, **sent: str) -> ReconcilePass:
    """Describe a pass that sends CPUs to containers of pods; all of them ran on all CPUs."""
    runs_on = {(uid, "c"): bits("0-7") for uid, pod in world.pods.items() if not pod.held["c"].cpus}
    return ReconcilePass(world, tuple(UpdateBits(uid, "c", bits(cpus)) for uid, cpus in sent.items()), runs_on)


def bounded(world: World, quota: int, cpus: str = "") -> Admission:
    """Admit a pod with a limit of 1.5 CPUs, or of 2 where it has CPUs."""
    return admitted(world, EXCLUSIVE if cpus else FRACTION, c=held(cpus, quota=quota))


PAIRS = {
    chapter.sends_what_is_assigned: (loop(SHARING, p="0,2-4,6-7"), loop(SHARING, p="1,5", s="0,2-4,6-7")),
    chapter.runs_on_what_is_assigned: (loop(SHARING, s="0,2-4,6-7"), loop(SHARING, s="0,2-4,6-7", t="0,2-4,6-7")),
    chapter.none_writes_nothing: (loop(UNDER_NONE, p="0-7"), loop(UNDER_NONE)),
    chapter.none_enforces_limits: (bounded(NONE, -1), bounded(NONE, 150_000)),
    chapter.static_enforces_shared_limits: (bounded(STATIC, 100_000), bounded(STATIC, 150_000)),
    chapter.exclusive_cpus_have_no_quota: (bounded(STATIC, 200_000, "1,5"), bounded(STATIC, -1, "1,5")),
}
