"""full-pcpus-only: what a pod's status says where whole cores are missing."""

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

chapter = Chapter("cpu-manager/static", "cpu-manager/full-pcpus-only", since="1.22", area="cpu-manager options")


@chapter.requires(
    "cpu-manager/full-pcpus-only/refused-pods-are-failed",
    "node/phase",
    on=Admission,
    rests_on=("nrm/full-pcpus-only/refused-pods-are-failed",),
)
def refused_pods_are_failed(admission: Admission) -> Judgement:
    """A pod that cannot have whole cores is put in the state Failed."""
    applies(not admission.admitted, "the pod was admitted")
    applies(admission.reason == NO_WHOLE_CORES, "the reason is no SMTAlignmentError")
    applies(admission.phase is not None, "the pod's phase is not told")
    return violated(
        admission.phase == "Failed",
        f"pod {admission.pod.uid} is refused and not in the state Failed",
        got=admission.phase,
        allowed="Failed",
    )


@chapter.requires(
    "cpu-manager/full-pcpus-only/tells-that-whole-cores-are-missing",
    on=Admission,
    rests_on=("nrm/full-pcpus-only/smt-alignment-error", "nrm/full-pcpus-only/free-cores-must-suffice"),
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
    applies(not admission.settings.memory_static, "the Memory Manager may refuse it")
    applies(len(admission.pod.containers) == 1, "the pod has several containers")
    without_devices(admission)
    world, pod = admission.before, admission.pod
    applies(0 < pod.exclusive <= world.free.bit_count() - world.strict, "fewer CPUs are free")
    free_cores = (core for core in world.machine.core_bits if not core & ~world.free)
    applies(not adds_up(free_cores, pod.exclusive), "the free cores add up to what the pod asks for")
    return violated(
        NO_WHOLE_CORES in f"{admission.reason} {admission.message}",
        f"pod {pod.uid} is refused for lack of whole cores, of {format_bits(world.free)}, and says something else",
        got=f"{admission.reason}: {admission.message}",
        allowed=NO_WHOLE_CORES,
        free=world.free,
    )
