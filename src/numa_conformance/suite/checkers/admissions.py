"""Which pods are admitted, and which must be: by the free CPUs, the options, and the Topology Manager's policy."""

from __future__ import annotations

from ...cpuset import format_bits
from ..judge.alignment import Alignment, asks_for_devices, empties_the_pool, fits, only_cpus
from ..judge.checker import Judgement, checker, violated
from ..judge.choice import BY_SOCKET, WHOLE_CORES, adds_up, touched
from ..judge.node_subjects import Admission
from ..judge.world import World

REFUSING = ("restricted", "single-numa-node")


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


@checker("topology-manager/admission/nothing-to-align-is-admitted", Admission)
def nothing_to_align_is_admitted(admission: Admission) -> Judgement:
    """A pod that asks for no exclusive CPUs, no devices and no memory of its own is admitted under every policy."""
    world, pod = admission.before, admission.pod
    if admission.again or asks_for_devices(world, pod.containers) or pod.whole or not fits(world, pod):
        return None
    if (world.settings.static and pod.exclusive) or (world.settings.memory_static and pod.qos == "Guaranteed"):
        return None
    return _must_be_admitted(admission, "though it asks for nothing that a manager gives out")


@checker("cpu-manager/none/has-no-preference", Admission)
def none_has_no_preference(admission: Admission) -> Judgement:
    """CPU policy none gives the default hint: however many CPUs a pod asks for, no policy refuses it for them."""
    world, pod = admission.before, admission.pod
    if world.settings.static or world.settings.topology == "none" or not any(own.cpu for own in pod.containers):
        return None
    if not only_cpus(world, pod) or not fits(world, pod):
        return None
    return _must_be_admitted(admission, "though nothing but CPUs is asked for, of which policy none has no preference")


@checker("cpu-manager/static/serves-what-is-free", Admission)
def free_cpus_serve(admission: Admission) -> Judgement:
    """Where nothing has to be aligned, a pod is admitted as long as so many CPUs are free."""
    world, pod = admission.before, admission.pod
    if not _counts_alone(admission) or any(container.kind != "app" for container in pod.containers):
        return None
    return _must_be_admitted(admission, f"which asks for {pod.exclusive} of {_free_text(world)}")


@checker("cpu-manager/static/init-cpus-serve-later-containers", Admission)
def init_cpus_serve_later_containers(admission: Admission) -> Judgement:
    """CPUs of an init container serve those that follow: the larger need of the two decides.

    Not asked where the pool would be empty until init containers end, were their CPUs the last to serve again.
    """
    world, pod = admission.before, admission.pod
    kinds = {container.kind for container in pod.containers}
    if not _counts_alone(admission) or kinds != {"init", "app"}:
        return None
    if empties_the_pool(world, pod):
        return None
    return _must_be_admitted(admission, f"whose containers need {pod.exclusive} at once, of {_free_text(world)}")


def _counts_alone(admission: Admission) -> bool:
    """Whether the number of free CPUs decides, and there are enough."""
    world, pod = admission.before, admission.pod
    if not world.settings.static or admission.again or not pod.exclusive or not only_cpus(world, pod):
        return False
    if world.settings.topology in REFUSING:
        return False
    kept_back = 1 if world.settings.strict else 0
    return pod.exclusive <= world.free.bit_count() - kept_back


@checker("cpu-manager/static/refuses-what-is-not-free", Admission)
def more_than_is_free_is_refused(admission: Admission) -> Judgement:
    """App containers that ask for more CPUs of their own than are free cannot be served."""
    world, pod = admission.before, admission.pod
    wanted = sum(container.exclusive for container in pod.containers if container.kind == "app")
    if not world.settings.static or admission.again or pod.whole or wanted <= world.free.bit_count():
        return None
    return _must_be_refused(admission, f"whose app containers ask for {wanted} of {_free_text(world)}")


@checker("cpu-manager/full-pcpus-only/refuses-a-partial-core", Admission)
def refuses_a_partial_core(admission: Admission) -> Judgement:
    """Under full-pcpus-only every container of a pod must be served by whole cores."""
    world, pod = admission.before, admission.pod
    cores = world.machine.core_bits
    if not world.settings.static or WHOLE_CORES not in world.settings.options or admission.again:
        return None
    partial = [container for container in pod.containers if not adds_up(cores, container.exclusive)]
    if not partial:
        return None
    sizes = " or ".join(str(size) for size in sorted({core.bit_count() for core in cores}))
    wanted = f"whose container {partial[0].name} asks for {partial[0].exclusive} CPUs of cores with {sizes}"
    return _must_be_refused(admission, wanted)


@checker("topology-manager/single-numa-node/gives-one-node", Admission)
def single_numa_node_gives_one(admission: Admission) -> Judgement:
    """Under single-numa-node the exclusive CPUs of a container come from one NUMA node."""
    world = admission.before
    if world.settings.topology != "single-numa-node" or not admission.admitted or not admission.pod.exclusive:
        return None
    wide = {name: held.cpus for name, held in admission.held.items() if len(_nodes(world, held.cpus)) > 1}
    return violated(
        not wide,
        f"containers of pod {admission.pod.uid} have CPUs of several NUMA nodes",
        got=", ".join(f"{name}: {format_bits(cpus)}" for name, cpus in wide.items()),
        allowed="CPUs of one NUMA node",
    )


@checker("topology-manager/scope/pod/aligns-the-pod-as-a-whole", Admission)
def pod_scope_aligns_as_a_whole(admission: Admission) -> Judgement:
    """Under single-numa-node and scope pod all containers of a pod are on one NUMA node."""
    world = admission.before
    settings = world.settings
    if settings.topology != "single-numa-node" or settings.scope != "pod" or not admission.admitted:
        return None
    cpus = admission.cpus
    if not cpus:
        return None
    return violated(
        len(_nodes(world, cpus)) == 1,
        f"the containers of pod {admission.pod.uid} are on several NUMA nodes",
        got=format_bits(cpus),
        allowed="CPUs of one NUMA node",
        pod=cpus,
    )


@checker("topology-manager/scope/pod/gives-all-containers-one-affinity", Admission)
def pod_scope_gives_one_affinity(admission: Admission) -> Judgement:
    """Scope pod: the same alignment for each container."""
    world = admission.before
    if world.settings.topology == "none" or world.settings.scope != "pod" or not admission.admitted or admission.again:
        return None
    told = {held.affinity for held in admission.held.values() if held.affinity is not None}
    if len(admission.held) < 2 or not told:
        return None
    return violated(
        len(told) == 1,
        f"the containers of pod {admission.pod.uid} are told different affinities",
        got=", ".join(f"{name}: {held.affinity}" for name, held in admission.held.items()),
        allowed="one affinity",
    )


def _single_request(admission: Admission) -> int:
    """Return the CPUs of the one request that is aligned; 0 where several are, one after the other.

    In scope pod it is what the containers need at once: the larger of init containers and apps.
    """
    world, pod = admission.before, admission.pod
    if not world.settings.static or admission.again or not only_cpus(world, pod):
        return 0
    if world.settings.scope == "pod":
        return pod.exclusive
    asking = [container for container in pod.containers if container.exclusive]
    return asking[0].exclusive if len(asking) == 1 else 0


@checker("topology-manager/single-numa-node/admits-what-one-node-holds", Admission)
def single_numa_node_admits(admission: Admission) -> Judgement:
    """Where an alignment to one NUMA node is possible the pod is admitted."""
    world, count = admission.before, _single_request(admission)
    if world.settings.topology != "single-numa-node" or not count or not Alignment(world, count).on_one_node:
        return None
    if empties_the_pool(world, admission.pod):
        return None
    return _must_be_admitted(admission, f"which asks for {count} CPUs that one NUMA node has among {_free_text(world)}")


@checker("topology-manager/single-numa-node/refuses-what-needs-several-nodes", Admission)
def single_numa_node_refuses(admission: Admission) -> Judgement:
    """Where no single NUMA node can hold it the pod is refused."""
    world, count = admission.before, _single_request(admission)
    if world.settings.topology != "single-numa-node" or not count or Alignment(world, count).on_one_node:
        return None
    return _must_be_refused(admission, f"which asks for {count} CPUs that no NUMA node has among {_free_text(world)}")


@checker("topology-manager/restricted/admits-what-can-be-aligned", Admission)
def restricted_admits(admission: Admission) -> Judgement:
    """A preferred alignment, on as few NUMA nodes as the request needs, is admitted."""
    world, count = admission.before, _single_request(admission)
    if world.settings.topology != "restricted" or not count or not Alignment(world, count).preferred:
        return None
    if empties_the_pool(world, admission.pod):
        return None
    width = Alignment(world, count).width
    return _must_be_admitted(admission, f"whose {count} CPUs {width} NUMA nodes have among {_free_text(world)}")


@checker("topology-manager/restricted/refuses-unaligned-pods", Admission)
def restricted_refuses(admission: Admission) -> Judgement:
    """Without a preferred alignment the pod is refused."""
    world, count = admission.before, _single_request(admission)
    if world.settings.topology != "restricted" or not count or Alignment(world, count).preferred:
        return None
    width = Alignment(world, count).width
    return _must_be_refused(admission, f"whose {count} CPUs no {width} NUMA nodes have among {_free_text(world)}")


@checker("topology-manager/best-effort/aligns-when-possible", Admission)
def aligned_when_possible(admission: Admission) -> Judgement:
    """Where an alignment on as few NUMA nodes as the request needs is possible, it is what the pod gets."""
    world, count = admission.before, _single_request(admission)
    if world.settings.topology not in ("best-effort", "restricted") or not count or not admission.admitted:
        return None
    alignment = Alignment(world, count)
    if not alignment.preferred or world.settings.options & {BY_SOCKET}:
        return None
    cpus = admission.cpus
    number = len(_nodes(world, cpus))
    return violated(
        number <= alignment.width,
        f"the {count} CPUs of pod {admission.pod.uid} come from {number} NUMA nodes where {alignment.width} can give "
        "them",
        got=format_bits(cpus),
        allowed=f"{alignment.width} NUMA nodes",
        pod=cpus,
    )


def _nodes(world: World, cpus: int) -> list[int]:
    return touched(world.machine.numa_bits.values(), cpus)
