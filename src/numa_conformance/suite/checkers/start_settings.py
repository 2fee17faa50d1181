"""What a node makes of its configuration: defaults, policies, the reservation of memory, many NUMA nodes.

What it reserves of CPUs is judged by ``reservation``.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from ...cpuset import format_bits
from ...documentation.policies import CPU_POLICIES, TOPOLOGY_POLICIES, TOPOLOGY_SCOPES
from ..judge.checker import Guard, Judgement, checker, violated
from ..judge.pods import GUARANTEED
from ..judge.quantities import amount
from ..judge.room import HUGE, allocatable
from ..judge.start_subjects import MANY_NODES, MOST_NODES, FirstPod, Start
from .guards import memory_none, memory_static, none, static, under

STARTS, FAILS = "the node comes up", "the node does not come up"
ALIGNING = tuple(policy for policy in TOPOLOGY_POLICIES if policy != "none")


def _must_come_up(start: Start, why: str) -> Judgement:
    return violated(start.up, f"the node does not come up, {why}", got=start.refusal, allowed=STARTS)


def _must_not_come_up(start: Start, why: str) -> Judgement:
    return violated(not start.up, f"the node comes up, {why}", allowed=FAILS)


def _must_be_admitted(start: Start, why: str) -> Judgement:
    first = start.first
    if first is None:
        return _must_come_up(start, why)
    return violated(first.admitted, f"a pod is refused, {why}", got=first.reason, allowed="admitted")


def says(field: str) -> Guard[Start]:
    """Return the guard that the configuration has a field."""
    return Guard(f"{field} is not set", lambda start: field in start.kubelet)


def leaves_out(field: str) -> Guard[Start]:
    """Return the guard that the configuration does not have a field."""
    return Guard(f"{field} is set", lambda start: field not in start.kubelet)


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
without_options = Guard[Start]("policy options are named", lambda start: not start.named)
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


on_eight_numa_nodes = Guard[Start](
    "the machine has more or fewer than eight NUMA nodes", lambda start: len(start.machine.numa_ids) == MOST_NODES
)
on_more_numa_nodes = Guard[Start](
    "the machine has eight NUMA nodes or fewer", lambda start: len(start.machine.numa_ids) > MOST_NODES
)
on_more_numa_nodes_with_cpus = Guard[Start](
    "eight NUMA nodes or fewer have CPUs", lambda start: start.nodes_with_cpus > MOST_NODES
)
policy_is_written_none = Guard[Start](
    "topologyManagerPolicy is not set to none", lambda start: start.kubelet.get("topologyManagerPolicy") == "none"
)
names_many_nodes_alone = Guard[Start](
    "max-allowable-numa-nodes is hidden, or not the one option that is named",
    lambda start: start.named == {MANY_NODES} and bool(start.shows(MANY_NODES)),
)


def _most(start: Start) -> int:
    """Return the number of NUMA nodes that are allowed; 0 where none is written."""
    text = start.settings.topology_options.get(MANY_NODES, "")
    return int(text) if text.isdecimal() else 0


as_a_number = Guard[Start](
    "max-allowable-numa-nodes is no number, or one below the NUMA nodes there are",
    lambda start: _most(start) >= len(start.machine.numa_ids),
)
as_too_small_a_number = Guard[Start](
    "max-allowable-numa-nodes is no number, or the NUMA nodes with CPUs are no more",
    lambda start: MOST_NODES <= _most(start) < start.nodes_with_cpus,
)
as_true = Guard[Start](
    'max-allowable-numa-nodes is not "true"', lambda start: start.settings.topology_options.get(MANY_NODES) == "true"
)


@checker(
    "topology-manager/max-allowable-numa-nodes/eight-are-accepted",
    Start,
    when=(under(*ALIGNING), without_options, on_eight_numa_nodes),
)
def eight_numa_nodes_are_accepted(start: Start) -> Judgement:
    """A machine with exactly eight NUMA nodes is accepted."""
    return _must_come_up(start, "on eight NUMA nodes")


@checker(
    "topology-manager/max-allowable-numa-nodes/default-is-eight",
    Start,
    when=(under(*ALIGNING), without_options, on_more_numa_nodes_with_cpus),
)
def more_numa_nodes_are_refused(start: Start) -> Judgement:
    """More than eight NUMA nodes are refused under every policy but none."""
    return _must_not_come_up(start, f"under {start.settings.topology} on {len(start.machine.numa_ids)} NUMA nodes")


@checker(
    "topology-manager/max-allowable-numa-nodes/none-has-no-limit",
    Start,
    when=(policy_is_written_none, leaves_out("cpuManagerPolicy"), without_options, on_more_numa_nodes),
)
def none_has_no_limit(start: Start) -> Judgement:
    """Under policy none the number of NUMA nodes does not matter."""
    return _must_come_up(start, f"under policy none on {len(start.machine.numa_ids)} NUMA nodes")


@checker("topology-manager/max-allowable-numa-nodes/is-set-to-true", Start, when=(names_many_nodes_alone, as_true))
def option_is_set_to_true(start: Start) -> Judgement:
    """Set to true the option allows more than eight NUMA nodes."""
    return _allows_more(start)


@checker(
    "topology-manager/max-allowable-numa-nodes/raises-the-limit", Start, when=(names_many_nodes_alone, as_a_number)
)
def option_raises_the_limit(start: Start) -> Judgement:
    """Set to a number the option allows so many."""
    return _allows_more(start)


@checker(
    "topology-manager/max-allowable-numa-nodes/stays-a-limit",
    Start,
    when=(names_many_nodes_alone, as_too_small_a_number),
)
def raised_limit_is_a_limit(start: Start) -> Judgement:
    """A machine with more NUMA nodes than the raised limit is refused."""
    return _must_not_come_up(start, f"with {MANY_NODES}={_most(start)} on {len(start.machine.numa_ids)} NUMA nodes")


def _allows_more(start: Start) -> Judgement:
    text = start.settings.topology_options[MANY_NODES]
    return _must_come_up(start, f"with {MANY_NODES}={text} on {len(start.machine.numa_ids)} NUMA nodes")


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


def _unknown(start: Start, field: str) -> Judgement:
    return _must_not_come_up(start, f"with {field} {start.kubelet[field]!r}")


def _memory(start: Start) -> tuple[list[tuple[int, str, str]], int]:
    """Return what reservedMemory says, entry by entry, and how many bytes of memory it must say."""
    entries = [
        (entry["numaNode"], kind, text)
        for entry in start.kubelet.get("reservedMemory") or ()
        for kind, text in entry["limits"].items()
    ]
    wanted = sum(
        _bytes((start.kubelet.get(field) or {}).get(name, default), start.machine.total_memory)
        for field, name, default in (
            ("kubeReserved", "memory", "0"),
            ("systemReserved", "memory", "0"),
            ("evictionHard", "memory.available", "0" if "evictionHard" in start.kubelet else "100Mi"),
        )
    )
    return entries, int(wanted)


def _bytes(written: object, all_memory: int) -> Fraction:
    """Return an amount of memory; an eviction threshold may be a part of all."""
    text = str(written)
    return amount(text[:-1]) * all_memory / 100 if text.endswith("%") else amount(text)


DUPLICATES, ZERO_LIMITS = "duplicates", "zero limits"
UNKNOWN_NODES, UNKNOWN_TYPES = "unknown numa nodes", "unknown types"


def _avoided(start: Start) -> Mapping[str, bool]:
    """Return which of the configurations to avoid this is."""
    entries, _ = _memory(start)
    named = [(node, kind) for node, kind, _ in entries]
    sizes = {size for node in start.machine.memory for size in node.hugepages}
    return {
        DUPLICATES: len(set(named)) < len(named),
        ZERO_LIMITS: any(not amount(text) for _, _, text in entries),
        UNKNOWN_NODES: any(node not in start.machine.numa_ids for node, _ in named),
        UNKNOWN_TYPES: any(kind != "memory" and kind.removeprefix(HUGE) not in sizes for _, kind in named),
    }


names_no_memory = Guard[Start]("memory is reserved", lambda start: not start.kubelet.get("reservedMemory"))
names_memory = Guard[Start]("no memory is reserved", lambda start: start.kubelet.get("reservedMemory"))


def _memory_matches(start: Start) -> bool:
    entries, wanted = _memory(start)
    return sum(amount(text) for _, kind, text in entries if kind == "memory") == wanted


memory_matches = Guard[Start](
    "the amounts are not what kubeReserved, systemReserved and the eviction threshold make together", _memory_matches
)
memory_differs = Guard[Start](
    "the amounts are what kubeReserved, systemReserved and the eviction threshold make together",
    lambda start: not memory_matches.holds(start),
)


def _numa_nodes_have_it(start: Start) -> bool:
    if any(_avoided(start).values()):
        return False
    reserved: dict[int, dict[str, int]] = {}
    for node, kind, text in _memory(start)[0]:
        reserved.setdefault(node, {})[kind] = int(amount(text))
    left = allocatable(start.machine, reserved).values()
    return bool(left) and all(number >= 0 for amounts in left for number in amounts.values())


numa_nodes_have_it = Guard[Start](
    "reservedMemory is to be avoided, or is more than NUMA nodes have", _numa_nodes_have_it
)


def with_what_is_to_be_avoided(what: str) -> Guard[Start]:
    """Return the guard that reservedMemory has something that the page calls to be avoided."""
    return Guard(f"reservedMemory has no {what}", lambda start: _avoided(start)[what])


@checker("memory-manager/reserved-memory/is-mandatory", Start, when=(memory_static, names_no_memory))
def reserved_memory_is_mandatory(start: Start) -> Judgement:
    """Policy Static needs reservedMemory."""
    return _must_not_come_up(start, "without reservedMemory")


@checker(
    "memory-manager/reserved-memory/must-match-the-node-reservation",
    Start,
    when=(memory_static, names_memory, memory_differs),
)
def reserved_memory_must_match(start: Start) -> Judgement:
    """The amounts of all NUMA nodes equal kubeReserved, systemReserved and the hard eviction threshold together."""
    return _must_not_come_up(start, "though reservedMemory is not what is reserved")


@checker(
    "memory-manager/reserved-memory/comes-up-when-it-matches",
    Start,
    when=(memory_static, names_memory, memory_matches, numa_nodes_have_it),
)
def reserved_memory_that_matches(start: Start) -> Judgement:
    """Amounts that match are accepted, however they are divided among NUMA nodes that have them."""
    return _must_come_up(start, "though reservedMemory is what is reserved")


@checker(
    "memory-manager/reserved-memory/refuses-duplicates",
    Start,
    when=(memory_static, memory_matches, with_what_is_to_be_avoided(DUPLICATES)),
)
def refuses_duplicates(start: Start) -> Judgement:
    """No NUMA node and type stand twice."""
    return _to_be_avoided(start, DUPLICATES)


@checker(
    "memory-manager/reserved-memory/refuses-zero-limits",
    Start,
    when=(memory_static, memory_matches, with_what_is_to_be_avoided(ZERO_LIMITS)),
)
def refuses_zero_limits(start: Start) -> Judgement:
    """No limit is zero."""
    return _to_be_avoided(start, ZERO_LIMITS)


@checker(
    "memory-manager/reserved-memory/refuses-unknown-numa-nodes",
    Start,
    when=(memory_static, memory_matches, with_what_is_to_be_avoided(UNKNOWN_NODES)),
)
def refuses_unknown_numa_nodes(start: Start) -> Judgement:
    """Every NUMA node is one of the machine."""
    return _to_be_avoided(start, UNKNOWN_NODES)


@checker(
    "memory-manager/reserved-memory/refuses-unknown-types",
    Start,
    when=(memory_static, memory_matches, with_what_is_to_be_avoided(UNKNOWN_TYPES)),
)
def refuses_unknown_types(start: Start) -> Judgement:
    """Every type is memory, or huge pages of the machine."""
    return _to_be_avoided(start, UNKNOWN_TYPES)


def _to_be_avoided(start: Start, what: str) -> Judgement:
    return _must_not_come_up(start, f"with {what} in reservedMemory")
