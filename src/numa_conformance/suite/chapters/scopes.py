"""What is aligned at once under single-numa-node: each container, or in scope pod the pod as a whole."""

from __future__ import annotations

from ...cpuset import format_bits
from ..judge.alignment import Alignment
from ..judge.chapter import Chapter, Judgement, applies, judges, violated
from ..judge.node_subjects import Admission
from ..judge.room import Request, Room
from .admissions import (
    ALIGNING,
    count_of,
    counted,
    for_cpus_alone,
    must_be_admitted,
    must_be_refused,
    no_node_holds_it,
    nodes_of_cpus,
    one_node_holds_it,
)
from .alignment import counting_is_enough, knows_what_is_free, with_app_containers_only
from .conditions import (
    Configured,
    leaving_a_shared_cpu,
    under,
)

chapter = Chapter(since="1.18")


def single(subject: Configured) -> None:
    under(subject, "single-numa-node")


@chapter.requires(
    "topology-manager/scope/pod/aligns-the-pod-as-a-whole",
    "topology-manager/scope/pod",
    "topology-manager/single-numa-node",
    "cpu-manager/static",
    on=Admission,
    rests_on=(
        "topology/pod/one-node-under-single",
        "topology-source/scopes/pod",
        "topology-source/scopes/pod-asks-pod-hints",
        "topology/pod/one-node",
    ),
)
def pod_scope_aligns_as_a_whole(admission: Admission) -> Judgement:
    """In the pod scope under single-numa-node all containers of an admitted pod are on one common NUMA node."""
    single(admission)
    applies(admission.settings.scope == "pod", "the Topology Manager's scope is container")
    applies(admission.admitted, "the pod was refused")
    applies(admission.cpus, "the pod has no CPUs of its own")
    return violated(
        len(nodes_of_cpus(admission)) == 1,
        f"the containers of pod {admission.pod.uid} are on several NUMA nodes",
        got=format_bits(admission.cpus),
        allowed="CPUs of one NUMA node",
        pod=admission.cpus,
    )


@chapter.requires(
    "topology-manager/scope/pod/gives-all-containers-one-affinity",
    "topology-manager/scope/pod",
    on=Admission,
    rests_on=("topology/policies/same-for-every-container", "topology/pod/one-set"),
    since="1.20",
)
def pod_scope_gives_one_affinity(admission: Admission) -> Judgement:
    """In scope pod every container of a pod has the same affinity."""
    under(admission, *ALIGNING)
    applies(admission.settings.scope == "pod", "the Topology Manager's scope is container")
    applies(admission.admitted, "the pod was refused")
    applies(not admission.again, "the pod was on the node before")
    applies(
        len(admission.held) > 1 and any(held.affinity is not None for held in admission.held.values()),
        "fewer than two containers are told, or none of them with its affinity",
    )
    return violated(
        len({held.affinity for held in admission.held.values() if held.affinity is not None}) == 1,
        f"the containers of pod {admission.pod.uid} are told different affinities",
        got=", ".join(f"{name}: {held.affinity}" for name, held in admission.held.items()),
        allowed="one affinity",
    )


def _sizes(admission: Admission) -> list[int]:
    """Return the CPUs of each container that asks for CPUs of its own."""
    return [container.exclusive for container in admission.pod.containers if container.exclusive]


def _on_one_node(admission: Admission, count: int) -> bool:
    return Alignment(admission.before, count).on_one_node


def _each_has_a_node_to_itself(admission: Admission) -> bool:
    sizes, world = _sizes(admission), admission.before
    able = [
        cpus for cpus in world.machine.numa_bits.values() if (cpus & world.free).bit_count() >= max(sizes, default=1)
    ]
    return 1 < len(sizes) <= len(able)


def none_has_all(admission: Admission) -> None:
    applies(
        not _on_one_node(admission, sum(_sizes(admission))),
        "one NUMA node has so many free CPUs as all containers ask for",
    )


@chapter.requires(
    "topology-manager/scope/container/aligns-each-container-alone",
    "topology-manager/scope/container",
    "topology-manager/single-numa-node",
    "cpu-manager/static",
    on=Admission,
    rests_on=("topology/container/each-container-alone", "topology-source/scopes/container-by-container"),
)
def container_scope_aligns_each_alone(admission: Admission) -> Judgement:
    """In the container scope containers of one pod may be aligned to different NUMA nodes.

    In scope container a pod is admitted whose containers each have a NUMA node, though no node has all of them.
    """
    single(admission)
    applies(admission.settings.scope == "container", "the Topology Manager's scope is pod")
    applies(admission.settings.static, "the CPU Manager's policy is none")
    applies(not admission.again, "the pod was on the node before")
    for_cpus_alone(admission)
    with_app_containers_only(admission)
    applies(_each_has_a_node_to_itself(admission), "the pod has no several containers with a NUMA node for each")
    none_has_all(admission)
    leaving_a_shared_cpu(admission)
    return must_be_admitted(admission, "though each of its containers has room on a NUMA node of its own")


@chapter.requires(
    "topology-manager/scope/pod/refuses-by-the-total",
    "topology-manager/scope/pod",
    "topology-manager/single-numa-node",
    "cpu-manager/static",
    on=Admission,
    rests_on=("topology/pod/more-are-refused", "topology/pod/total", "sidecars/resources/count-beside-apps"),
)
def pod_scope_refuses_by_the_total(admission: Admission) -> Judgement:
    """In the pod scope under single-numa-node a pod whose containers together fit no NUMA node is refused, though
    each container alone would fit.
    """
    single(admission)
    applies(admission.settings.scope == "pod", "the Topology Manager's scope is container")
    counted(admission)
    with_app_containers_only(admission)
    applies(
        len(_sizes(admission)) > 1 and _on_one_node(admission, max(_sizes(admission))),
        "the pod has no several containers, or one of them alone is too large",
    )
    no_node_holds_it(admission)
    return must_be_refused(admission, f"which asks for {count_of(admission)} CPUs in all that no NUMA node has")


def _what_runs(admission: Admission) -> Request:
    """Add up what sidecars and app containers ask for."""
    running = [container for container in admission.pod.containers if container.kind != "init"]
    return Request.of(admission.before, admission.pod, running)


@judges("topology-manager/scope/pod/refuses-by-the-total", on=Admission)
def pod_scope_counts_sidecars(admission: Admission) -> Judgement:
    """Sidecars run beside the apps: what these need together, of CPUs, memory and devices, a NUMA node has to have."""
    single(admission)
    applies(admission.settings.scope == "pod", "the Topology Manager's scope is container")
    applies(not admission.again, "the pod was on the node before")
    applies(not admission.pod.whole, "the pod as a whole has resources")
    applies(any(each.kind == "sidecar" for each in admission.pod.containers), "the pod has no sidecar")
    applies(
        not Room(admission.before).nodes_that_hold(_what_runs(admission), surely=False),
        "a NUMA node may have all that sidecars and apps ask for",
    )
    return must_be_refused(admission, "whose sidecars and apps together ask for more than a NUMA node has")


def with_init_containers(admission: Admission) -> None:
    applies(
        any(container.kind == "init" and container.exclusive for container in admission.pod.containers)
        and not any(container.kind == "sidecar" for container in admission.pod.containers),
        "the pod has no init containers for CPUs of their own, or a sidecar",
    )


@chapter.requires(
    "topology-manager/scope/pod/counts-the-larger-of-init-and-app-containers",
    "topology-manager/scope/pod",
    "topology-manager/single-numa-node",
    "cpu-manager/static",
    "cpu-manager/init-containers",
    on=Admission,
    rests_on=("topology/pod/total", "kep-693/total/larger-of-init-and-apps"),
)
def pod_scope_does_not_add_init_containers(admission: Admission) -> Judgement:
    """In the pod scope a pod's need is the larger of its app containers' sum and its largest init container."""
    single(admission)
    applies(admission.settings.scope == "pod", "the Topology Manager's scope is container")
    counted(admission)
    with_init_containers(admission)
    one_node_holds_it(admission)
    none_has_all(admission)
    leaving_a_shared_cpu(admission)
    return must_be_admitted(admission, f"which asks for {count_of(admission)} CPUs at once that a NUMA node has")


@judges("topology-manager/scope/pod/counts-the-larger-of-init-and-app-containers", on=Admission)
def pod_scope_counts_init_containers(admission: Admission) -> Judgement:
    """A pod is refused where no NUMA node has the larger of the two."""
    single(admission)
    applies(admission.settings.scope == "pod", "the Topology Manager's scope is container")
    counted(admission)
    with_init_containers(admission)
    no_node_holds_it(admission)
    return must_be_refused(admission, f"which asks for {count_of(admission)} CPUs at once that no NUMA node has")


def begins_with_init_containers(admission: Admission) -> None:
    applies(
        {container.kind for container in admission.pod.containers} == {"init", "app"},
        "the pod has no init containers, or a sidecar",
    )


@judges("topology-manager/scope/pod/counts-the-larger-of-init-and-app-containers", on=Admission)
def pod_scope_counts_all_of_init_containers(admission: Admission) -> Judgement:
    """The same of CPUs, memory and devices together."""
    single(admission)
    applies(admission.settings.scope == "pod", "the Topology Manager's scope is container")
    applies(not admission.again, "the pod was on the node before")
    applies(not admission.pod.whole, "the pod as a whole has resources")
    begins_with_init_containers(admission)
    applies(
        not Room(admission.before).nodes_that_hold(Request.at_once(admission.before, admission.pod), surely=False),
        "a NUMA node may have the larger of what init containers and apps ask for",
    )
    return must_be_refused(admission, "which asks for more at once than a NUMA node has of CPUs, memory and devices")


@judges("topology-manager/scope/pod/counts-the-larger-of-init-and-app-containers", on=Admission)
def pod_scope_adds_nothing_of_init_containers(admission: Admission) -> Judgement:
    """A pod is admitted where a NUMA node has the larger of the two, of CPUs, memory and devices together."""
    single(admission)
    applies(admission.settings.scope == "pod", "the Topology Manager's scope is container")
    applies(not admission.again, "the pod was on the node before")
    applies(not admission.pod.whole, "the pod as a whole has resources")
    begins_with_init_containers(admission)
    counting_is_enough(admission)
    knows_what_is_free(admission)
    leaving_a_shared_cpu(admission)
    applies(
        Room(admission.before).nodes_that_hold(Request.at_once(admission.before, admission.pod), surely=True),
        "no NUMA node surely has the larger of what init containers and apps ask for",
    )
    return must_be_admitted(admission, "which asks for no more at once than a NUMA node has")
