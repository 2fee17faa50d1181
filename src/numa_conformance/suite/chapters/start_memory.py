"""What a node makes of reservedMemory. What it reserves of CPUs is judged by ``reservation``."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from ..history.quantities import HUGE, amount
from ..judge.chapter import Chapter, Judgement, applies
from ..judge.room import allocatable
from ..judge.start_subjects import Start
from .outcomes import must_come_up, must_not_come_up

chapter = Chapter("memory-manager/static", since="1.21")


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


def _memory_matches(start: Start) -> bool:
    entries, wanted = _memory(start)
    return sum(amount(text) for _, kind, text in entries if kind == "memory") == wanted


def memory_matches(subject: Start) -> None:
    applies(
        _memory_matches(subject),
        "the amounts are not what kubeReserved, systemReserved and the eviction threshold make together",
    )


def _numa_nodes_have_it(start: Start) -> bool:
    if any(_avoided(start).values()):
        return False
    reserved: dict[int, dict[str, int]] = {}
    for node, kind, text in _memory(start)[0]:
        if kind != "memory":
            return False
        reserved.setdefault(node, {})[kind] = int(amount(text))
    left = allocatable(start.machine, reserved).values()
    return bool(left) and all(number >= 0 for amounts in left for number in amounts.values())


def with_what_is_to_be_avoided(start: Start, what: str) -> None:
    """Return the guard that reservedMemory has something that the page calls to be avoided."""
    applies(_avoided(start)[what], f"reservedMemory has no {what}")


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
        not _memory_matches(start),
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
        _numa_nodes_have_it(start), "reservedMemory is to be avoided, of huge pages, or is more than NUMA nodes have"
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
