"""What a node makes of reservedMemory. What it reserves of CPUs is judged by ``reservation``."""

from __future__ import annotations

from ..judge.checker import Guard, Judgement, checker
from ..judge.reserved_memory import (
    DUPLICATES,
    UNKNOWN_NODES,
    UNKNOWN_TYPES,
    ZERO_LIMITS,
    avoided,
    memory_entries,
    memory_matches_the_node,
    numa_nodes_have,
)
from ..judge.start_subjects import Start
from .guards import memory_static
from .start_guards import must_come_up, must_not_come_up

names_no_memory = Guard[Start]("memory is reserved", lambda start: not start.kubelet.get("reservedMemory"))
names_memory = Guard[Start]("no memory is reserved", lambda start: start.kubelet.get("reservedMemory"))


memory_matches = Guard[Start](
    "the amounts are not what kubeReserved, systemReserved and the eviction threshold make together",
    memory_matches_the_node,
)
memory_differs = Guard[Start](
    "the amounts are what kubeReserved, systemReserved and the eviction threshold make together",
    lambda start: not memory_matches.holds(start),
)


numa_nodes_have_it = Guard[Start](
    "reservedMemory is to be avoided, of huge pages, or is more than NUMA nodes have",
    lambda start: numa_nodes_have(start) and all(kind == "memory" for _, kind, _ in memory_entries(start)),
)


def with_what_is_to_be_avoided(what: str) -> Guard[Start]:
    """Return the guard that reservedMemory has something that the page calls to be avoided."""
    return Guard(f"reservedMemory has no {what}", lambda start: avoided(start)[what])


@checker("memory-manager/reserved-memory/is-mandatory", Start, when=(memory_static, names_no_memory))
def reserved_memory_is_mandatory(start: Start) -> Judgement:
    """Policy Static needs reservedMemory."""
    return must_not_come_up(start, "without reservedMemory")


@checker(
    "memory-manager/reserved-memory/must-match-the-node-reservation",
    Start,
    when=(memory_static, names_memory, memory_differs),
)
def reserved_memory_must_match(start: Start) -> Judgement:
    """The amounts of all NUMA nodes equal kubeReserved, systemReserved and the hard eviction threshold together."""
    return must_not_come_up(start, "though reservedMemory is not what is reserved")


@checker(
    "memory-manager/reserved-memory/comes-up-when-it-matches",
    Start,
    when=(memory_static, names_memory, memory_matches, numa_nodes_have_it),
)
def reserved_memory_that_matches(start: Start) -> Judgement:
    """Amounts that match are accepted, however they are divided among NUMA nodes that have them."""
    return must_come_up(start, "though reservedMemory is what is reserved")


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
    return must_not_come_up(start, f"with {what} in reservedMemory")
