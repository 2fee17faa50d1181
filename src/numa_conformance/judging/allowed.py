"""``is_allowed``: whether the pages leave no doubt that a node comes up with its configuration, on its machine."""

from collections.abc import Mapping
from fractions import Fraction

from ..sources.gates import GATES
from ..sources.options import STATIC_OPTIONS
from ..sources.policies import CPU_POLICIES, MEMORY_POLICIES, TOPOLOGY_POLICIES, TOPOLOGY_SCOPES
from ..wire.history.quantities import HUGE, amount
from .choice import BY_SOCKET
from .room import allocatable
from .start_subjects import MANY_NODES, MOST_NODES, Start

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
    if any(avoided(start).values()) or not _has_thresholds(start):
        return False
    left = allocatable(start.machine, start.settings.reserved_memory).values()
    return bool(left) and all(number >= 0 for amounts in left for number in amounts.values())


_KNOWN = (
    ("cpuManagerPolicy", CPU_POLICIES),
    ("memoryManagerPolicy", MEMORY_POLICIES),
    ("topologyManagerPolicy", TOPOLOGY_POLICIES),
    ("topologyManagerScope", TOPOLOGY_SCOPES),
)


def is_allowed(start: Start) -> bool:
    """Tell whether a node that does not come up is wrong, and one that does has the settings that it was given."""
    gates = start.kubelet.get("featureGates") or ()
    return (
        all(start.kubelet.get(field) in (None, "", *known) for field, known in _KNOWN)
        and all(name in GATES and start.gate(name) is not None for name in gates)
        and _has_thresholds(start)
        and _options_apply(start)
        and _reserves_cpus(start)
        and _reserves_memory(start)
        and _is_small_enough(start)
    )


def _has_thresholds(start: Start) -> bool:
    """Tell whether no hard eviction threshold is an amount of nothing: a page disables one as a part, ``0%``."""
    return all(str(text).endswith("%") or amount(text) for text in (start.kubelet.get("evictionHard") or {}).values())


def _options_apply(start: Start) -> bool:
    """Tell whether every option that is named takes effect, and none excludes another or the machine."""
    options = [option for name, option in STATIC_OPTIONS.items() if name in start.on]
    apart = start.on.isdisjoint(name for option in options for name in (*option.excludes, *option.refused_with))
    machine, topology = start.machine, start.settings.topology
    by_socket = topology != "single-numa-node" and len(machine.socket_bits) <= start.nodes_with_cpus
    return apart and (BY_SOCKET not in start.on or by_socket) and all(map(start.shows, start.named))


def _reserves_cpus(start: Start) -> bool:
    """Tell whether CPUs are reserved that there are, some of them under policy static, and not all."""
    settings, online = start.settings, start.machine.online_bits
    named = settings.reserved or 0
    enough = 0 < settings.reserved_count < online.bit_count() if settings.static else True
    return enough and not named & ~online


def _reserves_memory(start: Start) -> bool:
    """Tell whether what is reserved on NUMA nodes adds up; of huge pages no page says what they add up to."""
    if not start.settings.memory_static:
        return True
    of_memory_alone = all(kind == "memory" for _, kind, _ in memory_entries(start))
    return (start.up or of_memory_alone) and memory_matches_the_node(start) and numa_nodes_have(start)


def _is_small_enough(start: Start) -> bool:
    most = start.most_nodes if MANY_NODES in start.settings.topology_options else MOST_NODES
    return start.settings.topology == "none" or MOST_NODES <= most >= len(start.machine.numa_ids)
