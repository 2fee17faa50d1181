"""What a configuration reserves of the memory of NUMA nodes, entry by entry, and whether that may be."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from ..wire.history.quantities import HUGE, amount
from .room import allocatable
from .start_subjects import Start

DUPLICATES, ZERO_LIMITS = "duplicates", "zero limits"
UNKNOWN_NODES, UNKNOWN_TYPES = "unknown numa nodes", "unknown types"


def memory_entries(start: Start) -> list[tuple[int, str, str]]:
    """Return what reservedMemory says: NUMA node, type, and amount as written."""
    return [
        (entry["numaNode"], kind, text)
        for entry in start.kubelet.get("reservedMemory") or ()
        for kind, text in entry["limits"].items()
    ]


def memory_matches_the_node(start: Start) -> bool:
    """Tell whether the memory of all entries is what the node reserves, and its hard eviction threshold."""
    wanted = sum(
        _bytes((start.kubelet.get(field) or {}).get(name, default), start.machine.total_memory)
        for field, name, default in (
            ("kubeReserved", "memory", "0"),
            ("systemReserved", "memory", "0"),
            ("evictionHard", "memory.available", "0" if "evictionHard" in start.kubelet else "100Mi"),
        )
    )
    return sum(amount(text) for _, kind, text in memory_entries(start) if kind == "memory") == int(wanted)


def _bytes(written: object, all_memory: int) -> Fraction:
    """Return an amount of memory; an eviction threshold may be a part of all."""
    text = str(written)
    return amount(text[:-1]) * all_memory / 100 if text.endswith("%") else amount(text)


def avoided(start: Start) -> Mapping[str, bool]:
    """Return which of the configurations to avoid this is."""
    entries = memory_entries(start)
    named = [(node, kind) for node, kind, _ in entries]
    sizes = {size for node in start.machine.memory for size in node.hugepages}
    return {
        DUPLICATES: len(set(named)) < len(named),
        ZERO_LIMITS: any(not amount(text) for _, _, text in entries),
        UNKNOWN_NODES: any(node not in start.machine.numa_ids for node, _ in named),
        UNKNOWN_TYPES: any(kind != "memory" and kind.removeprefix(HUGE) not in sizes for _, kind in named),
    }


def numa_nodes_have(start: Start) -> bool:
    """Tell whether NUMA nodes have what is reserved on them, and nothing of it is to be avoided."""
    if any(avoided(start).values()):
        return False
    left = allocatable(start.machine, start.settings.reserved_memory).values()
    return bool(left) and all(number >= 0 for amounts in left for number in amounts.values())
