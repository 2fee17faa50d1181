"""The compact form of a machine: counts in place of lists, so that a person can write one in a few lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..cpuset import CpuSet, iter_bits
from .compact_devices import expand_devices
from .compact_layout import REGULAR_FIELDS, grouped_cpus, regular_cpus
from .fields import LARGEST, MAX_NODES, Fields, size_in_bytes
from .model import Cpu, Machine, MemoryNode

__all__ = ["COMPACT_FIELDS", "DISTANCES", "MEMORY_ONLY_FIELDS", "expand", "is_compact"]

COMPACT_FIELDS = (
    "name",
    "description",
    "sources",
    "assumed",
    "notes",
    *REGULAR_FIELDS,
    "groups",
    "memory",
    "hugepages",
    "memoryOnlyNodes",
    "distances",
    "offline",
    "devices",
    "devicePlugins",
    "uncoreSource",
)
MEMORY_ONLY_FIELDS = ("nodes", "memory", "hugepages", "near")
DISTANCES: Mapping[str, int] = {"self": 10, "socket": 12, "remote": 20}
"""Distances where the machine states none: to itself, to another node of the socket, to another socket.

``near`` is from a node without CPUs to the node it lies at; without it, the socket's distance.
"""
_SIZE_FORMS = "bytes, or a size such as 64Gi"
_Near = dict[int, int]


def is_compact(obj: object) -> bool:
    """Tell the compact form from the JSON form: it has counts or groups in place of a list of CPUs."""
    return isinstance(obj, Mapping) and "cpus" not in obj and any(key in obj for key in (*REGULAR_FIELDS, "groups"))


def expand(obj: Any, fields: Fields) -> Machine:
    """Make the machine of a compact description; faults are recorded in ``fields``."""
    fields.mapping(obj, "", COMPACT_FIELDS)
    cpus = _all_cpus(obj, fields)
    nodes = sorted({cpu.numa for cpu in cpus}) or [0]
    memory, near = _memory(obj, nodes, fields)
    offline = _offline(obj, cpus, fields)
    distances = _distances(obj.get("distances", {}), cpus, memory, near, fields) if fields.sound else None
    source = fields.choice(obj.get("uncoreSource", "hardware"), "uncoreSource", ("hardware", "reported"))
    machine = Machine(
        name=fields.text(obj.get("name"), "name", needed=True),
        cpus=tuple(cpu for cpu in sorted(cpus, key=lambda cpu: cpu.id) if not offline >> cpu.id & 1),
        memory=memory,
        distances=distances,
        devices=expand_devices(obj.get("devices"), nodes, fields),
        preferred_allocation=fields.plugins(obj.get("devicePlugins")),
        offline=tuple(CpuSet.from_bits(offline)),
        uncore_source="reported" if source == "reported" else "hardware",
        description=fields.text(obj.get("description"), "description"),
        notes=_notes(obj, fields),
    )
    fields.no_duplicate_devices(machine.devices)
    return machine


def _notes(obj: Mapping[str, Any], fields: Fields) -> tuple[str, ...]:
    notes = fields.items(obj.get("notes"), "notes", 1000, fields.text)
    sources = fields.items(obj.get("sources"), "sources", 1000, fields.text)
    assumed = fields.items(obj.get("assumed"), "assumed", 1000, fields.text)
    return (*notes, *(f"source: {one}" for one in sources), *(f"assumed: {one}" for one in assumed))


def _all_cpus(obj: Mapping[str, Any], fields: Fields) -> list[Cpu]:
    if "groups" not in obj:
        return regular_cpus(obj, fields)
    for key in REGULAR_FIELDS:
        if key in obj:
            fields.fault(key, "cannot stand beside groups", "either counts or groups")
    return grouped_cpus(obj["groups"], fields)


def _offline(obj: Mapping[str, Any], cpus: list[Cpu], fields: Fields) -> int:
    offline = fields.ids(obj.get("offline"), "offline")
    every = sum(1 << cpu.id for cpu in cpus) if fields.sound else offline
    if offline & ~every:
        fields.fault("offline", f"the machine has no CPUs {CpuSet.from_bits(offline & ~every)}")
    elif fields.sound and offline == every:
        fields.fault("offline", "leaves no CPU online")
    return offline


def _memory(obj: Mapping[str, Any], nodes: list[int], fields: Fields) -> tuple[tuple[MemoryNode, ...], _Near]:
    """Return the memory of every node, and for nodes without CPUs the node each lies at."""
    sizes = _per_node(obj.get("memory"), nodes, "memory", fields)
    pages = _per_node(obj.get("hugepages"), nodes, "hugepages", fields)
    found = [
        _node(node, size, page, "memory", "hugepages", fields)
        for node, size, page in zip(nodes, sizes, pages, strict=False)
    ]
    near: _Near = {}
    for extra in fields.items(
        obj.get("memoryOnlyNodes"), "memoryOnlyNodes", MAX_NODES, lambda item, path: _extra(item, path, near, fields)
    ):
        found.extend(extra)
    if len(found) > MAX_NODES:
        fields.fault("memoryOnlyNodes", f"makes {len(found)} NUMA nodes", f"at most {MAX_NODES}")
    if fields.sound:
        fields.no_repeats((node.node for node in found), "memoryOnlyNodes")
    for node in sorted(set(near.values()) - set(nodes)) if fields.sound else ():
        fields.fault("memoryOnlyNodes", f"the machine has no CPUs on NUMA node {node}")
    return tuple(sorted(found, key=lambda node: node.node)), near


def _extra(item: object, path: str, near: _Near, fields: Fields) -> list[MemoryNode]:
    obj = fields.mapping(item, path, MEMORY_ONLY_FIELDS)
    if "nodes" not in obj:
        fields.fault(f"{path}.nodes", "is missing", "a NUMA node or a list such as 8-15")
    nodes = list(iter_bits(fields.ids(obj.get("nodes"), f"{path}.nodes")))
    if "near" in obj:
        beside = list(iter_bits(fields.ids(obj["near"], f"{path}.near")))
        if len(beside) not in (1, len(nodes)):
            fields.fault(f"{path}.near", f"names {len(beside)} NUMA nodes", f"1 or {len(nodes)}")
        near.update(zip(nodes, beside * (len(nodes) if len(beside) == 1 else 1), strict=False))
    sizes = _per_node(obj.get("memory"), nodes, f"{path}.memory", fields)
    return [
        _node(node, size, obj.get("hugepages"), f"{path}.memory", f"{path}.hugepages", fields)
        for node, size in zip(nodes, sizes, strict=False)
    ]


def _per_node(value: object, nodes: list[int], path: str, fields: Fields) -> list[Any]:
    """Return one value per node, from one for all or a list."""
    if not isinstance(value, list):
        return [value] * len(nodes)
    if fields.sound and len(value) != len(nodes):
        fields.fault(path, f"has {len(value)} entries", f"one for all, or one for each of {len(nodes)} NUMA nodes")
    return value


def _node(node: int, size: object, pages: object, path: str, pages_path: str, fields: Fields) -> MemoryNode:
    memory = None if size is None else _bytes(size, path, fields)
    hugepages = fields.hugepages(pages, pages_path)
    if fields.sound and memory is not None:
        held = sum(size_in_bytes(page) * count for page, count in hugepages.items())
        if held > memory:
            fields.fault(pages_path, f"hold {held} bytes, more than the {memory} of NUMA node {node}")
    return MemoryNode(node, memory, hugepages)


def _bytes(size: object, path: str, fields: Fields) -> int:
    if isinstance(size, str):
        try:
            return size_in_bytes(size)
        except ValueError:
            fields.fault(path, f"is {size!r}", _SIZE_FORMS)
            return 0
    return fields.whole(size, path)


def _distances(
    value: object, cpus: list[Cpu], memory: tuple[MemoryNode, ...], near: _Near, fields: Fields
) -> tuple[tuple[int, ...], ...] | None:
    if value == "none":
        return None
    if isinstance(value, list):
        matrix = fields.matrix(value)
        fields.square(matrix, memory)
        return matrix
    if isinstance(value, str):
        fields.choice(value, "distances", ("none", "a matrix", "an object"))
        return None
    given = fields.mapping(value, "distances", (*DISTANCES, "near"))
    far = {key: fields.whole(given.get(key, usual), f"distances.{key}", 0, LARGEST) for key, usual in DISTANCES.items()}
    far["near"] = fields.whole(given.get("near", far["socket"]), "distances.near", 0, LARGEST)
    sockets: dict[int, set[int]] = {}
    for cpu in cpus:
        sockets.setdefault(cpu.numa, set()).add(cpu.socket)
    for node, beside in near.items():
        sockets[node] = sockets.get(beside, set())
    ids = [node.node for node in memory]
    return tuple(tuple(far[_relation(one, other, sockets, near)] for other in ids) for one in ids)


def _relation(one: int, other: int, sockets: Mapping[int, set[int]], near: _Near) -> str:
    if one == other:
        return "self"
    if near.get(one) == other or near.get(other) == one:
        return "near"
    return "socket" if sockets.get(one, set()) & sockets.get(other, set()) else "remote"
