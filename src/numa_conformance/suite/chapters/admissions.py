"""Which pods are admitted, and which must be: by the free CPUs, the options, and the Topology Manager's policy."""

from __future__ import annotations

from ...cpuset import format_bits
from ...machine import Machine
from ..judge.alignment import Alignment, only_a_number, only_cpus
from ..judge.chapter import Chapter, Judgement, applies, violated
from ..judge.choice import BY_SOCKET, BY_UNCORE, WHOLE_CORES, numa_cpus, touched
from ..judge.given import Demand, Reuse
from ..judge.node_subjects import Admission
from ..judge.pods import GUARANTEED
from ..judge.world import World
from .conditions import (
    fitting,
    leaving_a_shared_cpu,
    under,
    with_option,
    without_devices,
    without_option,
)
from .wording import in_words

chapter = Chapter(since="1.18")

REFUSING = ("restricted", "single-numa-node")
ALIGNING = ("best-effort", *REFUSING)


def free_text(world: World) -> str:
    """Write how many CPUs are free, and which."""
    return f"{world.free.bit_count()} free CPUs ({format_bits(world.free)})"


def must_be_admitted(admission: Admission, why: str) -> Judgement:
    """Judge that the pod is admitted; ``why`` is told of it."""
    return violated(
        admission.admitted,
        f"pod {admission.pod.uid} is refused, {why}",
        got=f"{admission.reason}: {admission.message}",
        allowed="admitted",
        free=admission.before.free,
    )


def must_be_refused(admission: Admission, why: str) -> Judgement:
    """Judge that the pod is refused; ``why`` is told of it."""
    return violated(
        not admission.admitted,
        f"pod {admission.pod.uid} is admitted, {why}",
        got=in_words(admission.held),
        allowed="refused",
        free=admission.before.free,
    )


def _asking_no_manager(admission: Admission) -> bool:
    settings, pod = admission.settings, admission.pod
    return not (settings.static and pod.exclusive) and not (settings.memory_static and pod.qos == GUARANTEED)


@chapter.requires(
    "topology-manager/admission/nothing-to-align-is-admitted",
    "topology-manager/best-effort",
    on=Admission,
    rests_on=("topology/scopes-and-policies/resources-with-hints",),
)
def nothing_to_align_is_admitted(admission: Admission) -> Judgement:
    """A pod that asks for nothing that a manager aligns is admitted under every policy and scope."""
    applies(not admission.again, "the pod was on the node before")
    applies(not admission.pod.whole, "the pod as a whole has resources")
    applies(_asking_no_manager(admission), "a manager has something to give to the pod")
    without_devices(admission)
    fitting(admission)
    return must_be_admitted(admission, "though it asks for nothing that a manager gives out")


def for_cpus_alone(admission: Admission) -> None:
    applies(
        only_cpus(admission.before, admission.pod),
        "more than a number of CPUs is aligned: memory, devices, sockets, parts of cores",
    )


@chapter.requires(
    "cpu-manager/none/has-no-preference",
    "cpu-manager/none",
    "topology-manager/best-effort",
    on=Admission,
    rests_on=("topology/interactions/none-gives-the-default-hint",),
)
def none_has_no_preference(admission: Admission) -> Judgement:
    """Under CPU policy none no policy of the Topology Manager refuses a pod for the CPUs it asks for."""
    applies(not admission.settings.static, "the CPU Manager's policy is static")
    under(admission, *ALIGNING)
    applies(any(container.cpu for container in admission.pod.containers), "no container requests CPUs")
    for_cpus_alone(admission)
    fitting(admission)
    return must_be_admitted(admission, "though nothing but CPUs is asked for, of which policy none has no preference")


@chapter.requires(
    "cpu-manager/prefer-align-cpus-by-uncorecache/never-refuses",
    "cpu-manager/static",
    "cpu-manager/prefer-align-cpus-by-uncorecache",
    on=Admission,
    rests_on=(
        "nrm/prefer-align-cpus-by-uncorecache/never-refuses",
        "nrm/prefer-align-cpus-by-uncorecache/falls-back-to-packing",
    ),
    since="1.32",
    area="cpu-manager options",
)
def caches_are_no_reason_to_refuse(admission: Admission) -> Judgement:
    """Alignment to uncore caches is best effort: a container that no cache can hold is admitted all the same.

    Best effort: so many free CPUs serve a pod, from several caches if need be.
    """
    applies(admission.settings.static, "the CPU Manager's policy is none")
    with_option(admission, BY_UNCORE)
    without_option(admission, WHOLE_CORES)
    under(admission, "none", "best-effort")
    applies(not admission.again, "the pod was on the node before")
    for_cpus_alone(admission)
    applies(len(admission.pod.containers) == 1, "the pod has several containers")
    applies(
        0 < admission.pod.exclusive <= admission.before.free.bit_count(),
        "the pod asks for no CPUs of its own, or for more than are free",
    )
    leaving_a_shared_cpu(admission)
    return must_be_admitted(admission, f"which asks for {admission.pod.exclusive} of {free_text(admission.before)}")


def enough(subject: Demand) -> None:
    applies(subject.enough > 0, "no CPUs of its own are asked for")
    applies(subject.enough <= subject.available.bit_count(), "fewer are free")
    applies(
        subject.by_number,
        "more than the number of free CPUs decides: alignment, whole cores, a pool that must not empty",
    )


@chapter.requires(
    "cpu-manager/static/serves-what-is-free",
    "cpu-manager/static",
    on=Demand,
    rests_on=("nrm/static/exclusive-are-all-but-reserved", "nrm/cpus/static-gives-exclusive-cpus"),
    since="1.8",
)
def free_cpus_serve(demand: Demand) -> Judgement:
    """A request for no more exclusive CPUs than are free is served, where nothing else stands against it.

    So many free CPUs serve so many where nothing else decides; under full-pcpus-only so many whole cores do.
    """
    applies(not isinstance(demand, Reuse), "CPUs of an init container may have to serve again")
    enough(demand)
    return _is_served(demand)


@chapter.requires(
    "cpu-manager/static/init-cpus-serve-later-containers",
    "cpu-manager/static",
    "cpu-manager/init-containers",
    on=Reuse,
    rests_on=("init-containers/resources/effective-request", "topology-source/cpu-hints/reusable"),
    since="1.8",
    beyond="The pages give a pod's effective request; that its init containers' CPUs serve the later ones only the "
    "source says.",
)
def init_cpus_serve_later_containers(demand: Reuse) -> Judgement:
    """CPUs of an init container that has ended serve the later containers of its pod: a pod whose init and app
    containers each fit the free CPUs is admitted.
    """
    enough(demand)
    return _is_served(demand)


def _is_served(demand: Demand) -> Judgement:
    return violated(
        demand.refusal is None,
        f"{demand.who} needs {demand.enough} CPUs at once and is refused where {demand.available.bit_count()} can be "
        "given",
        got=demand.refusal,
        allowed=f"{demand.enough} of {format_bits(demand.available)}",
        free=demand.available,
    )


@chapter.requires(
    "cpu-manager/static/refuses-what-is-not-free",
    "cpu-manager/static",
    on=Demand,
    rests_on=(
        "nrm/static/exclusive-are-all-but-reserved",
        "topology-source/admission/errors-refuse",
        "topology-source/admission/allocation-errors-refuse",
    ),
    since="1.8",
)
def refuses_what_is_not_free(demand: Demand) -> Judgement:
    """A pod that asks for more exclusive CPUs than are free is refused, and holds nothing.

    More CPUs of their own than are free cannot be had.
    """
    applies(demand.at_least > demand.available.bit_count(), "so many CPUs are free")
    return violated(
        demand.refusal is not None,
        f"{demand.who} asks for {demand.at_least} CPUs where {demand.available.bit_count()} are free, and is served",
        got=demand.in_words,
        allowed="a refusal",
        free=demand.available,
    )


def count_of(admission: Admission) -> int:
    """Return the CPUs of the one request that is aligned; 0 where several are, one after the other.

    In scope pod it is what the containers need at once: the larger of init containers and apps.
    """
    pod = admission.pod
    if admission.settings.scope == "pod":
        return pod.exclusive
    asking = [container for container in pod.containers if container.exclusive]
    return asking[0].exclusive if len(asking) == 1 else 0


def for_one_request(admission: Admission) -> None:
    applies(count_of(admission) > 0, "no request for CPUs is aligned, or several are, one after the other")


def alignment_of(admission: Admission) -> Alignment:
    """Return what can be aligned of the CPUs that the pod asks for."""
    return Alignment(admission.before, count_of(admission))


def one_node_holds_it(admission: Admission) -> None:
    applies(alignment_of(admission).on_one_node, "no NUMA node has so many free CPUs")


def no_node_holds_it(admission: Admission) -> None:
    applies(not alignment_of(admission).on_one_node, "one NUMA node has so many free CPUs")


def can_be_aligned(admission: Admission) -> None:
    applies(alignment_of(admission).preferred, "as few NUMA nodes as the request needs have not so many free CPUs")


def counted(subject: Admission) -> None:
    applies(subject.settings.static, "the CPU Manager's policy is none")
    applies(not subject.again, "the pod was on the node before")
    for_one_request(subject)
    for_cpus_alone(subject)


@chapter.requires(
    "topology-manager/single-numa-node/admits-what-one-node-holds",
    "topology-manager/single-numa-node",
    "cpu-manager/static",
    on=Admission,
    rests_on=("topology/single-numa-node/one-node-or-refused",),
)
def single_numa_node_admits(admission: Admission) -> Judgement:
    """A pod whose CPUs one NUMA node can give is admitted."""
    under(admission, "single-numa-node")
    counted(admission)
    applies(alignment_of(admission).on_one_node, "no NUMA node has so many free CPUs")
    leaving_a_shared_cpu(admission)
    free = free_text(admission.before)
    return must_be_admitted(admission, f"which asks for {count_of(admission)} CPUs that one NUMA node has among {free}")


@chapter.requires(
    "topology-manager/single-numa-node/refuses-what-needs-several-nodes",
    "topology-manager/single-numa-node",
    "cpu-manager/static",
    on=Admission,
    rests_on=(
        "topology/single-numa-node/one-node-or-refused",
        "topology/restricted/topology-affinity-error",
        "topology-source/policies/single-numa-node",
        "topology/pod/more-are-refused",
    ),
)
def single_numa_node_refuses(admission: Admission) -> Judgement:
    """Under single-numa-node a pod that no single NUMA node can hold is refused with the reason
    TopologyAffinityError.
    """
    under(admission, "single-numa-node")
    counted(admission)
    applies(not alignment_of(admission).on_one_node, "one NUMA node has so many free CPUs")
    free = free_text(admission.before)
    return must_be_refused(admission, f"which asks for {count_of(admission)} CPUs that no NUMA node has among {free}")


@chapter.requires(
    "topology-manager/restricted/admits-what-can-be-aligned",
    "topology-manager/restricted",
    "cpu-manager/static",
    on=Admission,
    rests_on=("topology/restricted/refuses",),
    beyond="that a preferred affinity is admitted: the sentence tells of the other case",
)
def restricted_admits(admission: Admission) -> Judgement:
    """A pod whose CPUs as few NUMA nodes as it needs can give is admitted."""
    under(admission, "restricted")
    counted(admission)
    can_be_aligned(admission)
    leaving_a_shared_cpu(admission)
    width, free = alignment_of(admission).width, free_text(admission.before)
    return must_be_admitted(admission, f"whose {count_of(admission)} CPUs {width} NUMA nodes have among {free}")


def _sockets_are_of_nodes(machine: Machine) -> bool:
    return all(len(touched(machine.socket_bits.values(), cpus)) == 1 for cpus in numa_cpus(machine))


@chapter.requires(
    "cpu-manager/align-by-socket/admits-what-one-socket-holds",
    "cpu-manager/static",
    "cpu-manager/align-by-socket",
    "topology-manager/restricted",
    on=Admission,
    rests_on=("nrm/align-by-socket/aligned-at-the-socket",),
    since="1.25",
    area="cpu-manager options",
)
def restricted_admits_on_one_socket(admission: Admission) -> Judgement:
    """Under restricted a pod is admitted whose CPUs one socket can give: they are aligned at the socket."""
    under(admission, "restricted")
    applies(admission.settings.static, "the CPU Manager's policy is none")
    with_option(admission, BY_SOCKET)
    applies(not admission.again, "the pod was on the node before")
    for_one_request(admission)
    applies(
        only_a_number(admission.before, admission.pod),
        "more than a number of CPUs is aligned: memory, devices, parts of cores",
    )
    applies(
        alignment_of(admission).on_one_socket and _sockets_are_of_nodes(admission.before.machine),
        "no socket has so many free CPUs, or a NUMA node lies in several",
    )
    leaving_a_shared_cpu(admission)
    free = free_text(admission.before)
    return must_be_admitted(admission, f"which asks for {count_of(admission)} CPUs that one socket has among {free}")


@chapter.requires(
    "topology-manager/restricted/admits-what-needs-several-nodes",
    "topology-manager/restricted",
    "cpu-manager/static",
    on=Admission,
    rests_on=(
        "topology/restricted/refuses",
        "topology/prefer-closest-numa-nodes/default-takes-few-nodes",
        "nrm/align-by-socket/default-takes-few-nodes",
    ),
)
def restricted_admits_on_several_nodes(admission: Admission) -> Judgement:
    """Under restricted a container that no single NUMA node could ever hold is admitted on the smallest number of
    NUMA nodes that can.
    """
    under(admission, "restricted")
    counted(admission)
    applies(alignment_of(admission).width > 1, "one NUMA node could ever hold so many CPUs")
    can_be_aligned(admission)
    leaving_a_shared_cpu(admission)
    width, number = alignment_of(admission).width, len(nodes_of_cpus(admission))
    return violated(
        admission.admitted and number <= width,
        f"the CPUs of pod {admission.pod.uid}, which need {width} NUMA nodes and are free on so many, are refused or "
        "come from more",
        got=format_bits(admission.cpus) or f"{admission.reason}: {admission.message}",
        allowed=f"CPUs of {width} NUMA nodes",
        free=admission.before.free,
    )


@chapter.requires(
    "topology-manager/restricted/refuses-unaligned-pods",
    "topology-manager/restricted",
    "cpu-manager/static",
    on=Admission,
    rests_on=(
        "topology/restricted/refuses",
        "topology/restricted/topology-affinity-error",
        "nrm/alignment/policy-governs",
        "topology/how/policy-decides",
        "topology-source/policies/restricted",
        "topology-source/policies/topology-affinity-error",
        "topology-source/admission/reason-and-message",
        "topology-source/device-hints/narrowest-is-preferred",
        "topology-source/device-hints/every-combination",
    ),
)
def restricted_refuses(admission: Admission) -> Judgement:
    """Under restricted a pod whose preferred affinity cannot be had is refused with reason TopologyAffinityError."""
    under(admission, "restricted")
    counted(admission)
    applies(not alignment_of(admission).preferred, "as few NUMA nodes as the request needs have so many free CPUs")
    width, free = alignment_of(admission).width, free_text(admission.before)
    return must_be_refused(admission, f"whose {count_of(admission)} CPUs no {width} NUMA nodes have among {free}")


@chapter.requires(
    "topology-manager/best-effort/aligns-when-possible",
    "topology-manager/best-effort",
    "cpu-manager/static",
    on=Admission,
    rests_on=(
        "topology/how/hint-is-stored-and-used",
        "topology/interactions/best-hint-is-stored-and-used",
        "topology-source/policies/stored-and-used",
    ),
)
def aligned_when_possible(admission: Admission) -> Judgement:
    """Under best-effort a container whose exclusive CPUs fit the free CPUs of one NUMA node, and whose devices
    are there too, gets them from one NUMA node.

    Where an alignment on as few NUMA nodes as the request needs is possible, it is what the pod gets.
    """
    under(admission, "best-effort", "restricted")
    counted(admission)
    applies(admission.admitted, "the pod was refused")
    without_option(admission, BY_SOCKET)
    can_be_aligned(admission)
    count, width, number = count_of(admission), alignment_of(admission).width, len(nodes_of_cpus(admission))
    return violated(
        number <= width,
        f"the {count} CPUs of pod {admission.pod.uid} come from {number} NUMA nodes where {width} can give them",
        got=format_bits(admission.cpus),
        allowed=f"{width} NUMA nodes",
        pod=admission.cpus,
    )


def nodes_of_cpus(admission: Admission) -> list[int]:
    """Return the NUMA nodes in which the pod's CPUs lie, each as its CPUs."""
    return touched(admission.before.machine.numa_bits.values(), admission.cpus)
