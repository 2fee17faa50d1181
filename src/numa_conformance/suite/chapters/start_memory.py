"""What a node makes of reservedMemory. What it reserves of CPUs is judged by ``reservation``."""

from __future__ import annotations

from ..judge.chapter import Chapter, Judgement, applies
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
from .outcomes import must_come_up, must_not_come_up

chapter = Chapter("memory-manager/static", since="1.21")


def memory_matches(subject: Start) -> None:
    applies(
        memory_matches_the_node(subject),
        "the amounts are not what kubeReserved, systemReserved and the eviction threshold make together",
    )


def with_what_is_to_be_avoided(start: Start, what: str) -> None:
    """Return the guard that reservedMemory has something that the page calls to be avoided."""
    applies(avoided(start)[what], f"reservedMemory has no {what}")


@chapter.requires(
    "memory-manager/reserved-memory/is-mandatory",
    on=Start,
    rests_on=("memory/how/reserved-memory-is-mandatory", "memory/reserved/eviction-default"),
)
def reserved_memory_is_mandatory(start: Start) -> Judgement:
    """The node does not come up with policy Static and no reservedMemory."""
    applies(start.settings.memory_static, "the Memory Manager's policy is None")
    applies(not start.kubelet.get("reservedMemory"), "memory is reserved")
    return must_not_come_up(start, "without reservedMemory")


@chapter.requires(
    "memory-manager/reserved-memory/must-match-the-node-reservation",
    on=Start,
    rests_on=("memory/constraints/sum", "memory/constraints/error-otherwise", "memory/constraints/worked-example"),
)
def reserved_memory_must_match(start: Start) -> Judgement:
    """The node does not come up unless reservedMemory adds up to kubeReserved plus systemReserved plus the hard
    eviction threshold.

    The amounts of all NUMA nodes equal kubeReserved, systemReserved and the hard eviction threshold together.
    """
    applies(start.settings.memory_static, "the Memory Manager's policy is None")
    applies(start.kubelet.get("reservedMemory"), "no memory is reserved")
    applies(
        not memory_matches_the_node(start),
        "the amounts are what kubeReserved, systemReserved and the eviction threshold make together",
    )
    return must_not_come_up(start, "though reservedMemory is not what is reserved")


@chapter.requires(
    "memory-manager/reserved-memory/comes-up-when-it-matches",
    on=Start,
    rests_on=(
        "memory/syntax/per-numa-node",
        "memory/constraints/worked-example",
        "memory/constraints/sum",
        "kubelet-reference/configuration/reserved-memory",
    ),
)
def reserved_memory_that_matches(start: Start) -> Judgement:
    """reservedMemory whose amounts add up to what is reserved is accepted, however NUMA nodes share it.

    Amounts that match are accepted, however they are divided among NUMA nodes that have them.
    """
    applies(start.settings.memory_static, "the Memory Manager's policy is None")
    applies(start.kubelet.get("reservedMemory"), "no memory is reserved")
    memory_matches(start)
    applies(
        numa_nodes_have(start) and all(kind == "memory" for _, kind, _ in memory_entries(start)),
        "reservedMemory is to be avoided, of huge pages, or is more than NUMA nodes have",
    )
    return must_come_up(start, "though reservedMemory is what is reserved")


@chapter.requires(
    "memory-manager/reserved-memory/refuses-duplicates",
    on=Start,
    rests_on=("memory/avoid/duplicates",),
    strength="SHOULD",
    beyond="The page says that such a configuration is to be avoided, not that the node does not come up.",
)
def refuses_duplicates(start: Start) -> Judgement:
    """The node does not come up with reservedMemory that names a NUMA node and type twice."""
    applies(start.settings.memory_static, "the Memory Manager's policy is None")
    memory_matches(start)
    with_what_is_to_be_avoided(start, DUPLICATES)
    return _to_be_avoided(start, DUPLICATES)


@chapter.requires(
    "memory-manager/reserved-memory/refuses-zero-limits",
    on=Start,
    rests_on=("memory/avoid/zero",),
    strength="SHOULD",
    beyond="The page says that such a configuration is to be avoided, not that the node does not come up.",
)
def refuses_zero_limits(start: Start) -> Judgement:
    """The node does not come up with reservedMemory that has a limit of zero."""
    applies(start.settings.memory_static, "the Memory Manager's policy is None")
    memory_matches(start)
    with_what_is_to_be_avoided(start, ZERO_LIMITS)
    return _to_be_avoided(start, ZERO_LIMITS)


@chapter.requires(
    "memory-manager/reserved-memory/refuses-unknown-numa-nodes",
    on=Start,
    rests_on=("memory/avoid/unknown-numa-nodes",),
    strength="SHOULD",
    beyond="The page says that such NUMA nodes are to be avoided, not that the node does not come up.",
)
def refuses_unknown_numa_nodes(start: Start) -> Judgement:
    """The node does not come up with reservedMemory for a NUMA node it does not have.

    Every NUMA node is one of the machine.
    """
    applies(start.settings.memory_static, "the Memory Manager's policy is None")
    memory_matches(start)
    with_what_is_to_be_avoided(start, UNKNOWN_NODES)
    return _to_be_avoided(start, UNKNOWN_NODES)


@chapter.requires(
    "memory-manager/reserved-memory/refuses-unknown-types",
    on=Start,
    rests_on=("memory/avoid/unknown-types",),
    strength="SHOULD",
    beyond="The page says that such a configuration is to be avoided, not that the node does not come up.",
)
def refuses_unknown_types(start: Start) -> Judgement:
    """The node does not come up with reservedMemory that names a type other than memory and huge pages of the
    machine.
    """
    applies(start.settings.memory_static, "the Memory Manager's policy is None")
    memory_matches(start)
    with_what_is_to_be_avoided(start, UNKNOWN_TYPES)
    return _to_be_avoided(start, UNKNOWN_TYPES)


def _to_be_avoided(start: Start, what: str) -> Judgement:
    return must_not_come_up(start, f"with {what} in reservedMemory")
