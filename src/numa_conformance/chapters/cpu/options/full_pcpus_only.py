"""full-pcpus-only: whole cores, or a refusal. Page: Node Resource Managers."""

from ....cpuset import format_bits
from ....judging.chapter import Chapter, Judgement, applies, configured, judges, rests_on, violated
from ....judging.choice import ACROSS_NUMA, BY_SOCKET, WHOLE_CORES, CpuChoice, adds_up, split_cores
from ....judging.node_subjects import Admission
from ....judging.shared_views import ContainerView
from ...conditions import new_pod, refused, under, under_static, with_option, without_devices, without_pod_resources
from ..choices import on
from .maturity import maturity

chapter = Chapter("cpu-manager/static", f"cpu-manager/{WHOLE_CORES}", since="1.22", area="cpu-manager options")
maturity(
    chapter,
    WHOLE_CORES,
    available="cpu-manager/full-pcpus-only/is-available",
    hidden="cpu-manager/full-pcpus-only/stays-hidden",
    placements="exact/placements/full-pcpus-only",
)
NO_WHOLE_CORES = "SMTAlignmentError"


@chapter.requires("cpu-manager/full-pcpus-only/refuses-a-partial-core")
@rests_on(
    "nrm/full-pcpus-only/all-containers-must-fit",
    "nrm/full-pcpus-only/smt-alignment-error",
    beyond="The page calls SMTAlignmentError the message of the pod; the reason is asked for.",
)
def refuses_a_partial_core(container: ContainerView) -> Judgement:
    """A container that asks for exclusive CPUs whose number is not a multiple of the threads of a core is
    refused, with the reason SMTAlignmentError.
    """
    on(container, WHOLE_CORES)
    count = applies(container.exclusive, "the container asks for no CPUs of its own")
    applies(container.had is None and not container.ended, "the container has CPUs already")
    cores = container.machine.core_bits
    applies(count <= container.machine.online_bits.bit_count(), "the machine has not so many CPUs")
    applies(not adds_up(cores, count), "cores add up to what the container asks for")
    sizes = " or ".join(str(size) for size in sorted({core.bit_count() for core in cores}))
    return violated(
        container.held is None
        and (not container.reason or NO_WHOLE_CORES in (container.reason, *container.refusal.split())),
        f"container {container.key} asks for {count} CPUs, which are no whole cores of {sizes} threads",
        got=container.in_words,
        allowed=f"a refusal: {NO_WHOLE_CORES}",
    )


@chapter.requires("cpu-manager/full-pcpus-only/gives-whole-cores")
@rests_on(
    "nrm/full-pcpus-only/whole-cores", "nrm/full-pcpus-only/free-cores-must-suffice", "nrm/options/full-pcpus-only"
)
def gives_whole_cores(subject: ContainerView | CpuChoice) -> Judgement:
    """Exclusive CPUs come as whole physical cores: no other container has a thread of these cores to itself."""
    on(subject, WHOLE_CORES)
    applies(any(core & (core - 1) for core in subject.machine.core_bits), "each core has one CPU")
    taken = applies(subject.chosen, "no choice of the asked number among free CPUs shows")
    about: tuple[str, ...] = ()
    if isinstance(subject, ContainerView):
        about = subject.about("cpu", "config:cpuManagerPolicyOptions")
    else:
        applies(subject.admits or subject.can_be_whole_cores, "no free cores add up to it, and it cannot be refused")
        applies(not split_cores(subject.machine, subject.reusable), "parts of cores may be used again")
    split = split_cores(subject.machine, taken)
    why = f"cores are split: of the CPUs {format_bits(split)} only {format_bits(split & taken)} are given"
    return violated(not split, why, got=format_bits(taken), allowed="whole cores", about=about, split=split)


@chapter.requires(
    "cpu-manager/full-pcpus-only/are-additive", f"cpu-manager/{ACROSS_NUMA}", f"cpu-manager/{BY_SOCKET}", since="1.25"
)
@rests_on("cpu-task/options/full-pcpus-and-numa-add-up", "cpu-task/options/align-by-socket-adds-up")
def refuses_a_partial_core_beside_others(container: ContainerView) -> Judgement:
    """full-pcpus-only, distribute-cpus-across-numa and align-by-socket can be used together, each keeping its
    promise.
    """
    beside_others(container)
    return refuses_a_partial_core(container)


@judges("cpu-manager/full-pcpus-only/are-additive")
def gives_whole_cores_beside_others(choice: CpuChoice) -> Judgement:
    """Beside them whole cores are given too."""
    beside_others(choice)
    applies(choice.available == choice.whole_core_cpus, "parts of cores are free")
    return gives_whole_cores(choice)


def beside_others(subject: ContainerView | CpuChoice) -> None:
    applies(not subject.options.isdisjoint({ACROSS_NUMA, BY_SOCKET}), f"{ACROSS_NUMA} and {BY_SOCKET} are off")


@chapter.requires("cpu-manager/full-pcpus-only/refused-pods-are-failed", "node/phase")
@rests_on("nrm/full-pcpus-only/refused-pods-are-failed")
def refused_pods_are_failed(admission: Admission) -> Judgement:
    """A pod that cannot have whole cores is put in the state Failed."""
    refused(admission)
    applies(admission.reason == NO_WHOLE_CORES, "the reason is no SMTAlignmentError")
    applies(admission.phase is not None, "the pod's phase is not reported")
    why = f"pod {admission.pod.uid} is refused and not in the state Failed"
    return violated(admission.phase == "Failed", why, got=admission.phase, allowed="Failed")


@chapter.requires("cpu-manager/full-pcpus-only/tells-that-whole-cores-are-missing")
@rests_on(
    "nrm/full-pcpus-only/smt-alignment-error",
    "nrm/full-pcpus-only/free-cores-must-suffice",
    beyond="The page calls SMTAlignmentError the message of the pod; it may be its reason or in the message.",
)
def tells_that_whole_cores_are_missing(admission: Admission) -> Judgement:
    """A pod that is refused though enough CPUs are free, because no whole cores are, has the reason
    SMTAlignmentError.
    """
    refused(admission)
    new_pod(admission)
    under_static(admission)
    with_option(admission, WHOLE_CORES)
    under(admission, "none")
    without_pod_resources(admission)
    configured(not admission.settings.memory_static, "the Memory Manager may refuse it")
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
        available=world.free,
    )
