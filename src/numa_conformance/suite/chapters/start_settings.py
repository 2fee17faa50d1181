"""What a node makes of its configuration: defaults and policies."""

from __future__ import annotations

from ...cpuset import format_bits
from ...documentation.policies import CPU_POLICIES, MEMORY_POLICIES, TOPOLOGY_POLICIES, TOPOLOGY_SCOPES
from ..judge.chapter import Chapter, Judgement, applies, violated
from ..judge.pods import GUARANTEED
from ..judge.start_subjects import FirstPod, Start
from .conditions import under
from .start_guards import leaves_out, must_come_up, must_not_come_up

chapter = Chapter(since="1.21")


def _must_be_admitted(start: Start, why: str) -> Judgement:
    first = start.first
    if first is None:
        return must_come_up(start, why)
    return violated(first.admitted, f"a pod is refused, {why}", got=first.reason, allowed="admitted")


def names_another_than(start: Start, field: str, known: tuple[str, ...]) -> None:
    """Return the guard that a field has a value that does not exist."""
    applies(bool(start.kubelet.get(field)) and start.kubelet[field] not in known, f"{field} is one that there is")


def with_a_guaranteed_pod(start: Start) -> None:
    applies(
        start.first is not None and start.first.admitted and start.first.spec.qos == GUARANTEED,
        "no Guaranteed pod is admitted",
    )


def _first(start: Start) -> FirstPod:
    assert start.first is not None, "guarded by with_a_pod"
    return start.first


def _free(start: Start) -> int:
    return start.machine.online_bits & ~(start.settings.reserved or 0)


def _each_has_a_node_to_itself(start: Start) -> bool:
    sizes = [container.exclusive for container in _first(start).spec.containers]
    rooms = [(bits & _free(start)).bit_count() for bits in start.machine.numa_bits.values()]
    alike = len(sizes) > 1 and len(set(sizes)) == 1 and sizes[0] > 0
    return alike and sum(room >= sizes[0] for room in rooms) >= len(sizes)


def _its_memory_is_on_no_one_node(start: Start) -> bool:
    largest = max((node.memory or 0 for node in start.machine.memory), default=0)
    return sum(container.requests.get("memory", 0) for container in _first(start).spec.containers) > largest


@chapter.requires(
    "cpu-manager/policy/defaults-to-none",
    "cpu-manager/none",
    on=Start,
    rests_on=(
        "cpu-1.8/configuration/none-is-the-default",
        "cpu-task/configuration/policies",
        "kubelet-reference/configuration/cpu-policies",
    ),
    since="1.8",
)
def cpu_policy_defaults_to_none(start: Start) -> Judgement:
    """Without cpuManagerPolicy no container has CPUs of its own."""
    leaves_out(start, "cpuManagerPolicy")
    with_a_guaranteed_pod(start)
    cpus = _first(start).cpus
    return violated(not cpus, "a container has CPUs of its own", got=format_bits(cpus), allowed="none")


@chapter.requires(
    "memory-manager/policy/defaults-to-none", "memory-manager/none", on=Start, rests_on=("memory/policies/those",)
)
def memory_policy_defaults_to_none(start: Start) -> Judgement:
    """Without memoryManagerPolicy no container has memory of its own."""
    leaves_out(start, "memoryManagerPolicy")
    with_a_guaranteed_pod(start)
    given = [block for held in _first(start).held.values() for block in held.memory or ()]
    return violated(not given, "a container has memory of its own", got=given, allowed="none")


@chapter.requires(
    "topology-manager/policy/defaults-to-none",
    "cpu-manager/static",
    "topology-manager/none",
    on=Start,
    rests_on=("topology/policies/none-is-the-default", "topology-source/policies/none-is-the-default"),
    since="1.18",
)
def topology_policy_defaults_to_none(start: Start) -> Judgement:
    """Without topologyManagerPolicy no pod is refused for its topology.

    Without topologyManagerPolicy a pod is admitted though no NUMA node holds it.
    """
    leaves_out(start, "topologyManagerPolicy")
    applies(start.settings.static, "the CPU Manager's policy is none")
    applies(start.first is not None, "no pod comes")
    applies(not start.named, "policy options are named")
    applies(start.settings.reserved is not None, "it is not known which CPUs are reserved")
    applies(
        0 < _first(start).spec.exclusive <= _free(start).bit_count(),
        "the pod asks for no CPUs of its own, or for more than are free",
    )
    asked, free = _first(start).spec.exclusive, _free(start).bit_count()
    return _must_be_admitted(start, f"which asks for {asked} of {free} free CPUs")


@chapter.requires(
    "topology-manager/scope/defaults-to-container",
    "cpu-manager/static",
    "topology-manager/single-numa-node",
    "topology-manager/scope/container",
    on=Start,
    rests_on=("topology/scopes/container-is-the-default", "topology-source/scopes/container-is-the-default"),
    since="1.20",
)
def scope_defaults_to_container(start: Start) -> Judgement:
    """Without topologyManagerScope containers are aligned one by one.

    Without topologyManagerScope containers of one size, each of which has a NUMA node to itself, are admitted.
    """
    leaves_out(start, "topologyManagerScope")
    under(start, "single-numa-node")
    applies(start.settings.static, "the CPU Manager's policy is none")
    applies(start.first is not None, "no pod comes")
    applies(not start.named, "policy options are named")
    applies(start.settings.reserved is not None, "it is not known which CPUs are reserved")
    applies(
        _each_has_a_node_to_itself(start),
        "the pod's containers differ in size, or too few NUMA nodes have room for one",
    )
    return _must_be_admitted(start, "though each of its containers has room on a NUMA node of its own")


@chapter.requires(
    "topology-manager/admission/aligns-no-cpus-without-the-cpu-manager",
    "cpu-manager/none",
    "topology-manager/single-numa-node",
    on=Start,
    rests_on=("topology/scopes-and-policies/cpus-need-the-cpu-manager",),
    since="1.18",
)
def no_cpus_without_the_cpu_manager(start: Start) -> Judgement:
    """Under CPU Manager policy none no pod is refused for its CPUs."""
    applies(not start.settings.static, "the CPU Manager's policy is static")
    applies(start.settings.topology != "none", "the Topology Manager's policy is none")
    applies(not start.settings.memory_static, "the Memory Manager's policy is Static")
    applies(start.first is not None, "no pod comes")
    return _must_be_admitted(start, "though nothing of it is aligned")


@chapter.requires(
    "topology-manager/admission/aligns-no-memory-without-the-memory-manager",
    "cpu-manager/none",
    "memory-manager/none",
    "topology-manager/single-numa-node",
    on=Start,
    rests_on=("topology/scopes-and-policies/memory-needs-the-memory-manager",),
)
def no_memory_without_the_memory_manager(start: Start) -> Judgement:
    """Under Memory Manager policy None no pod is refused for its memory."""
    applies(not start.settings.memory_static, "the Memory Manager's policy is Static")
    applies(not start.settings.static, "the CPU Manager's policy is static")
    applies(start.settings.topology != "none", "the Topology Manager's policy is none")
    applies(start.first is not None, "no pod comes")
    applies(_its_memory_is_on_no_one_node(start), "the memory that the pod asks for may be on one NUMA node")
    return _must_be_admitted(start, "though its memory is not aligned")


@chapter.requires(
    "cpu-manager/policy/unknown-is-refused",
    "cpu-manager/static",
    on=Start,
    rests_on=(
        "kubelet-reference/configuration/cpu-policies",
        "cpu-task/configuration/policies",
        "nrm/cpus/two-policies",
    ),
    since="1.8",
    strength="SHOULD",
    beyond="The pages name two policies and say nothing of others.",
)
def unknown_cpu_policy_is_refused(start: Start) -> Judgement:
    """The node does not come up with a CPU Manager policy other than none and static."""
    names_another_than(start, "cpuManagerPolicy", CPU_POLICIES)
    return _unknown(start, "cpuManagerPolicy")


@chapter.requires(
    "topology-manager/policy/unknown-is-refused",
    "topology-manager/none",
    on=Start,
    rests_on=("topology-source/policies/unknown-policy", "kubelet-reference/configuration/topology-policies"),
    since="1.27",
    strength="SHOULD",
)
def unknown_topology_policy_is_refused(start: Start) -> Judgement:
    """The node does not come up with a Topology Manager policy that does not exist."""
    names_another_than(start, "topologyManagerPolicy", TOPOLOGY_POLICIES)
    return _unknown(start, "topologyManagerPolicy")


@chapter.requires(
    "topology-manager/scope/unknown-is-refused",
    "topology-manager/none",
    on=Start,
    rests_on=("topology-source/scopes/unknown-scope", "kubelet-reference/configuration/topology-scopes"),
    since="1.27",
    strength="SHOULD",
)
def unknown_scope_is_refused(start: Start) -> Judgement:
    """The node does not come up with a Topology Manager scope that does not exist."""
    names_another_than(start, "topologyManagerScope", TOPOLOGY_SCOPES)
    return _unknown(start, "topologyManagerScope")


@chapter.requires(
    "memory-manager/policy/unknown-is-refused",
    "memory-manager/static",
    on=Start,
    rests_on=("memory/policies/those",),
    strength="SHOULD",
    beyond="The page names the policies and says nothing of others.",
)
def unknown_memory_policy_is_refused(start: Start) -> Judgement:
    """The node does not come up with a Memory Manager policy that does not exist."""
    names_another_than(start, "memoryManagerPolicy", MEMORY_POLICIES)
    return _unknown(start, "memoryManagerPolicy")


def _unknown(start: Start, field: str) -> Judgement:
    return must_not_come_up(start, f"with {field} {start.kubelet[field]!r}")
