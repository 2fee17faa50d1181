"""``memory_manager_state``: the Memory Manager's state file (MEM-CKPT-01..08)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .checkpoint_error import CheckpointError
from .fnv import fnv1a_32
from .go_json import GoJsonError, Pairs, dump, fields, load, type_error

__all__ = [
    "MEMORY_FILE",
    "MemoryBlockRecord",
    "MemoryCheckpoint",
    "MemoryNodeRecord",
    "decode_memory_checkpoint",
    "encode_memory_checkpoint",
]

MEMORY_FILE = "memory_manager_state"
_OWNER = "MemoryManagerCheckpoint"
_TABLE_FIELDS = ("total", "systemReserved", "allocatable", "reserved", "free")
_DUMPED = ("TotalMemSize", "SystemReserved", "Allocatable", "Reserved", "Free")


@dataclass(frozen=True)
class MemoryNodeRecord:
    """One NUMA node; ``tables``: resource to (total, systemReserved, allocatable, reserved, free) in bytes."""

    assignments: int
    tables: Mapping[str, tuple[int, int, int, int, int]]
    cells: tuple[int, ...]


@dataclass(frozen=True)
class MemoryBlockRecord:
    """One block of a container."""

    nodes: tuple[int, ...]
    type: str
    size: int


@dataclass(frozen=True)
class MemoryCheckpoint:
    """The content. ``entries``: pod uid to container to blocks."""

    policy: str
    nodes: Mapping[int, MemoryNodeRecord] = field(default_factory=dict)
    entries: Mapping[str, Mapping[str, tuple[MemoryBlockRecord, ...]]] = field(default_factory=dict)


def encode_memory_checkpoint(content: MemoryCheckpoint) -> str:
    """Return the file's text, byte for byte as the kubelet writes it."""
    record: dict[str, Any] = {
        "policyName": content.policy,
        "machineState": {str(node): _node_json(content.nodes[node]) for node in sorted(content.nodes, key=str)},
    }
    if content.entries:
        record["entries"] = {
            uid: {
                name: [{"numaAffinity": list(one.nodes), "type": one.type, "size": one.size} for one in blocks]
                for name, blocks in sorted(containers.items())
            }
            for uid, containers in sorted(content.entries.items())
        }
    record["checksum"] = _checksum(content)
    return dump(record)


def _node_json(node: MemoryNodeRecord) -> dict[str, Any]:
    return {
        "numberOfAssignments": node.assignments,
        "memoryMap": {
            name: dict(zip(_TABLE_FIELDS, table, strict=True)) for name, table in sorted(node.tables.items())
        },
        "cells": list(node.cells),
    }


def decode_memory_checkpoint(text: str, policy: str) -> MemoryCheckpoint:
    """Read a file for a node with this policy; raises ``CheckpointError``."""
    try:
        content, checksum = _Decoder().read(load(text))
    except GoJsonError as error:
        raise CheckpointError(str(error)) from error
    if checksum != _checksum(content):
        raise CheckpointError("checkpoint is corrupted")
    if content.policy != policy:
        raise CheckpointError(
            f'[memorymanager] configured policy "{policy}" differs from state checkpoint policy "{content.policy}"'
        )
    return content


def _checksum(content: MemoryCheckpoint) -> int:
    nodes = " ".join(f"{node}:<*>{_dump_node(found)}" for node, found in sorted(content.nodes.items()))
    pods = " ".join(
        f"{uid}:map[{' '.join(f'{name}:{_dump_blocks(blocks)}' for name, blocks in sorted(containers.items()))}]"
        for uid, containers in sorted(content.entries.items())
    )
    return fnv1a_32(
        f"(*state.{_OWNER}){{PolicyName:(string){content.policy} MachineState:(state.NUMANodeMap)map[{nodes}] "
        f"Entries:(state.ContainerMemoryAssignments)map[{pods}] Checksum:(checksum.Checksum)0}}"
    )


def _dump_node(node: MemoryNodeRecord) -> str:
    tables = " ".join(
        f"{name}:<*>{{{' '.join(f'{label}:(uint64){one}' for label, one in zip(_DUMPED, table, strict=True))}}}"
        for name, table in sorted(node.tables.items())
    )
    return (
        f"{{NumberOfAssignments:(int){node.assignments} "
        f"MemoryMap:(map[v1.ResourceName]*state.MemoryTable)map[{tables}] "
        f"Cells:([]int)[{' '.join(map(str, node.cells))}]}}"
    )


def _dump_blocks(blocks: tuple[MemoryBlockRecord, ...]) -> str:
    dumped = " ".join(
        f"{{NUMAAffinity:([]int)[{' '.join(map(str, one.nodes))}] Type:(v1.ResourceName){one.type} "
        f"Size:(uint64){one.size}}}"
        for one in blocks
    )
    return f"[{dumped}]"


class _Decoder:
    """Reads the record; a member of a wrong type is reported with its path."""

    def read(self, value: Any) -> tuple[MemoryCheckpoint, int]:
        policy, checksum = "", 0
        nodes: dict[int, MemoryNodeRecord] = {}
        entries: dict[str, dict[str, tuple[MemoryBlockRecord, ...]]] = {}
        known = {
            "policyname": "policyName",
            "machinestate": "machineState",
            "entries": "entries",
            "checksum": "checksum",
        }
        for name, member in fields(value, known, f"state.{_OWNER}"):
            path = f"{_OWNER}.{name}"
            if name == "policyName":
                policy = self._text(member, path)
            elif name == "checksum":
                checksum = self._number(member, path, "checksum.Checksum")
            elif name == "machineState":
                for node, found in self._object(member, path, "state.NUMANodeMap"):
                    nodes[self._key(node, path)] = self._node(found, path)
            else:
                for uid, containers in self._object(member, path, "state.ContainerMemoryAssignments"):
                    entries[uid] = {
                        container: tuple(self._block(one, path) for one in self._list(blocks, path, "[]state.Block"))
                        for container, blocks in self._object(containers, path, "map[string][]state.Block")
                    }
        return MemoryCheckpoint(policy, nodes, entries), checksum

    def _node(self, value: Any, path: str) -> MemoryNodeRecord:
        assignments, cells = 0, tuple[int, ...]()
        tables: dict[str, tuple[int, int, int, int, int]] = {}
        known = {"numberofassignments": "numberOfAssignments", "memorymap": "memoryMap", "cells": "cells"}
        for name, member in fields(value, known, "state.NUMANodeState"):
            inner = f"{path}.{name}"
            if name == "numberOfAssignments":
                assignments = self._number(member, inner, "int")
            elif name == "cells":
                cells = tuple(self._number(one, inner, "int") for one in self._list(member, inner, "[]int"))
            else:
                for resource, table in self._object(member, inner, "map[v1.ResourceName]*state.MemoryTable"):
                    tables[resource] = self._table(table, inner)
        return MemoryNodeRecord(assignments, tables, cells)

    def _table(self, value: Any, path: str) -> tuple[int, int, int, int, int]:
        read = dict.fromkeys(_TABLE_FIELDS, 0)
        for name, member in fields(value, {one.lower(): one for one in _TABLE_FIELDS}, "state.MemoryTable"):
            read[name] = self._number(member, f"{path}.{name}", "uint64")
        total, reserved, allocatable, used, free = (read[name] for name in _TABLE_FIELDS)
        return total, reserved, allocatable, used, free

    def _block(self, value: Any, path: str) -> MemoryBlockRecord:
        nodes, kind, size = tuple[int, ...](), "", 0
        known = {"numaaffinity": "numaAffinity", "type": "type", "size": "size"}
        for name, member in fields(value, known, "state.Block"):
            inner = f"{path}.{name}"
            if name == "numaAffinity":
                nodes = tuple(self._number(one, inner, "int") for one in self._list(member, inner, "[]int"))
            elif name == "type":
                kind = self._text(member, inner)
            else:
                size = self._number(member, inner, "uint64")
        return MemoryBlockRecord(nodes, kind, size)

    def _object(self, value: Any, path: str, wanted: str) -> Pairs:
        if value is None:
            return Pairs()
        if not isinstance(value, Pairs):
            raise type_error(value, path, wanted)
        return value

    def _list(self, value: Any, path: str, wanted: str) -> list[Any]:
        if value is None:
            return []
        if isinstance(value, Pairs) or not isinstance(value, list):
            raise type_error(value, path, wanted)
        return value

    def _text(self, value: Any, path: str) -> str:
        if not isinstance(value, str):
            raise type_error(value, path, "string")
        return value

    def _number(self, value: Any, path: str, wanted: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not -(2**63) <= value < 2**64:
            raise type_error(value, path, wanted)
        return value

    def _key(self, text: str, path: str) -> int:
        if not text.lstrip("+-").isdecimal() or len(text) > 19:
            raise GoJsonError(f"json: cannot unmarshal number {text} into Go struct field {path} of type int")
        return int(text)
