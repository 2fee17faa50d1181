"""What is aligned at once under single-numa-node: each container, or in scope pod the pod as a whole."""

from __future__ import annotations

from ...cpuset import format_bits
from ..judge.alignment import Alignment
from ..judge.checker import Guard, Judgement, checker, violated
from ..judge.node_subjects import Admission
from ..judge.room import Request, Room
from .admissions import (
    ALIGNING,
    COUNTED,
    count_of,
    for_cpus_alone,
    must_be_admitted,
    must_be_refused,
    no_node_holds_it,
    nodes_of_cpus,
    one_node_holds_it,
)
from .alignment import counting_is_enough, knows_what_is_free, with_app_containers_only
from .guards import (
    admitted,
    for_the_first_time,
    leaving_a_shared_cpu,
    of_containers,
    scope_container,
    scope_pod,
    static,
    under,
)

SINGLE = under("single-numa-node")

with_exclusive_cpus = Guard[Admission]("the pod has no CPUs of its own", lambda admission: admission.cpus)


@checker(
    "topology-manager/scope/pod/aligns-the-pod-as-a-whole",
    Admission,
    when=(SINGLE, scope_pod, admitted, with_exclusive_cpus),
)
def pod_scope_aligns_as_a_whole(admission: Admission) -> Judgement:
    """Under single-numa-node and scope pod all containers of a pod are on one NUMA node."""
    return violated(
        len(nodes_of_cpus(admission)) == 1,
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


each_has_a_node_to_itself = Guard[Admission](
    "the pod has no several containers with a NUMA node for each", _each_has_a_node_to_itself
)
none_has_all = Guard[Admission](
    "one NUMA node has so many free CPUs as all containers ask for",
    lambda admission: not _on_one_node(admission, sum(_sizes(admission))),
)


@checker(
    "topology-manager/scope/container/aligns-each-container-alone",
    Admission,
    when=(
        SINGLE,
        scope_container,
        static,
        for_the_first_time,
        for_cpus_alone,
        with_app_containers_only,
        each_has_a_node_to_itself,
        none_has_all,
        leaving_a_shared_cpu,
    ),
)
def container_scope_aligns_each_alone(admission: Admission) -> Judgement:
    """In scope container a pod is admitted whose containers each have a NUMA node, though no node has all of them."""
    return must_be_admitted(admission, "though each of its containers has room on a NUMA node of its own")


each_alone_fits = Guard[Admission](
    "the pod has no several containers, or one of them alone is too large",
    lambda admission: len(_sizes(admission)) > 1 and _on_one_node(admission, max(_sizes(admission))),
)


@checker(
    "topology-manager/scope/pod/refuses-by-the-total",
    Admission,
    when=(SINGLE, scope_pod, *COUNTED, with_app_containers_only, each_alone_fits, no_node_holds_it),
)
def pod_scope_refuses_by_the_total(admission: Admission) -> Judgement:
    """In scope pod a pod is refused whose containers fit each alone, and together no NUMA node."""
    return must_be_refused(admission, f"which asks for {count_of(admission)} CPUs in all that no NUMA node has")


with_sidecars = Guard[Admission](
    "the pod has no sidecar", lambda admission: any(each.kind == "sidecar" for each in admission.pod.containers)
)


def _what_runs(admission: Admission) -> Request:
    """Add up what sidecars and app containers ask for."""
    running = [container for container in admission.pod.containers if container.kind != "init"]
    return Request.of(admission.before, admission.pod, running)


no_node_holds_what_runs = Guard[Admission](
    "a NUMA node may have all that sidecars and apps ask for",
    lambda admission: not Room(admission.before).nodes_that_hold(_what_runs(admission), surely=False),
)


@checker(
    "topology-manager/scope/pod/refuses-by-the-total",
    Admission,
    when=(SINGLE, scope_pod, for_the_first_time, of_containers, with_sidecars, no_node_holds_what_runs),
)
def pod_scope_counts_sidecars(admission: Admission) -> Judgement:
    """Sidecars run beside the apps: what these need together, of CPUs, memory and devices, a NUMA node has to have."""
    return must_be_refused(admission, "whose sidecars and apps together ask for more than a NUMA node has")


with_init_containers = Guard[Admission](
    "the pod has no init containers for CPUs of their own, or a sidecar",
    lambda admission: (
        any(container.kind == "init" and container.exclusive for container in admission.pod.containers)
        and not any(container.kind == "sidecar" for container in admission.pod.containers)
    ),
)


@checker(
    "topology-manager/scope/pod/counts-the-larger-of-init-and-app-containers",
    Admission,
    when=(SINGLE, scope_pod, *COUNTED, with_init_containers, one_node_holds_it, none_has_all, leaving_a_shared_cpu),
)
def pod_scope_does_not_add_init_containers(admission: Admission) -> Judgement:
    """A pod is admitted where a NUMA node has the larger of init containers and apps, though none has their sum."""
    return must_be_admitted(admission, f"which asks for {count_of(admission)} CPUs at once that a NUMA node has")


@checker(
    "topology-manager/scope/pod/counts-the-larger-of-init-and-app-containers",
    Admission,
    when=(SINGLE, scope_pod, *COUNTED, with_init_containers, no_node_holds_it),
)
def pod_scope_counts_init_containers(admission: Admission) -> Judgement:
    """A pod is refused where no NUMA node has the larger of the two."""
    return must_be_refused(admission, f"which asks for {count_of(admission)} CPUs at once that no NUMA node has")


begins_with_init_containers = Guard[Admission](
    "the pod has no init containers, or a sidecar",
    lambda admission: {container.kind for container in admission.pod.containers} == {"init", "app"},
)
no_node_holds_it_at_once = Guard[Admission](
    "a NUMA node may have the larger of what init containers and apps ask for",
    lambda admission: (
        not Room(admission.before).nodes_that_hold(Request.at_once(admission.before, admission.pod), surely=False)
    ),
)


@checker(
    "topology-manager/scope/pod/counts-the-larger-of-init-and-app-containers",
    Admission,
    when=(SINGLE, scope_pod, for_the_first_time, of_containers, begins_with_init_containers, no_node_holds_it_at_once),
)
def pod_scope_counts_all_of_init_containers(admission: Admission) -> Judgement:
    """The same of CPUs, memory and devices together."""
    return must_be_refused(admission, "which asks for more at once than a NUMA node has of CPUs, memory and devices")


one_node_holds_it_at_once = Guard[Admission](
    "no NUMA node surely has the larger of what init containers and apps ask for",
    lambda admission: Room(admission.before).nodes_that_hold(
        Request.at_once(admission.before, admission.pod), surely=True
    ),
)


@checker(
    "topology-manager/scope/pod/counts-the-larger-of-init-and-app-containers",
    Admission,
    when=(
        SINGLE,
        scope_pod,
        for_the_first_time,
        of_containers,
        begins_with_init_containers,
        counting_is_enough,
        knows_what_is_free,
        leaving_a_shared_cpu,
        one_node_holds_it_at_once,
    ),
)
def pod_scope_adds_nothing_of_init_containers(admission: Admission) -> Judgement:
    """A pod is admitted where a NUMA node has the larger of the two, of CPUs, memory and devices together."""
    return must_be_admitted(admission, "which asks for no more at once than a NUMA node has")
