"""``is_allowed``: whether the pages leave no doubt that a node comes up with its configuration, on its machine."""

from __future__ import annotations

from ..sources.gates import GATES
from ..sources.options import STATIC_OPTIONS
from ..sources.policies import CPU_POLICIES, MEMORY_POLICIES, TOPOLOGY_POLICIES, TOPOLOGY_SCOPES
from .choice import BY_SOCKET
from .reserved_memory import memory_entries, memory_matches_the_node, numa_nodes_have
from .start_subjects import MANY_NODES, MOST_NODES, Start

_KNOWN = (
    ("cpuManagerPolicy", CPU_POLICIES),
    ("memoryManagerPolicy", MEMORY_POLICIES),
    ("topologyManagerPolicy", TOPOLOGY_POLICIES),
    ("topologyManagerScope", TOPOLOGY_SCOPES),
)


def is_allowed(start: Start) -> bool:
    """Tell whether a node that does not come up is wrong, and one that does has the settings that it was given."""
    parts = (_names_exist, _gates_can_be_set, _options_apply, _reserves_cpus, _reserves_memory, _is_small_enough)
    return all(part(start) for part in parts)


def _names_exist(start: Start) -> bool:
    return all(start.kubelet.get(field) in (None, "", *known) for field, known in _KNOWN)


def _gates_can_be_set(start: Start) -> bool:
    return all(name in GATES and start.gate(name) is not None for name in start.kubelet.get("featureGates") or ())


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
    return of_memory_alone and memory_matches_the_node(start) and numa_nodes_have(start)


def _is_small_enough(start: Start) -> bool:
    most = start.most_nodes if MANY_NODES in start.settings.topology_options else MOST_NODES
    return start.settings.topology == "none" or MOST_NODES <= most >= len(start.machine.numa_ids)
