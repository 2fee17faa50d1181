"""What a refused pod tells its user: the phase in its status, and the message."""

from __future__ import annotations

from ...cpuset import format_bits
from ..judge.checker import Guard, Judgement, checker, violated
from ..judge.choice import WHOLE_CORES, adds_up
from ..judge.node_subjects import Admission
from .guards import (
    for_the_first_time,
    of_containers,
    refused,
    static,
    under,
    with_option,
    without_devices,
)
from .whole_cores import NO_WHOLE_CORES

FAILED = "Failed"
TERMINATED = (FAILED, "Terminated")
"""The phase of a pod that has terminated in failure, and the word of the pages for it."""
NOT_ALIGNED = "TopologyAffinityError"
WORDS = ("resources cannot be allocated", "topology locality")


phase_is_told = Guard[Admission]("the pod's phase is not told", lambda admission: admission.phase is not None)
for_whole_cores = Guard[Admission](
    "the reason is no SMTAlignmentError", lambda admission: admission.reason == NO_WHOLE_CORES
)
for_its_topology = Guard[Admission](
    "the reason is no TopologyAffinityError", lambda admission: admission.reason == NOT_ALIGNED
)
one_container_alone = Guard[Admission](
    "the Memory Manager may refuse it, or the pod has several containers",
    lambda admission: not admission.settings.memory_static and len(admission.pod.containers) == 1,
)


def _whole_cores_are_missing(admission: Admission) -> bool:
    world, number = admission.before, admission.pod.exclusive
    enough = 0 < number <= world.free.bit_count() - (1 if world.strict else 0)
    return enough and not adds_up((core for core in world.machine.core_bits if not core & ~world.free), number)


whole_cores_are_missing = Guard[Admission](
    "the free cores add up to what the pod asks for, or fewer CPUs are free", _whole_cores_are_missing
)


@checker(
    "cpu-manager/full-pcpus-only/refused-pods-are-failed", Admission, when=(refused, for_whole_cores, phase_is_told)
)
def refused_pods_are_failed(admission: Admission) -> Judgement:
    """Under full-pcpus-only a pod that cannot have whole cores is put in the state Failed."""
    return violated(
        admission.phase == FAILED,
        f"pod {admission.pod.uid} is refused and not in the state Failed",
        got=admission.phase,
        allowed=FAILED,
    )


@checker(
    "cpu-manager/full-pcpus-only/tells-that-whole-cores-are-missing",
    Admission,
    when=(
        refused,
        for_the_first_time,
        static,
        with_option(WHOLE_CORES),
        under("none"),
        of_containers,
        one_container_alone,
        without_devices,
        whole_cores_are_missing,
    ),
)
def tells_that_whole_cores_are_missing(admission: Admission) -> Judgement:
    """A pod that is refused though so many CPUs are free, as no whole cores are, tells SMTAlignmentError."""
    world, pod = admission.before, admission.pod
    return violated(
        NO_WHOLE_CORES in f"{admission.reason} {admission.message}",
        f"pod {pod.uid} is refused for lack of whole cores, of {format_bits(world.free)}, and says something else",
        got=f"{admission.reason}: {admission.message}",
        allowed=NO_WHOLE_CORES,
        free=world.free,
    )


@checker(
    "topology-manager/admission/refused-pods-are-terminated",
    Admission,
    when=(refused, for_the_first_time, phase_is_told),
)
def refused_pods_are_terminated(admission: Admission) -> Judgement:
    """A refused pod becomes Terminated."""
    return violated(
        admission.phase in TERMINATED,
        f"pod {admission.pod.uid} is refused and not terminated",
        got=admission.phase,
        allowed=FAILED,
    )


@checker("topology-manager/admission/says-what-cannot-be-aligned", Admission, when=(refused, for_its_topology))
def says_what_cannot_be_aligned(admission: Admission) -> Judgement:
    """The message of a TopologyAffinityError says that resources cannot be allocated with topology locality."""
    return violated(
        all(words in admission.message.lower() for words in WORDS),
        f"the message of pod {admission.pod.uid} does not say that resources cannot be allocated with topology "
        "locality",
        got=admission.message,
        allowed="Resources cannot be allocated with Topology locality",
    )
