"""Which pods are admitted, and which must be: by the free CPUs, the options, and the Topology Manager's policy."""

from __future__ import annotations

from ...cpuset import format_bits
from ..judge.alignment import Alignment, only_cpus
from ..judge.checker import Guard, Judgement, checker, violated
from ..judge.choice import BY_SOCKET, touched
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
    scope_pod,
    static,
    under,
    without_devices,
    without_option,
)

REFUSING = ("restricted", "single-numa-node")
ALIGNING = ("best-effort", *REFUSING)


def _free_text(world: World) -> str:
    return f"{world.free.bit_count()} free CPUs ({format_bits(world.free)})"


def _must_be_admitted(admission: Admission, why: str) -> Judgement:
    return violated(
        admission.admitted,
        f"pod {admission.pod.uid} is refused, {why}",
        got=f"{admission.reason}: {admission.message}",
        allowed="admitted",
        free=admission.before.free,
    )


def _must_be_refused(admission: Admission, why: str) -> Judgement:
    return violated(
        not admission.admitted,
        f"pod {admission.pod.uid} is admitted, {why}",
        got=", ".join(f"{name}: {format_bits(held.cpus)}" for name, held in admission.held.items()),
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
    return _must_be_admitted(admission, "though it asks for nothing that a manager gives out")


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
    return _must_be_admitted(admission, "though nothing but CPUs is asked for, of which policy none has no preference")


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
        got=demand.told,
        allowed="a refusal",
        free=demand.available,
    )


with_exclusive_cpus = Guard[Admission]("the pod has no CPUs of its own", lambda admission: admission.cpus)


@checker(
    "topology-manager/scope/pod/aligns-the-pod-as-a-whole",
    Admission,
    when=(under("single-numa-node"), scope_pod, admitted, with_exclusive_cpus),
)
def pod_scope_aligns_as_a_whole(admission: Admission) -> Judgement:
    """Under single-numa-node and scope pod all containers of a pod are on one NUMA node."""
    return violated(
        len(_nodes(admission)) == 1,
        f"the containers of pod {admission.pod.uid} are on several NUMA nodes",
        got=format_bits(admission.cpus),
        allowed="CPUs of one NUMA node",
        pod=admission.cpus,
    )


with_affinities = Guard[Admission](
    "fewer than two containers are told, or none of them with its affinity",
    lambda admission: len(admission.held) > 1 and any(held.affinity is not None for held in admission.held.values()),
)


@checker(
    "topology-manager/scope/pod/gives-all-containers-one-affinity",
    Admission,
    when=(under(*ALIGNING), scope_pod, admitted, for_the_first_time, with_affinities),
)
def pod_scope_gives_one_affinity(admission: Admission) -> Judgement:
    """Scope pod: the same alignment for each container."""
    return violated(
        len({held.affinity for held in admission.held.values() if held.affinity is not None}) == 1,
        f"the containers of pod {admission.pod.uid} are told different affinities",
        got=", ".join(f"{name}: {held.affinity}" for name, held in admission.held.items()),
        allowed="one affinity",
    )


def _count(admission: Admission) -> int:
    """Return the CPUs of the one request that is aligned; 0 where several are, one after the other.

    In scope pod it is what the containers need at once: the larger of init containers and apps.
    """
    pod = admission.pod
    if admission.settings.scope == "pod":
        return pod.exclusive
    asking = [container for container in pod.containers if container.exclusive]
    return asking[0].exclusive if len(asking) == 1 else 0


for_one_request = Guard[Admission](
    "no request for CPUs is aligned, or several are, one after the other", lambda admission: _count(admission) > 0
)


def _alignment(admission: Admission) -> Alignment:
    return Alignment(admission.before, _count(admission))


one_node_holds_it = Guard[Admission](
    "no NUMA node has so many free CPUs", lambda admission: _alignment(admission).on_one_node
)
no_node_holds_it = Guard[Admission](
    "one NUMA node has so many free CPUs", lambda admission: not _alignment(admission).on_one_node
)
can_be_aligned = Guard[Admission](
    "as few NUMA nodes as the request needs have not so many free CPUs",
    lambda admission: _alignment(admission).preferred,
)
cannot_be_aligned = Guard[Admission](
    "as few NUMA nodes as the request needs have so many free CPUs",
    lambda admission: not _alignment(admission).preferred,
)


COUNTED = (static, for_the_first_time, for_one_request, for_cpus_alone)


@checker(
    "topology-manager/single-numa-node/admits-what-one-node-holds",
    Admission,
    when=(under("single-numa-node"), *COUNTED, one_node_holds_it, leaving_a_shared_cpu),
)
def single_numa_node_admits(admission: Admission) -> Judgement:
    """Where an alignment to one NUMA node is possible the pod is admitted."""
    free = _free_text(admission.before)
    return _must_be_admitted(admission, f"which asks for {_count(admission)} CPUs that one NUMA node has among {free}")


@checker(
    "topology-manager/single-numa-node/refuses-what-needs-several-nodes",
    Admission,
    when=(under("single-numa-node"), *COUNTED, no_node_holds_it),
)
def single_numa_node_refuses(admission: Admission) -> Judgement:
    """Where no single NUMA node can hold it the pod is refused."""
    free = _free_text(admission.before)
    return _must_be_refused(admission, f"which asks for {_count(admission)} CPUs that no NUMA node has among {free}")


@checker(
    "topology-manager/restricted/admits-what-can-be-aligned",
    Admission,
    when=(under("restricted"), *COUNTED, can_be_aligned, leaving_a_shared_cpu),
)
def restricted_admits(admission: Admission) -> Judgement:
    """A preferred alignment, on as few NUMA nodes as the request needs, is admitted."""
    width, free = _alignment(admission).width, _free_text(admission.before)
    return _must_be_admitted(admission, f"whose {_count(admission)} CPUs {width} NUMA nodes have among {free}")


@checker(
    "topology-manager/restricted/refuses-unaligned-pods",
    Admission,
    when=(under("restricted"), *COUNTED, cannot_be_aligned),
)
def restricted_refuses(admission: Admission) -> Judgement:
    """Without a preferred alignment the pod is refused."""
    width, free = _alignment(admission).width, _free_text(admission.before)
    return _must_be_refused(admission, f"whose {_count(admission)} CPUs no {width} NUMA nodes have among {free}")


@checker(
    "topology-manager/best-effort/aligns-when-possible",
    Admission,
    when=(under("best-effort", "restricted"), *COUNTED, admitted, without_option(BY_SOCKET), can_be_aligned),
)
def aligned_when_possible(admission: Admission) -> Judgement:
    """Where an alignment on as few NUMA nodes as the request needs is possible, it is what the pod gets."""
    count, width, number = _count(admission), _alignment(admission).width, len(_nodes(admission))
    return violated(
        number <= width,
        f"the {count} CPUs of pod {admission.pod.uid} come from {number} NUMA nodes where {width} can give them",
        got=format_bits(admission.cpus),
        allowed=f"{width} NUMA nodes",
        pod=admission.cpus,
    )


def _nodes(admission: Admission) -> list[int]:
    return touched(admission.before.machine.numa_bits.values(), admission.cpus)
