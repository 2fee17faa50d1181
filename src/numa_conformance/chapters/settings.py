"""What a node makes of its configuration: defaults, policies that do not exist, managers that are off.

Pages: Kubelet Configuration (v1beta1), and those of the managers.
"""

from ..cpuset import format_bits
from ..judging.chapter import Chapter, Judgement, applies, configured, recommended_by, rests_on, violated
from ..judging.pods import GUARANTEED
from ..judging.start_subjects import FirstPod, Start
from ..sources.policies import CPU_POLICIES, MEMORY_POLICIES, TOPOLOGY_POLICIES, TOPOLOGY_SCOPES
from .conditions import memory_none, under, under_none, under_static
from .outcomes import must_not_come_up

chapter = Chapter(since="1.21")


def first_of(start: Start) -> FirstPod:
    """Return the pod that came first."""
    return applies(start.first, "no pod comes")


def its_first_must_be_admitted(start: Start, why: str) -> Judgement:
    """Judge that the first pod is admitted; ``why`` is told of it."""
    first = first_of(start)
    plain = all(container.requests.keys() <= {"cpu", "memory"} for container in first.spec.containers)
    applies(plain, "the pod asks for devices or huge pages, which may be the reason")
    return violated(first.admitted, f"a pod is refused, {why}", got=first.reason, allowed="admitted")


def guaranteed_without(start: Start, field: str) -> FirstPod:
    """Return the Guaranteed pod that a node without a field admits."""
    applies(field not in start.kubelet, f"{field} is set")
    first = first_of(start)
    applies(first.admitted and first.spec.qos == GUARANTEED, "no Guaranteed pod is admitted")
    return first


def free_without(start: Start, field: str) -> int:
    """Return the free CPUs of a node without a field, whose policy is static and has no options."""
    applies(field not in start.kubelet, f"{field} is set")
    under_static(start)
    applies(not start.named, "policy options are named")
    configured(start.settings.reserved is not None, "it is not known which CPUs are reserved")
    return start.machine.online_bits & ~(start.settings.reserved or 0)


def must_refuse_unknown(start: Start, field: str, known: tuple[str, ...]) -> Judgement:
    """Judge that the node does not come up with a value of a field that does not exist."""
    text = start.kubelet.get(field)
    applies(text and text not in known, f"{field} is one that there is")
    return must_not_come_up(start, f"with {field} {text!r}")


@chapter.requires("cpu-manager/policy/defaults-to-none", "cpu-manager/none", since="1.8")
@rests_on(
    "cpu-1.8/configuration/none-is-the-default",
    "cpu-task/configuration/policies",
    "kubelet-reference/configuration/cpu-policies",
)
def cpu_policy_defaults_to_none(start: Start) -> Judgement:
    """Without cpuManagerPolicy no container has CPUs of its own."""
    cpus = guaranteed_without(start, "cpuManagerPolicy").cpus
    return violated(not cpus, "a container has CPUs of its own", got=format_bits(cpus), allowed="none")


@chapter.requires("memory-manager/policy/defaults-to-none", "memory-manager/none")
@rests_on("memory/policies/those")
def memory_policy_defaults_to_none(start: Start) -> Judgement:
    """Without memoryManagerPolicy no container has memory of its own."""
    held = guaranteed_without(start, "memoryManagerPolicy").held.values()
    blocks = [block for each in held for block in each.memory or ()]
    return violated(not blocks, "a container has memory of its own", got=", ".join(map(str, blocks)), allowed="none")


@chapter.requires(
    "topology-manager/policy/defaults-to-none", "cpu-manager/static", "topology-manager/none", since="1.18"
)
@rests_on("topology/policies/none-is-the-default", "topology-source/policies/none-is-the-default")
def topology_policy_defaults_to_none(start: Start) -> Judgement:
    """Without topologyManagerPolicy no pod is refused for its topology."""
    free = free_without(start, "topologyManagerPolicy").bit_count()
    count = first_of(start).spec.exclusive
    applies(0 < count <= free, "the pod asks for no CPUs of its own, or for more than are free")
    return its_first_must_be_admitted(start, f"which asks for {count} of {free} free CPUs")


@chapter.requires(
    "topology-manager/scope/defaults-to-container",
    "cpu-manager/static",
    "topology-manager/single-numa-node",
    "topology-manager/scope/container",
    since="1.20",
)
@rests_on("topology/scopes/container-is-the-default", "topology-source/scopes/container-is-the-default")
def scope_defaults_to_container(start: Start) -> Judgement:
    """Without topologyManagerScope containers are aligned one by one."""
    under(start, "single-numa-node")
    free = free_without(start, "topologyManagerScope")
    sizes = [container.exclusive for container in first_of(start).spec.containers]
    applies(len(sizes) > 1 and sizes[0] and len(set(sizes)) == 1, "the pod's containers differ in size, or it has one")
    able = sum((cpus & free).bit_count() >= sizes[0] for cpus in start.machine.numa_bits.values())
    applies(able >= len(sizes), "too few NUMA nodes have room for a container")
    return its_first_must_be_admitted(start, "though each of its containers has room on a NUMA node of its own")


@chapter.requires(
    "topology-manager/admission/aligns-no-cpus-without-the-cpu-manager",
    "cpu-manager/none",
    "topology-manager/single-numa-node",
    since="1.18",
)
@rests_on("topology/scopes-and-policies/cpus-need-the-cpu-manager")
def no_cpus_without_the_cpu_manager(start: Start) -> Judgement:
    """Under CPU Manager policy none no pod is refused for its CPUs."""
    both_are_off(start)
    return its_first_must_be_admitted(start, "though nothing of it is aligned")


@chapter.requires(
    "topology-manager/admission/aligns-no-memory-without-the-memory-manager",
    "cpu-manager/none",
    "memory-manager/none",
    "topology-manager/single-numa-node",
)
@rests_on("topology/scopes-and-policies/memory-needs-the-memory-manager")
def no_memory_without_the_memory_manager(start: Start) -> Judgement:
    """Under Memory Manager policy None no pod is refused for its memory."""
    both_are_off(start)
    largest = max((node.memory or 0 for node in start.machine.memory), default=0)
    wanted = sum(container.requests.get("memory", 0) for container in first_of(start).spec.containers)
    applies(wanted > largest, "the memory that the pod asks for may be on one NUMA node")
    return its_first_must_be_admitted(start, "though its memory is not aligned")


def both_are_off(start: Start) -> None:
    under_none(start)
    memory_none(start)
    configured(start.settings.topology != "none", "the Topology Manager's policy is none")


@chapter.requires("cpu-manager/policy/unknown-is-refused", "cpu-manager/static", since="1.8")
@recommended_by(
    "kubelet-reference/configuration/cpu-policies",
    "cpu-task/configuration/policies",
    "nrm/cpus/two-policies",
    beyond="The pages name two policies and say nothing of others.",
)
def unknown_cpu_policy_is_refused(start: Start) -> Judgement:
    """The node does not come up with a CPU Manager policy other than none and static."""
    return must_refuse_unknown(start, "cpuManagerPolicy", CPU_POLICIES)


@chapter.requires("topology-manager/policy/unknown-is-refused", "topology-manager/none", since="1.27")
@recommended_by("topology-source/policies/unknown-policy", "kubelet-reference/configuration/topology-policies")
def unknown_topology_policy_is_refused(start: Start) -> Judgement:
    """The node does not come up with a Topology Manager policy that does not exist."""
    return must_refuse_unknown(start, "topologyManagerPolicy", TOPOLOGY_POLICIES)


@chapter.requires("topology-manager/scope/unknown-is-refused", "topology-manager/none", since="1.27")
@recommended_by("topology-source/scopes/unknown-scope", "kubelet-reference/configuration/topology-scopes")
def unknown_scope_is_refused(start: Start) -> Judgement:
    """The node does not come up with a Topology Manager scope that does not exist."""
    return must_refuse_unknown(start, "topologyManagerScope", TOPOLOGY_SCOPES)


@chapter.requires("memory-manager/policy/unknown-is-refused", "memory-manager/static")
@recommended_by("memory/policies/those", beyond="The page names the policies and says nothing of others.")
def unknown_memory_policy_is_refused(start: Start) -> Judgement:
    """The node does not come up with a Memory Manager policy that does not exist."""
    return must_refuse_unknown(start, "memoryManagerPolicy", MEMORY_POLICIES)
