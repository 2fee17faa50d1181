"""Pods admitted, aligned and refused wrongly, each by one sentence, and rightly."""

from __future__ import annotations

from dataclasses import replace

from ...asking.generators.workloads import burstable, container, guaranteed, pod, static
from ...asking.generators.worlds import admitted, aligned, held, node, refused
from ...judging.world import World
from ...wire.history.values import HoldingBits
from . import admission as chapter

GPU = "example.com/gpu"
TWO, WITH_TWO, SHARED = guaranteed("p", 2), guaranteed("p", 2, **{GPU: "2"}), burstable("p", 2)
AFTER_INIT = pod("p", [container("c", cpu="2", memory="64Mi")], [container("i", cpu="2", memory="64Mi")])


def up(policy: str) -> World:
    """Describe a node of two NUMA nodes, 0-3,8-11 and 4-7,12-15, with two GPUs each."""
    return node("two-nodes-devices", static(topology=policy))


def holds(cpus: str, *gpus: str) -> HoldingBits:
    """Describe what a container holds."""
    return held(cpus, devices={GPU: gpus})


BEST_EFFORT, RESTRICTED = up("best-effort"), up("restricted")
INIT_ADMITTED = admitted(BEST_EFFORT, AFTER_INIT, i=held("1,9"), c=held("1,9"))
REFUSED = refused(RESTRICTED, TWO)
UNALIGNED = replace(REFUSED, reason="TopologyAffinityError")

PAIRS = {
    chapter.nothing_to_align_is_admitted: (refused(RESTRICTED, SHARED), admitted(RESTRICTED, SHARED, c=held())),
    chapter.admits_what_one_node_holds: (
        refused(RESTRICTED, WITH_TWO),
        admitted(RESTRICTED, WITH_TWO, c=holds("1,9", "gpu-0", "gpu-1")),
    ),
    chapter.keeps_together: (
        admitted(BEST_EFFORT, WITH_TWO, c=holds("1,9", "gpu-2", "gpu-3")),
        admitted(BEST_EFFORT, WITH_TWO, c=holds("4,12", "gpu-2", "gpu-3")),
    ),
    chapter.uses_the_merged_hint: (
        aligned(admitted(BEST_EFFORT, TWO, c=held("4,12", hint=0b10)), "c"),
        aligned(admitted(BEST_EFFORT, TWO, c=held("1,9", hint=0b01)), "c"),
    ),
    chapter.aligns_init_containers_first: (aligned(INIT_ADMITTED, "c", "i"), aligned(INIT_ADMITTED, "i", "c")),
    chapter.refuses_what_is_not_admitted: (
        aligned(admitted(RESTRICTED, TWO, c=held("1,9")), "c", admit=False),
        aligned(UNALIGNED, "c", admit=False),
    ),
    chapter.calls_it_an_affinity_error: (aligned(REFUSED, "c", admit=False), aligned(UNALIGNED, "c", admit=False)),
    chapter.refused_pods_are_terminated: (replace(REFUSED, phase="Pending"), replace(REFUSED, phase="Failed")),
    chapter.says_what_cannot_be_aligned: (
        UNALIGNED,
        replace(UNALIGNED, message="Resources cannot be allocated with Topology locality"),
    ),
}
