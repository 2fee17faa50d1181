"""What a node makes of reservedMemory. Page: Control Memory Management Policies on a Node.

What it reserves of CPUs is judged by ``reservation``.
"""

from collections.abc import Iterator

from ...cpuset import checked
from ...judging import allowed
from ...judging.chapter import (
    Chapter,
    Judgement,
    Violation,
    applies,
    exists,
    judges,
    recommended_by,
    rests_on,
    violated,
)
from ...judging.node_subjects import Arrival, NodeMoment
from ...judging.room import allocatable
from ...judging.start_subjects import Start
from ...wire.history.quantities import size_text
from ..conditions import memory_static
from ..outcomes import must_come_up, must_not_come_up
from .static import overdrafts

chapter = Chapter("memory-manager/static", since="1.21")
TO_AVOID = "The page says that such a configuration is to be avoided, not that the node does not come up."


@chapter.requires("memory-manager/reserved-memory/is-mandatory")
@rests_on("memory/how/reserved-memory-is-mandatory", "memory/reserved/eviction-default")
def reserved_memory_is_mandatory(start: Start) -> Judgement:
    """The node does not come up with policy Static and no reservedMemory."""
    memory_static(start)
    applies(not start.kubelet.get("reservedMemory"), "memory is reserved")
    return must_not_come_up(start, "without reservedMemory")


@chapter.requires("memory-manager/reserved-memory/must-match-the-node-reservation")
@rests_on("memory/constraints/sum", "memory/constraints/error-otherwise", "memory/constraints/worked-example")
def reserved_memory_must_match(start: Start) -> Judgement:
    """The node does not come up unless reservedMemory adds up to kubeReserved plus systemReserved plus the hard
    eviction threshold.
    """
    memory_static(start)
    applies(start.kubelet.get("reservedMemory"), "no memory is reserved")
    applies(
        not allowed.memory_matches_the_node(start),
        "the amounts are what kubeReserved, systemReserved and the eviction threshold make together",
    )
    return must_not_come_up(start, "though reservedMemory is not what is reserved")


def memory_matches(start: Start) -> None:
    memory_static(start)
    applies(
        allowed.memory_matches_the_node(start),
        "the amounts are not what kubeReserved, systemReserved and the eviction threshold make together",
    )


@chapter.requires("memory-manager/reserved-memory/comes-up-when-it-matches")
@rests_on(
    "memory/syntax/per-numa-node",
    "memory/constraints/worked-example",
    "memory/constraints/sum",
    "kubelet-reference/configuration/reserved-memory",
)
def reserved_memory_that_matches(start: Start) -> Judgement:
    """reservedMemory whose amounts add up to what is reserved is accepted, however NUMA nodes share it."""
    memory_matches(start)
    applies(start.kubelet.get("reservedMemory"), "no memory is reserved")
    applies(all(kind == "memory" for _, kind, _ in allowed.memory_entries(start)), "huge pages are reserved")
    applies(allowed.numa_nodes_have(start), "reservedMemory is to be avoided, or is more than NUMA nodes have")
    return must_come_up(start, "though reservedMemory is what is reserved")


@chapter.requires("memory-manager/reserved-memory/other-thresholds-end-the-default")
@rests_on("node-pressure/hard/not-inherited", "memory/constraints/sum")
def other_thresholds_end_the_default(start: Start) -> Judgement:
    """Where evictionHard says nothing of memory no threshold is part of what reservedMemory adds up to."""
    memory_static(start)
    written = start.kubelet.get("evictionHard")
    applies(written and "memory.available" not in written, "there is a threshold for memory, or the default ones")
    applies(start.kubelet.get("reservedMemory"), "no memory is reserved")
    if not allowed.memory_matches_the_node(start):
        return must_not_come_up(start, "though reservedMemory is not what is reserved")
    applies(allowed.numa_nodes_have(start), "reservedMemory is to be avoided, or is more than NUMA nodes have")
    return must_come_up(start, "though reservedMemory is what is reserved")


def _refuses(start: Start, what: str) -> Judgement:
    memory_matches(start)
    applies(allowed.avoided(start)[what], f"reservedMemory has no {what}")
    return must_not_come_up(start, f"with {what} in reservedMemory")


@chapter.requires("memory-manager/reserved-memory/refuses-duplicates")
@recommended_by("memory/avoid/duplicates", beyond=TO_AVOID)
def refuses_duplicates(start: Start) -> Judgement:
    """The node does not come up with reservedMemory that names a NUMA node and type twice."""
    return _refuses(start, allowed.DUPLICATES)


@chapter.requires("memory-manager/reserved-memory/refuses-zero-limits")
@recommended_by("memory/avoid/zero", beyond=TO_AVOID)
def refuses_zero_limits(start: Start) -> Judgement:
    """The node does not come up with reservedMemory that has a limit of zero."""
    return _refuses(start, allowed.ZERO_LIMITS)


@chapter.requires("memory-manager/reserved-memory/refuses-unknown-numa-nodes")
@recommended_by(
    "memory/avoid/unknown-numa-nodes",
    beyond="The page says that such NUMA nodes are to be avoided, not that the node does not come up.",
)
def refuses_unknown_numa_nodes(start: Start) -> Judgement:
    """The node does not come up with reservedMemory for a NUMA node it does not have."""
    return _refuses(start, allowed.UNKNOWN_NODES)


@chapter.requires("memory-manager/reserved-memory/refuses-unknown-types")
@recommended_by("memory/avoid/unknown-types", beyond=TO_AVOID)
def refuses_unknown_types(start: Start) -> Judgement:
    """The node does not come up with reservedMemory that names a type other than memory and huge pages of the
    machine.
    """
    return _refuses(start, allowed.UNKNOWN_TYPES)


@chapter.requires("memory-manager/reserved-memory/is-never-given")
@rests_on("memory/reserved/not-for-containers")
def never_gives_what_is_reserved(moment: NodeMoment) -> Judgement:
    """The memory reserved on a NUMA node is not given to any container."""
    reserved = applies(moment.settings.reserved_memory, "no memory is reserved on a NUMA node")
    return overdrafts(
        moment,
        lambda nodes, kind: any(nodes >> node & 1 and amounts.get(kind) for node, amounts in reserved.items()),
        "is there beside what is reserved",
    )


@judges("memory-manager/reserved-memory/is-never-given")
def has_no_reserved_memory_to_give(start: Arrival | Start) -> Iterator[Violation]:
    """What a NUMA node has to give is what it has, in huge pages or not, less what is reserved on it."""
    memory_static(start)
    books = exists(start.memory, "the books of its memory are not reported")
    tables = {(checked(node.node), kind): table for node in books for kind, table in (node.tables or {}).items()}
    applies(all(node.tables is not None for node in books), "the tables of its books are not reported")
    machine = (start if isinstance(start, Start) else applies(start.world, "the node does not come up")).machine
    room = allocatable(machine, start.settings.reserved_memory)
    due = {(node, kind): number for node, kinds in room.items() for kind, number in kinds.items() if number > 0}
    for node, kind in sorted(due.keys() | tables.keys()):
        number, table = due.get((node, kind), 0), tables.get((node, kind))
        gives, free, taken = (table.allocatable, table.free, table.reserved) if table else (0, 0, 0)
        why = f"NUMA node {node} has {'more' if gives > number else 'less'} {kind} to give than is not reserved"
        yield from violated(gives == number, why, got=size_text(gives), allowed=size_text(number))
        why = f"NUMA node {node} has {kind} to give that is not free, and nobody has any"
        got = f"{size_text(free)} free, {size_text(taken)} taken"
        yield from violated((free, taken) == (gives, 0), why, got=got, allowed=f"{size_text(gives)} free")
