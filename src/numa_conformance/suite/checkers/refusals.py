"""What a refused pod tells its user: the phase in its status, and the message."""

from __future__ import annotations

from ..judge.checker import Judgement, checker, violated
from ..judge.life import Admission

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
