"""What is aligned at once under single-numa-node: each container, or in scope pod the pod as a whole.

Page: Control Topology Management Policies on a node, sections container scope and pod scope.
"""

from ...cpuset import format_bits
from ...judging.alignment import CpuAlignment, ResourceRequest
from ...judging.chapter import Chapter, Judgement, applies, configured, judges, rests_on, violated
from ...judging.node_subjects import Admission
from ...judging.room import Room
from ..alignment import ALIGNING, counted, counting_is_enough, for_cpus_alone, nodes_of_cpus, with_app_containers_only
from ..conditions import (
    admitted,
    leaving_a_shared_cpu,
    new_pod,
    under,
    under_static,
    with_cpus_on_several_nodes,
    without_pod_resources,
)
from ..outcomes import listed, must_be_admitted, must_be_refused

chapter = Chapter(since="1.18")
of_pods = Chapter("topology-manager/scope/pod", "topology-manager/single-numa-node", "cpu-manager/static", since="1.18")


def of_scope(admission: Admission, scope: str) -> None:
    configured(admission.settings.scope == scope, f"the Topology Manager's scope is not {scope}")


def in_scope(admission: Admission, scope: str) -> None:
    under(admission, "single-numa-node")
    of_scope(admission, scope)


def as_a_whole(admission: Admission) -> None:
    in_scope(admission, "pod")
    new_pod(admission)
    without_pod_resources(admission)


def sizes_of(admission: Admission) -> list[int]:
    """Return the CPUs of each container that asks for CPUs of its own."""
    return [container.exclusive for container in admission.pod.containers if container.exclusive]


@chapter.requires(
    "topology-manager/scope/container/aligns-each-container-alone",
    "topology-manager/scope/container",
    "topology-manager/single-numa-node",
    "cpu-manager/static",
)
@rests_on("topology/container/each-container-alone", "topology-source/scopes/container-by-container")
def container_scope_aligns_each_alone(admission: Admission) -> Judgement:
    """In the container scope containers of one pod may be aligned to different NUMA nodes."""
    in_scope(admission, "container")
    under_static(admission)
    new_pod(admission)
    for_cpus_alone(admission)
    with_app_containers_only(admission)
    sizes, world = sizes_of(admission), admission.before
    applies(len(sizes) > 1, "the pod has one container with CPUs of its own, or none")
    able = [cpus for cpus in world.machine.numa_bits.values() if (cpus & world.free).bit_count() >= max(sizes)]
    applies(len(sizes) <= len(able), "too few NUMA nodes have room for one of the containers")
    together = CpuAlignment(admission.before, sum(sizes_of(admission)))
    applies(not together.on_one_node, "one NUMA node has so many free CPUs as all containers ask for")
    leaving_a_shared_cpu(admission)
    return must_be_admitted(admission, "though each of its containers has room on a NUMA node of its own")


@of_pods.requires("topology-manager/scope/pod/aligns-the-pod-as-a-whole")
@rests_on(
    "topology/pod/one-node-under-single",
    "topology-source/scopes/pod",
    "topology-source/scopes/pod-asks-pod-hints",
    "topology/pod/one-node",
)
def pod_scope_aligns_as_a_whole(admission: Admission) -> Judgement:
    """In the pod scope under single-numa-node all containers of an admitted pod are on one common NUMA node."""
    in_scope(admission, "pod")
    admitted(admission)
    applies(admission.cpus, "the pod has no CPUs of its own")
    with_cpus_on_several_nodes(admission)
    return violated(
        len(nodes_of_cpus(admission)) == 1,
        f"the containers of pod {admission.pod.uid} are on several NUMA nodes",
        got=format_bits(admission.cpus),
        allowed="CPUs of one NUMA node",
        pod=admission.cpus,
    )


@chapter.requires(
    "topology-manager/scope/pod/gives-all-containers-one-affinity", "topology-manager/scope/pod", since="1.20"
)
@rests_on("topology/policies/same-for-every-container", "topology/pod/one-set")
def pod_scope_gives_one_affinity(admission: Admission) -> Judgement:
    """In scope pod every container of a pod has the same affinity."""
    under(admission, *ALIGNING)
    of_scope(admission, "pod")
    admitted(admission)
    new_pod(admission)
    applies(len(admission.held) > 1, "fewer than two containers are reported")
    affinities = {name: held.affinity for name, held in admission.held.items() if held.affinity is not None}
    applies(affinities, "no container's affinity is reported")
    why = f"the containers of pod {admission.pod.uid} have different affinities"
    got = "; ".join(f"{name}: {listed([affinity])}" for name, affinity in affinities.items())
    return violated(len(set(affinities.values())) == 1, why, got=got, allowed="one affinity")


@of_pods.requires("topology-manager/scope/pod/refuses-by-the-total")
@rests_on("topology/pod/more-are-refused", "topology/pod/total", "sidecars/resources/count-beside-apps")
def pod_scope_refuses_by_the_total(admission: Admission) -> Judgement:
    """In the pod scope under single-numa-node a pod whose containers together fit no NUMA node is refused, though
    each container alone would fit.
    """
    in_scope(admission, "pod")
    cpus, sizes = counted(admission), sizes_of(admission)
    with_app_containers_only(admission)
    applies(len(sizes) > 1, "the pod has one container with CPUs of its own, or none")
    applies(CpuAlignment(admission.before, max(sizes)).on_one_node, "one container alone is too large")
    applies(not cpus.on_one_node, "one NUMA node has so many free CPUs")
    return must_be_refused(admission, f"which asks for {cpus.count} CPUs in all that no NUMA node has")


@judges("topology-manager/scope/pod/refuses-by-the-total")
def pod_scope_counts_sidecars(admission: Admission) -> Judgement:
    """Sidecars run beside the apps: what these need together, of CPUs, memory and devices, a NUMA node has to have."""
    as_a_whole(admission)
    pod, world = admission.pod, admission.before
    applies(any(container.kind == "sidecar" for container in pod.containers), "the pod has no sidecar")
    running = ResourceRequest.of(world, pod, [container for container in pod.containers if container.kind != "init"])
    able = Room.of(world).nodes_that_hold(running, surely=False)
    applies(not able, "a NUMA node may have all that sidecars and apps ask for")
    return must_be_refused(admission, "whose sidecars and apps together ask for more than a NUMA node has")


def able_nodes_at_once(admission: Admission, *, surely: bool) -> list[int]:
    """Return the NUMA nodes that have the larger of what init containers and apps need of all resources."""
    as_a_whole(admission)
    kinds = {container.kind for container in admission.pod.containers}
    applies(kinds == {"init", "app"}, "the pod has no init containers, or a sidecar")
    request = ResourceRequest.at_once(admission.before, admission.pod)
    return Room.of(admission.before).nodes_that_hold(request, surely=surely)


@of_pods.requires(
    "topology-manager/scope/pod/counts-the-larger-of-init-and-app-containers", "cpu-manager/init-containers"
)
@rests_on("topology/pod/total", "kep-693/total/larger-of-init-and-apps")
def pod_scope_does_not_add_init_containers(admission: Admission) -> Judgement:
    """In the pod scope a pod's need is the larger of its app containers' sum and its largest init container."""
    able = able_nodes_at_once(admission, surely=True)
    counting_is_enough(admission)
    leaving_a_shared_cpu(admission)
    applies(able, "no NUMA node surely has the larger of what init containers and apps ask for")
    return must_be_admitted(admission, "which asks for no more at once than a NUMA node has")


@judges("topology-manager/scope/pod/counts-the-larger-of-init-and-app-containers")
def pod_scope_counts_init_containers(admission: Admission) -> Judgement:
    """A pod is refused where no NUMA node has the larger of the two, of CPUs, memory and devices together."""
    able = able_nodes_at_once(admission, surely=False)
    applies(not able, "a NUMA node may have the larger of what init containers and apps ask for")
    return must_be_refused(admission, "which asks for more at once than a NUMA node has of CPUs, memory and devices")
