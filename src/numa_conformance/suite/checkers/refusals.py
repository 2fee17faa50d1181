"""What a refused pod tells its user: the phase in its status, and the message."""

from __future__ import annotations

from ...cpuset import format_bits
from ..judge.alignment import asks_for_devices
from ..judge.checker import Judgement, checker, violated
from ..judge.choice import WHOLE_CORES, adds_up
from ..judge.node_subjects import Admission

FAILED = "Failed"
TERMINATED = (FAILED, "Terminated")
"""The phase of a pod that has terminated in failure, and the word of the pages for it."""
NO_WHOLE_CORES = "SMTAlignmentError"
NOT_ALIGNED = "TopologyAffinityError"
WORDS = ("resources cannot be allocated", "topology locality")


@checker("cpu-manager/full-pcpus-only/refused-pods-are-failed", Admission)
def refused_pods_are_failed(admission: Admission) -> Judgement:
    """Under full-pcpus-only a pod that cannot have whole cores is put in the state Failed."""
    if admission.admitted or admission.reason != NO_WHOLE_CORES or admission.phase is None:
        return None
    return violated(
        admission.phase == FAILED,
        f"pod {admission.pod.uid} is refused and not in the state Failed",
        got=admission.phase,
        allowed=FAILED,
    )


@checker("cpu-manager/full-pcpus-only/tells-that-whole-cores-are-missing", Admission)
def tells_that_whole_cores_are_missing(admission: Admission) -> Judgement:
    """A pod that is refused though so many CPUs are free, as no whole cores are, tells SMTAlignmentError."""
    world, pod = admission.before, admission.pod
    if admission.admitted or admission.again or WHOLE_CORES not in world.settings.options or not world.settings.static:
        return None
    if world.settings.topology != "none" or world.settings.memory_static or pod.whole or len(pod.containers) > 1:
        return None
    kept_back = 1 if world.settings.strict else 0
    enough = 0 < pod.exclusive <= world.free.bit_count() - kept_back
    free = [core for core in world.machine.core_bits if not core & ~world.free]
    if not enough or adds_up(free, pod.exclusive) or asks_for_devices(world, pod.containers):
        return None
    return violated(
        NO_WHOLE_CORES in f"{admission.reason} {admission.message}",
        f"pod {pod.uid} is refused for lack of whole cores, of {format_bits(world.free)}, and says something else",
        got=f"{admission.reason}: {admission.message}",
        allowed=NO_WHOLE_CORES,
        free=world.free,
    )


@checker("topology-manager/admission/refused-pods-are-terminated", Admission)
def refused_pods_are_terminated(admission: Admission) -> Judgement:
    """A refused pod becomes Terminated."""
    if admission.admitted or admission.again or admission.phase is None:
        return None
    return violated(
        admission.phase in TERMINATED,
        f"pod {admission.pod.uid} is refused and not terminated",
        got=admission.phase,
        allowed=FAILED,
    )


@checker("topology-manager/admission/says-what-cannot-be-aligned", Admission)
def says_what_cannot_be_aligned(admission: Admission) -> Judgement:
    """The message of a TopologyAffinityError says that resources cannot be allocated with topology locality."""
    if admission.admitted or admission.reason != NOT_ALIGNED:
        return None
    return violated(
        all(words in admission.message.lower() for words in WORDS),
        f"the message of pod {admission.pod.uid} does not say that resources cannot be allocated with topology "
        "locality",
        got=admission.message,
        allowed="Resources cannot be allocated with Topology locality",
    )
