"""What a refused pod tells its user: the phase in its status, and the message."""

from __future__ import annotations

from ...cpuset import format_bits
from ..judge.chapter import Chapter, Judgement, applies, violated
from ..judge.choice import WHOLE_CORES, adds_up
from ..judge.node_subjects import Admission
from .conditions import (
    under,
    with_option,
    without_devices,
)
from .cpu.options.full_pcpus_only import NO_WHOLE_CORES

chapter = Chapter(since="1.22")

FAILED = "Failed"
TERMINATED = (FAILED, "Terminated")
"""The phase of a pod that has terminated in failure, and the word of the pages for it."""
NOT_ALIGNED = "TopologyAffinityError"
WORDS = ("resources cannot be allocated", "topology locality")


def _whole_cores_are_missing(admission: Admission) -> bool:
    world, number = admission.before, admission.pod.exclusive
    enough = 0 < number <= world.free.bit_count() - (1 if world.strict else 0)
    return enough and not adds_up((core for core in world.machine.core_bits if not core & ~world.free), number)


@chapter.requires(
    "cpu-manager/full-pcpus-only/refused-pods-are-failed",
    "cpu-manager/static",
    "cpu-manager/full-pcpus-only",
    "node/phase",
    on=Admission,
    rests_on=("nrm/full-pcpus-only/refused-pods-are-failed",),
    area="cpu-manager options",
)
def refused_pods_are_failed(admission: Admission) -> Judgement:
    """A pod that cannot have whole cores is put in the state Failed."""
    applies(not admission.admitted, "the pod was admitted")
    applies(admission.reason == NO_WHOLE_CORES, "the reason is no SMTAlignmentError")
    applies(admission.phase is not None, "the pod's phase is not told")
    return violated(
        admission.phase == FAILED,
        f"pod {admission.pod.uid} is refused and not in the state Failed",
        got=admission.phase,
        allowed=FAILED,
    )


@chapter.requires(
    "cpu-manager/full-pcpus-only/tells-that-whole-cores-are-missing",
    "cpu-manager/static",
    "cpu-manager/full-pcpus-only",
    on=Admission,
    rests_on=("nrm/full-pcpus-only/smt-alignment-error", "nrm/full-pcpus-only/free-cores-must-suffice"),
    area="cpu-manager options",
    beyond="The page calls SMTAlignmentError the message of the pod; it may be its reason or in the message.",
)
def tells_that_whole_cores_are_missing(admission: Admission) -> Judgement:
    """A pod that is refused though enough CPUs are free, because no whole cores are, has the reason
    SMTAlignmentError.
    """
    applies(not admission.admitted, "the pod was admitted")
    applies(not admission.again, "the pod was on the node before")
    applies(admission.settings.static, "the CPU Manager's policy is none")
    with_option(admission, WHOLE_CORES)
    under(admission, "none")
    applies(not admission.pod.whole, "the pod as a whole has resources")
    applies(
        not admission.settings.memory_static and len(admission.pod.containers) == 1,
        "the Memory Manager may refuse it, or the pod has several containers",
    )
    without_devices(admission)
    applies(
        _whole_cores_are_missing(admission), "the free cores add up to what the pod asks for, or fewer CPUs are free"
    )
    world, pod = admission.before, admission.pod
    return violated(
        NO_WHOLE_CORES in f"{admission.reason} {admission.message}",
        f"pod {pod.uid} is refused for lack of whole cores, of {format_bits(world.free)}, and says something else",
        got=f"{admission.reason}: {admission.message}",
        allowed=NO_WHOLE_CORES,
        free=world.free,
    )


@chapter.requires(
    "topology-manager/admission/refused-pods-are-terminated",
    "node/phase",
    on=Admission,
    rests_on=("topology-source/admission/refused-is-terminated",),
    since="1.27",
    strength="SHOULD",
)
def refused_pods_are_terminated(admission: Admission) -> Judgement:
    """A refused pod becomes Terminated."""
    applies(not admission.admitted, "the pod was admitted")
    applies(not admission.again, "the pod was on the node before")
    applies(admission.phase is not None, "the pod's phase is not told")
    return violated(
        admission.phase in TERMINATED,
        f"pod {admission.pod.uid} is refused and not terminated",
        got=admission.phase,
        allowed=FAILED,
    )


@chapter.requires(
    "topology-manager/admission/says-what-cannot-be-aligned",
    "topology-manager/restricted",
    on=Admission,
    rests_on=("topology-source/policies/its-message",),
    since="1.27",
    strength="SHOULD",
)
def says_what_cannot_be_aligned(admission: Admission) -> Judgement:
    """The message of a TopologyAffinityError says that resources cannot be allocated with topology locality."""
    applies(not admission.admitted, "the pod was admitted")
    applies(admission.reason == NOT_ALIGNED, "the reason is no TopologyAffinityError")
    return violated(
        all(words in admission.message.lower() for words in WORDS),
        f"the message of pod {admission.pod.uid} does not say that resources cannot be allocated with topology "
        "locality",
        got=admission.message,
        allowed="Resources cannot be allocated with Topology locality",
    )
