"""The CPUs of a compactly described machine: regular ones by counts, irregular ones by groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..cpuset import iter_bits
from .fields import LARGEST, MAX_CPUS, MAX_NODES, Fields
from .model import Cpu

__all__ = [
    "GROUP_FIELDS",
    "MAX_THREADS",
    "NUMBERINGS",
    "REGULAR_FIELDS",
    "UNCORE_WORDS",
    "grouped_cpus",
    "regular_cpus",
]

REGULAR_FIELDS = (
    "sockets",
    "numaPerSocket",
    "socketsPerNuma",
    "coresPerNuma",
    "threads",
    "numbering",
    "uncore",
    "cpuIds",
    "numaIds",
    "socketIds",
)
GROUP_FIELDS = ("cpus", "numa", "socket", "threads", "siblings", "uncore")
UNCORE_WORDS = ("none", "numa", "socket", "machine")
MAX_THREADS = 32


@dataclass(slots=True)
class _Core:
    """One core of a regular machine: which node and socket (counted from 0), which of their cores, which cache."""

    node: int
    socket: int
    rank_in_node: int
    rank_in_socket: int
    numa: int = 0
    uncore: int | None = None


_Order = Callable[[int, _Core, int], tuple[int, ...]]
"""Thread, core and index of the core to where the CPU stands when ids are dealt out."""

NUMBERINGS: Mapping[str, _Order] = {
    "siblings-offset": lambda thread, core, index: (thread, index),
    "siblings-adjacent": lambda thread, core, index: (index, thread),
    "siblings-offset-in-socket": lambda thread, core, index: (core.socket, thread, index),
    "sockets-alternate": lambda thread, core, index: (thread, core.rank_in_socket, core.socket),
    "nodes-alternate": lambda thread, core, index: (thread, core.rank_in_node, core.numa),
}


def regular_cpus(obj: Mapping[str, Any], fields: Fields) -> list[Cpu]:
    """Return the CPUs of a machine given by counts; empty when a fault was found."""
    cores = _cores(obj, fields)
    threads = fields.whole(obj.get("threads", 1), "threads", 1, MAX_THREADS)
    numbering = fields.choice(obj.get("numbering", "siblings-offset"), "numbering", tuple(NUMBERINGS))
    if len(cores) * threads > MAX_CPUS:
        fields.fault("threads", f"makes {len(cores) * threads} CPUs", f"at most {MAX_CPUS} CPUs")
    nodes = 1 + max((core.node for core in cores), default=0)
    sockets = 1 + max((core.socket for core in cores), default=0)
    numa_ids = _given_ids(obj, "numaIds", nodes, fields)
    socket_ids = _given_ids(obj, "socketIds", sockets, fields)
    _deal_caches(obj.get("uncore", "none"), cores, fields)
    if not fields.sound:
        return []
    for core in cores:
        core.numa = numa_ids[core.node]
    order = NUMBERINGS[numbering]
    dealt = sorted((order(thread, core, index), index) for index, core in enumerate(cores) for thread in range(threads))
    ids = _cpu_ids(obj, len(dealt), fields)
    return [
        Cpu(one, cores[at].rank_in_socket, socket_ids[cores[at].socket], cores[at].numa, cores[at].uncore)
        for one, (_, at) in zip(ids, dealt, strict=False)
    ]


def _cores(obj: Mapping[str, Any], fields: Fields) -> list[_Core]:
    """Lay the cores out, node by node; a node may hold several sockets, or a socket several nodes."""
    sockets = fields.whole(obj.get("sockets", 1), "sockets", 1, MAX_NODES)
    split = fields.whole(obj.get("numaPerSocket", 1), "numaPerSocket", 1, MAX_NODES)
    joined = fields.whole(obj.get("socketsPerNuma", 1), "socketsPerNuma", 1, MAX_NODES)
    if split > 1 and joined > 1:
        fields.fault("socketsPerNuma", "cannot stand beside numaPerSocket", "one of the two")
    if sockets % joined:
        fields.fault("socketsPerNuma", f"does not divide the {sockets} sockets")
    nodes = sockets * split // joined
    if nodes > MAX_NODES:
        fields.fault("numaPerSocket", f"makes {nodes} NUMA nodes", f"at most {MAX_NODES}")
    counts = _counts(obj.get("coresPerNuma"), nodes, fields)
    if sum(counts) > MAX_CPUS:
        fields.fault("coresPerNuma", f"makes {sum(counts)} cores", f"at most {MAX_CPUS} CPUs")
    for count in sorted({count for count in counts if count % joined}):
        fields.fault("coresPerNuma", f"{count} cores cannot be shared out over {joined} sockets")
    if not fields.sound:
        return []
    cores: list[_Core] = []
    in_socket = [0] * sockets
    for node, count in enumerate(counts):
        for rank in range(count):
            socket = node // split if joined == 1 else node * joined + rank // (count // joined)
            cores.append(_Core(node, socket, rank, in_socket[socket]))
            in_socket[socket] += 1
    return cores


def _counts(value: object, nodes: int, fields: Fields) -> list[int]:
    if not isinstance(value, list):
        return [fields.whole(value, "coresPerNuma", 1, MAX_CPUS)] * min(nodes, MAX_NODES)
    if len(value) != nodes:
        fields.fault("coresPerNuma", f"has {len(value)} entries", f"one number, or one for each of {nodes} NUMA nodes")
    return fields.items(value, "coresPerNuma", MAX_NODES, lambda one, path: fields.whole(one, path, 1, MAX_CPUS))


def _given_ids(obj: Mapping[str, Any], key: str, count: int, fields: Fields) -> list[int]:
    if key not in obj:
        return list(range(count))
    ids = fields.items(obj[key], key, MAX_NODES, fields.id)
    if fields.sound and len(ids) != count:
        fields.fault(key, f"has {len(ids)} entries", f"{count} ids")
    fields.no_repeats(ids, key)
    return ids


def _cpu_ids(obj: Mapping[str, Any], count: int, fields: Fields) -> list[int]:
    if "cpuIds" not in obj:
        return list(range(count))
    ids = list(iter_bits(fields.ids(obj["cpuIds"], "cpuIds")))
    if fields.sound and len(ids) != count:
        fields.fault("cpuIds", f"names {len(ids)} CPUs", f"{count} CPUs, as many as the counts make")
    return ids


def _deal_caches(value: object, cores: list[_Core], fields: Fields) -> None:
    """Give each core its cache: one for the whole of something, or one for each run of cores within it."""
    run, within = MAX_CPUS, value
    if isinstance(value, Mapping):
        runs = fields.mapping(value, "uncore", ("cores", "within"))
        run = fields.whole(runs.get("cores"), "uncore.cores", 1, MAX_CPUS)
        within = fields.choice(runs.get("within", "numa"), "uncore.within", UNCORE_WORDS[1:])
    elif not isinstance(value, str) or value not in UNCORE_WORDS:
        fields.choice(value, "uncore", (*UNCORE_WORDS, "{cores: 8}"))
    if within == "none":
        return
    caches: dict[tuple[int, int], int] = {}
    for index, core in enumerate(cores):
        place, rank = {
            "numa": (core.node, core.rank_in_node),
            "socket": (core.socket, core.rank_in_socket),
            "machine": (0, index),
        }.get(str(within), (0, 0))
        core.uncore = caches.setdefault((place, rank // run), len(caches))


def grouped_cpus(value: object, fields: Fields) -> list[Cpu]:
    """Return the CPUs of a machine given group by group; cores count on within each socket."""
    next_core: dict[int, int] = {}
    groups = fields.items(value, "groups", MAX_CPUS, lambda item, path: _group(item, path, next_core, fields))
    cpus = sorted((cpu for group in groups for cpu in group), key=lambda cpu: cpu.id)
    if len(cpus) > MAX_CPUS:
        fields.fault("groups", f"name {len(cpus)} CPUs", f"at most {MAX_CPUS}")
    elif fields.sound and not cpus:
        fields.fault("groups", "name no CPU")
    fields.no_repeats((cpu.id for cpu in cpus), "groups")
    return cpus


def _group(item: object, path: str, next_core: dict[int, int], fields: Fields) -> list[Cpu]:
    obj = fields.mapping(item, path, GROUP_FIELDS)
    if "cpus" not in obj:
        fields.fault(f"{path}.cpus", "is missing", "a list such as 0-3,8")
    ids = list(iter_bits(fields.ids(obj.get("cpus", 0), f"{path}.cpus")))
    numa = fields.id(obj.get("numa", 0), f"{path}.numa")
    socket = fields.whole(obj.get("socket", 0), f"{path}.socket", -1, LARGEST)
    threads = fields.whole(obj.get("threads", 1), f"{path}.threads", 1, MAX_THREADS)
    siblings = fields.choice(obj.get("siblings", "adjacent"), f"{path}.siblings", ("adjacent", "offset"))
    uncore = fields.optional_id(obj.get("uncore"), f"{path}.uncore")
    if len(ids) % threads:
        fields.fault(f"{path}.threads", f"{threads} do not divide the {len(ids)} CPUs of the group")
        return []
    first, cores = next_core.get(socket, 0), len(ids) // threads
    next_core[socket] = first + cores
    return [
        Cpu(one, first + (at // threads if siblings == "adjacent" else at % cores), socket, numa, uncore)
        for at, one in enumerate(ids)
    ]
