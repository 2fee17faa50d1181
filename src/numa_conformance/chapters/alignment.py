"""Where the Topology Manager aligns what a pod asks for at once, and what can be had then: chapters share it."""

from collections.abc import Mapping

from ..cpuset import bit_of, format_bits
from ..judging.alignment import CpuAlignment, ResourceRequest, memory_of, only_cpus, whole_cores_only
from ..judging.chapter import applies
from ..judging.choice import BY_SOCKET, WHOLE_CORES, touched
from ..judging.node_subjects import Admission
from ..judging.room import Room
from ..judging.world import World
from ..wire.history.values import HoldingBits
from .conditions import new_pod, under_static, without_option, without_pod_resources

REFUSING = ("restricted", "single-numa-node")
ALIGNING = ("best-effort", *REFUSING)


def with_app_containers_only(admission: Admission) -> None:
    applies(all(container.kind == "app" for container in admission.pod.containers), "the pod has init containers")


def plain_pod(admission: Admission) -> None:
    """Go on with a new pod that has nothing but app containers, each with its own resources."""
    new_pod(admission)
    without_pod_resources(admission)
    with_app_containers_only(admission)


def counting_is_enough(admission: Admission) -> None:
    whole = WHOLE_CORES not in admission.settings.options or whole_cores_only(admission.before, admission.pod)
    applies(whole, "parts of cores are free or asked for under full-pcpus-only")
    applies(admission.before.knows_reserved or not admission.pod.exclusive, "the reserved CPUs are not reported")


def with_whole_cpus_only(admission: Admission) -> None:
    """Go on where scope pod leaves no doubt: its page adds up what containers request, of those that share too."""
    pod = admission.pod
    decides = admission.settings.scope == "pod" and pod.exclusive
    applies(not decides or pod.effective("cpu") == pod.exclusive, "CPUs that containers share may count for the pod")


def at_once(admission: Admission) -> ResourceRequest:
    """Return what the pod asks for, where all of it is aligned at once and counting tells what can be had."""
    plain_pod(admission)
    with_whole_cpus_only(admission)
    without_option(admission, BY_SOCKET)
    counting_is_enough(admission)
    applies(admission.is_aligned_at_once, "nothing is aligned, or containers are one by one")
    return admission.request


def leaving_a_cpu(admission: Admission) -> None:
    world = admission.before
    empties = world.strict and 0 < world.free.bit_count() <= admission.request.cpus
    applies(not empties, "the pod might empty the shared pool")


def with_memory(admission: Admission) -> Mapping[str, int]:
    """Return the bytes that the pod asks for of each type of memory."""
    return applies(admission.request.memory, "the pod is given no memory of its own")


def one_node_can_give_all(admission: Admission) -> list[int]:
    """Return the NUMA nodes that surely can give all that the pod asks for."""
    able = Room.of(admission.before).nodes_that_hold(admission.request, surely=True)
    return applies(able, "no NUMA node can give all that the pod asks for")


def has_memory_in_one_container(admission: Admission) -> bool:
    return sum(bool(memory_of(admission.before, admission.pod, each)) for each in admission.pod.containers) == 1


def fewest_nodes_around_the_affinity(admission: Admission) -> int:
    """Return how few NUMA nodes hold the memory with all of the affinity, and give nothing but together."""
    merges = admission.alignments
    applies(merges or admission.settings.topology == "none", "the answers do not say how hints were merged")
    memory = with_memory(admission)
    applies(has_memory_in_one_container(admission), "several containers have memory of their own")
    nodes = merges[-1].affinity.nodes or 0 if merges else 0
    most = Room.of(admission.before).fewest_around(nodes, memory)
    return applies(most, "no NUMA nodes that give nothing but together hold its memory with the affinity")


def common_nodes(admission: Admission) -> set[int]:
    """Return the NUMA nodes to which all that the pod is given is local."""
    nodes = (nodes_of(admission.before, held) for held in admission.held.values())
    return set(admission.before.machine.numa_ids).intersection(*nodes)


def nodes_of(world: World, held: HoldingBits) -> set[int]:
    """Return the NUMA nodes to which all that a container holds is local."""
    common = set(world.machine.numa_ids)
    if held.cpus:
        wide = touched(world.machine.numa_bits.values(), held.cpus)
        common &= {node for node, cpus in world.machine.numa_bits.items() if wide == [cpus]}
    for block in held.memory or ():
        if block.bytes:
            common &= {node for node in common if block.nodes == bit_of(node)}
    places = {(device.resource, device.id): device.numa for device in world.machine.devices}
    for device in held.each_device:
        numa = places.get(device, ())
        common &= set(numa) if numa else common
    return common


def for_cpus_alone(admission: Admission) -> None:
    applies(
        only_cpus(admission.before, admission.pod),
        "more than a number of CPUs is aligned: memory, devices, sockets, parts of cores",
    )


def count_of(admission: Admission) -> int:
    """Return the CPUs of the one request that is aligned.

    In scope pod it is what the containers need at once: the larger of init containers and apps.
    """
    pod = admission.pod
    counts = [container.exclusive for container in pod.containers if container.exclusive]
    whole = admission.settings.scope == "pod"
    count = pod.exclusive if whole else counts[0] if len(counts) == 1 else 0
    return applies(count, "no request for CPUs is aligned, or several are, one after the other")


def counted(admission: Admission) -> CpuAlignment:
    """Return what can be aligned of a pod's one request, which is for a number of CPUs alone."""
    under_static(admission)
    new_pod(admission)
    count = count_of(admission)
    with_whole_cpus_only(admission)
    for_cpus_alone(admission)
    return CpuAlignment(admission.before, count)


def nodes_of_cpus(admission: Admission) -> list[int]:
    """Return the NUMA nodes in which the pod's CPUs lie, each as its CPUs."""
    return touched(admission.before.machine.numa_bits.values(), admission.cpus)


def free_text(world: World) -> str:
    """Write how many CPUs are free, and which."""
    return f"{world.free.bit_count()} free CPUs ({format_bits(world.free)})"
