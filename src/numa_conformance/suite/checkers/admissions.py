"""Which pods are admitted, and which must be: by the free CPUs, the options, and the Topology Manager's policy."""

from __future__ import annotations

from ...cpuset import format_bits
from ...machine import Machine
from ..judge.alignment import Alignment, only_a_number, only_cpus
from ..judge.checker import Guard, Judgement, checker, violated
from ..judge.choice import BY_SOCKET, BY_UNCORE, WHOLE_CORES, numa_cpus, touched
from ..judge.given import Demand, Reuse
from ..judge.node_subjects import Admission
from ..judge.pods import GUARANTEED
from ..judge.world import World
from .guards import (
    admitted,
    fitting,
    for_the_first_time,
    leaving_a_shared_cpu,
    none,
    of_containers,
    static,
    under,
    with_option,
    without_devices,
    without_option,
)
from .wording import in_words

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


asking_no_manager = Guard[Admission]("a manager has something to give to the pod", _asking_no_manager)


@checker(
    "topology-manager/admission/nothing-to-align-is-admitted",
    Admission,
    when=(for_the_first_time, of_containers, asking_no_manager, without_devices, fitting),
)
def nothing_to_align_is_admitted(admission: Admission) -> Judgement:
    """A pod that asks for no exclusive CPUs, no devices and no memory of its own is admitted under every policy."""
    return must_be_admitted(admission, "though it asks for nothing that a manager gives out")


asking_for_cpus = Guard[Admission](
    "no container requests CPUs", lambda admission: any(container.cpu for container in admission.pod.containers)
)
for_cpus_alone = Guard[Admission](
    "more than a number of CPUs is aligned: memory, devices, sockets, parts of cores",
    lambda admission: only_cpus(admission.before, admission.pod),
)


@checker(
    "cpu-manager/none/has-no-preference",
    Admission,
    when=(none, under(*ALIGNING), asking_for_cpus, for_cpus_alone, fitting),
)
def none_has_no_preference(admission: Admission) -> Judgement:
    """CPU policy none gives the default hint: however many CPUs a pod asks for, no policy refuses it for them."""
    return must_be_admitted(admission, "though nothing but CPUs is asked for, of which policy none has no preference")


of_one_container = Guard[Admission](
    "the pod has several containers", lambda admission: len(admission.pod.containers) == 1
)
few_enough = Guard[Admission](
    "the pod asks for no CPUs of its own, or for more than are free",
    lambda admission: 0 < admission.pod.exclusive <= admission.before.free.bit_count(),
)


@checker(
    "cpu-manager/prefer-align-cpus-by-uncorecache/never-refuses",
    Admission,
    when=(
        static,
        with_option(BY_UNCORE),
        without_option(WHOLE_CORES),
        under("none", "best-effort"),
        for_the_first_time,
        for_cpus_alone,
        of_one_container,
        few_enough,
        leaving_a_shared_cpu,
    ),
)
def caches_are_no_reason_to_refuse(admission: Admission) -> Judgement:
    """Best effort: so many free CPUs serve a pod, from several caches if need be."""
    return must_be_admitted(admission, f"which asks for {admission.pod.exclusive} of {free_text(admission.before)}")


asks_for_some = Guard[Demand]("no CPUs of its own are asked for", lambda demand: demand.enough > 0)
enough_are_free = Guard[Demand]("fewer are free", lambda demand: demand.enough <= demand.available.bit_count())
number_decides = Guard[Demand](
    "more than the number of free CPUs decides: alignment, whole cores, a pool that must not empty",
    lambda demand: demand.by_number,
)
none_serve_again = Guard[Demand](
    "CPUs of an init container may have to serve again", lambda demand: not isinstance(demand, Reuse)
)
fewer_are_free = Guard[Demand]("so many CPUs are free", lambda demand: demand.at_least > demand.available.bit_count())


ENOUGH = (asks_for_some, enough_are_free, number_decides)


@checker("cpu-manager/static/serves-what-is-free", Demand, when=(none_serve_again, *ENOUGH))
def free_cpus_serve(demand: Demand) -> Judgement:
    """So many free CPUs serve so many where nothing else decides; under full-pcpus-only so many whole cores do."""
    return _is_served(demand)


@checker("cpu-manager/static/init-cpus-serve-later-containers", Reuse, when=ENOUGH)
def init_cpus_serve_later_containers(demand: Reuse) -> Judgement:
    """CPUs of an init container serve those that follow: the larger need of the two decides."""
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


@checker("cpu-manager/static/refuses-what-is-not-free", Demand, when=(fewer_are_free,))
def refuses_what_is_not_free(demand: Demand) -> Judgement:
    """More CPUs of their own than are free cannot be had."""
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


for_one_request = Guard[Admission](
    "no request for CPUs is aligned, or several are, one after the other",
    lambda admission: count_of(admission) > 0,
)


def alignment_of(admission: Admission) -> Alignment:
    """Return what can be aligned of the CPUs that the pod asks for."""
    return Alignment(admission.before, count_of(admission))


one_node_holds_it = Guard[Admission](
    "no NUMA node has so many free CPUs", lambda admission: alignment_of(admission).on_one_node
)
no_node_holds_it = Guard[Admission](
    "one NUMA node has so many free CPUs", lambda admission: not alignment_of(admission).on_one_node
)
can_be_aligned = Guard[Admission](
    "as few NUMA nodes as the request needs have not so many free CPUs",
    lambda admission: alignment_of(admission).preferred,
)
cannot_be_aligned = Guard[Admission](
    "as few NUMA nodes as the request needs have so many free CPUs",
    lambda admission: not alignment_of(admission).preferred,
)


COUNTED = (static, for_the_first_time, for_one_request, for_cpus_alone)


@checker(
    "topology-manager/single-numa-node/admits-what-one-node-holds",
    Admission,
    when=(under("single-numa-node"), *COUNTED, one_node_holds_it, leaving_a_shared_cpu),
)
def single_numa_node_admits(admission: Admission) -> Judgement:
    """Where an alignment to one NUMA node is possible the pod is admitted."""
    free = free_text(admission.before)
    return must_be_admitted(admission, f"which asks for {count_of(admission)} CPUs that one NUMA node has among {free}")


@checker(
    "topology-manager/single-numa-node/refuses-what-needs-several-nodes",
    Admission,
    when=(under("single-numa-node"), *COUNTED, no_node_holds_it),
)
def single_numa_node_refuses(admission: Admission) -> Judgement:
    """Where no single NUMA node can hold it the pod is refused."""
    free = free_text(admission.before)
    return must_be_refused(admission, f"which asks for {count_of(admission)} CPUs that no NUMA node has among {free}")


@checker(
    "topology-manager/restricted/admits-what-can-be-aligned",
    Admission,
    when=(under("restricted"), *COUNTED, can_be_aligned, leaving_a_shared_cpu),
)
def restricted_admits(admission: Admission) -> Judgement:
    """A preferred alignment, on as few NUMA nodes as the request needs, is admitted."""
    width, free = alignment_of(admission).width, free_text(admission.before)
    return must_be_admitted(admission, f"whose {count_of(admission)} CPUs {width} NUMA nodes have among {free}")


for_a_number_alone = Guard[Admission](
    "more than a number of CPUs is aligned: memory, devices, parts of cores",
    lambda admission: only_a_number(admission.before, admission.pod),
)


def _sockets_are_of_nodes(machine: Machine) -> bool:
    return all(len(touched(machine.socket_bits.values(), cpus)) == 1 for cpus in numa_cpus(machine))


one_socket_holds_it = Guard[Admission](
    "no socket has so many free CPUs, or a NUMA node lies in several",
    lambda admission: alignment_of(admission).on_one_socket and _sockets_are_of_nodes(admission.before.machine),
)


@checker(
    "cpu-manager/align-by-socket/admits-what-one-socket-holds",
    Admission,
    when=(
        under("restricted"),
        static,
        with_option(BY_SOCKET),
        for_the_first_time,
        for_one_request,
        for_a_number_alone,
        one_socket_holds_it,
        leaving_a_shared_cpu,
    ),
)
def restricted_admits_on_one_socket(admission: Admission) -> Judgement:
    """CPUs of one socket count as aligned, of however many NUMA nodes they are: the pod is admitted."""
    free = free_text(admission.before)
    return must_be_admitted(admission, f"which asks for {count_of(admission)} CPUs that one socket has among {free}")


needs_several_nodes = Guard[Admission](
    "one NUMA node could ever hold so many CPUs", lambda admission: alignment_of(admission).width > 1
)


@checker(
    "topology-manager/restricted/admits-what-needs-several-nodes",
    Admission,
    when=(under("restricted"), *COUNTED, needs_several_nodes, can_be_aligned, leaving_a_shared_cpu),
)
def restricted_admits_on_several_nodes(admission: Admission) -> Judgement:
    """What no single NUMA node could ever hold is admitted, on as few as can."""
    width, number = alignment_of(admission).width, len(nodes_of_cpus(admission))
    return violated(
        admission.admitted and number <= width,
        f"the CPUs of pod {admission.pod.uid}, which need {width} NUMA nodes and are free on so many, are refused or "
        "come from more",
        got=format_bits(admission.cpus) or f"{admission.reason}: {admission.message}",
        allowed=f"CPUs of {width} NUMA nodes",
        free=admission.before.free,
    )


@checker(
    "topology-manager/restricted/refuses-unaligned-pods",
    Admission,
    when=(under("restricted"), *COUNTED, cannot_be_aligned),
)
def restricted_refuses(admission: Admission) -> Judgement:
    """Without a preferred alignment the pod is refused."""
    width, free = alignment_of(admission).width, free_text(admission.before)
    return must_be_refused(admission, f"whose {count_of(admission)} CPUs no {width} NUMA nodes have among {free}")


@checker(
    "topology-manager/best-effort/aligns-when-possible",
    Admission,
    when=(under("best-effort", "restricted"), *COUNTED, admitted, without_option(BY_SOCKET), can_be_aligned),
)
def aligned_when_possible(admission: Admission) -> Judgement:
    """Where an alignment on as few NUMA nodes as the request needs is possible, it is what the pod gets."""
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
