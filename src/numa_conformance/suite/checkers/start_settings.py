"""What a node makes of its configuration: defaults and policies."""

from __future__ import annotations

from ...cpuset import format_bits
from ...documentation.policies import CPU_POLICIES, MEMORY_POLICIES, TOPOLOGY_POLICIES, TOPOLOGY_SCOPES
from ..judge.checker import Guard, Judgement, checker, violated
from ..judge.pods import GUARANTEED
from ..judge.start_subjects import FirstPod, Start
from .guards import memory_none, none, static, under
from .start_guards import leaves_out, must_come_up, must_not_come_up, without_options


def _must_be_admitted(start: Start, why: str) -> Judgement:
    first = start.first
    if first is None:
        return must_come_up(start, why)
    return violated(first.admitted, f"a pod is refused, {why}", got=first.reason, allowed="admitted")


def names_another_than(field: str, known: tuple[str, ...]) -> Guard[Start]:
    """Return the guard that a field has a value that does not exist."""
    return Guard(
        f"{field} is one that there is",
        lambda start: bool(start.kubelet.get(field)) and start.kubelet[field] not in known,
    )


with_a_pod = Guard[Start]("no pod comes", lambda start: start.first is not None)
with_a_guaranteed_pod = Guard[Start](
    "no Guaranteed pod is admitted",
    lambda start: start.first is not None and start.first.admitted and start.first.spec.qos == GUARANTEED,
)
cpus_are_reserved_by_name = Guard[Start](
    "it is not known which CPUs are reserved", lambda start: start.settings.reserved is not None
)


def _first(start: Start) -> FirstPod:
    assert start.first is not None, "guarded by with_a_pod"
    return start.first


def _free(start: Start) -> int:
    return start.machine.online_bits & ~(start.settings.reserved or 0)


its_cpus_are_free = Guard[Start](
    "the pod asks for no CPUs of its own, or for more than are free",
    lambda start: 0 < _first(start).spec.exclusive <= _free(start).bit_count(),
)


def _each_has_a_node_to_itself(start: Start) -> bool:
    sizes = [container.exclusive for container in _first(start).spec.containers]
    rooms = [(bits & _free(start)).bit_count() for bits in start.machine.numa_bits.values()]
    alike = len(sizes) > 1 and len(set(sizes)) == 1 and sizes[0] > 0
    return alike and sum(room >= sizes[0] for room in rooms) >= len(sizes)


each_has_a_node_to_itself = Guard[Start](
    "the pod's containers differ in size, or too few NUMA nodes have room for one", _each_has_a_node_to_itself
)


def _its_memory_is_on_no_one_node(start: Start) -> bool:
    largest = max((node.memory or 0 for node in start.machine.memory), default=0)
    return sum(container.requests.get("memory", 0) for container in _first(start).spec.containers) > largest


its_memory_is_on_no_one_node = Guard[Start](
    "the memory that the pod asks for may be on one NUMA node", _its_memory_is_on_no_one_node
)


@checker("cpu-manager/policy/defaults-to-none", Start, when=(leaves_out("cpuManagerPolicy"), with_a_guaranteed_pod))
def cpu_policy_defaults_to_none(start: Start) -> Judgement:
    """Without cpuManagerPolicy no container has CPUs of its own."""
    cpus = _first(start).cpus
    return violated(not cpus, "a container has CPUs of its own", got=format_bits(cpus), allowed="none")


@checker(
    "memory-manager/policy/defaults-to-none", Start, when=(leaves_out("memoryManagerPolicy"), with_a_guaranteed_pod)
)
def memory_policy_defaults_to_none(start: Start) -> Judgement:
    """Without memoryManagerPolicy no container has memory of its own."""
    given = [block for held in _first(start).held.values() for block in held.memory or ()]
    return violated(not given, "a container has memory of its own", got=given, allowed="none")


@checker(
    "topology-manager/policy/defaults-to-none",
    Start,
    when=(
        leaves_out("topologyManagerPolicy"),
        static,
        with_a_pod,
        without_options,
        cpus_are_reserved_by_name,
        its_cpus_are_free,
    ),
)
def topology_policy_defaults_to_none(start: Start) -> Judgement:
    """Without topologyManagerPolicy a pod is admitted though no NUMA node holds it."""
    asked, free = _first(start).spec.exclusive, _free(start).bit_count()
    return _must_be_admitted(start, f"which asks for {asked} of {free} free CPUs")


@checker(
    "topology-manager/scope/defaults-to-container",
    Start,
    when=(
        leaves_out("topologyManagerScope"),
        under("single-numa-node"),
        static,
        with_a_pod,
        without_options,
        cpus_are_reserved_by_name,
        each_has_a_node_to_itself,
    ),
)
def scope_defaults_to_container(start: Start) -> Judgement:
    """Without topologyManagerScope containers of one size, each of which has a NUMA node to itself, are admitted."""
    return _must_be_admitted(start, "though each of its containers has room on a NUMA node of its own")


topology_is_aligned = Guard[Start](
    "the Topology Manager's policy is none", lambda start: start.settings.topology != "none"
)


@checker(
    "topology-manager/admission/aligns-no-cpus-without-the-cpu-manager",
    Start,
    when=(none, topology_is_aligned, memory_none, with_a_pod),
)
def no_cpus_without_the_cpu_manager(start: Start) -> Judgement:
    """Under CPU policy none CPUs are not aligned: no pod is refused for them."""
    return _must_be_admitted(start, "though nothing of it is aligned")


@checker(
    "topology-manager/admission/aligns-no-memory-without-the-memory-manager",
    Start,
    when=(memory_none, none, topology_is_aligned, with_a_pod, its_memory_is_on_no_one_node),
)
def no_memory_without_the_memory_manager(start: Start) -> Judgement:
    """Under memory policy None memory is not aligned: no pod is refused for it."""
    return _must_be_admitted(start, "though its memory is not aligned")


@checker("cpu-manager/policy/unknown-is-refused", Start, when=(names_another_than("cpuManagerPolicy", CPU_POLICIES),))
def unknown_cpu_policy_is_refused(start: Start) -> Judgement:
    """A CPU Manager policy that does not exist is refused."""
    return _unknown(start, "cpuManagerPolicy")


@checker(
    "topology-manager/policy/unknown-is-refused",
    Start,
    when=(names_another_than("topologyManagerPolicy", TOPOLOGY_POLICIES),),
)
def unknown_topology_policy_is_refused(start: Start) -> Judgement:
    """A Topology Manager policy that does not exist is refused."""
    return _unknown(start, "topologyManagerPolicy")


@checker(
    "topology-manager/scope/unknown-is-refused",
    Start,
    when=(names_another_than("topologyManagerScope", TOPOLOGY_SCOPES),),
)
def unknown_scope_is_refused(start: Start) -> Judgement:
    """A Topology Manager scope that does not exist is refused."""
    return _unknown(start, "topologyManagerScope")


@checker(
    "memory-manager/policy/unknown-is-refused",
    Start,
    when=(names_another_than("memoryManagerPolicy", MEMORY_POLICIES),),
)
def unknown_memory_policy_is_refused(start: Start) -> Judgement:
    """A Memory Manager policy that does not exist is refused."""
    return _unknown(start, "memoryManagerPolicy")


def _unknown(start: Start, field: str) -> Judgement:
    return must_not_come_up(start, f"with {field} {start.kubelet[field]!r}")
