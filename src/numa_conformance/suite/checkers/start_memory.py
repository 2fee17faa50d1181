"""What a node makes of reservedMemory. What it reserves of CPUs is judged by ``reservation``."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from ..history.quantities import HUGE, amount
from ..judge.checker import Guard, Judgement, checker
from ..judge.room import allocatable
from ..judge.start_subjects import Start
from .guards import memory_static
from .start_guards import must_come_up, must_not_come_up


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
        if kind != "memory":
            return False
        reserved.setdefault(node, {})[kind] = int(amount(text))
    left = allocatable(start.machine, reserved).values()
    return bool(left) and all(number >= 0 for amounts in left for number in amounts.values())


numa_nodes_have_it = Guard[Start](
    "reservedMemory is to be avoided, of huge pages, or is more than NUMA nodes have", _numa_nodes_have_it
)


def with_what_is_to_be_avoided(what: str) -> Guard[Start]:
    """Return the guard that reservedMemory has something that the page calls to be avoided."""
    return Guard(f"reservedMemory has no {what}", lambda start: _avoided(start)[what])


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
