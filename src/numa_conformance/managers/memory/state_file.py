"""``memory_manager_state``: the Memory Manager's state file (MEM-CKPT-01..08)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from ...hostfs.fnv import fnv1a_32
from ...hostfs.go_json import GoJsonError, Pairs, dump, fields, load, type_error
from ..state_file import CheckpointError
from .state import Block, Blocks, NodeMemory, Table

__all__ = ["MEMORY_FILE", "MemoryStateFile", "decode", "encode"]

MEMORY_FILE = "memory_manager_state"
_OWNER = "MemoryManagerCheckpoint"
_TABLE_FIELDS = ("total", "systemReserved", "allocatable", "reserved", "free")
_DUMPED = ("TotalMemSize", "SystemReserved", "Allocatable", "Reserved", "Free")


class _Manager(Protocol):
    """What the file needs of a Memory Manager."""

    @property
    def policy(self) -> str: ...

    @property
    def nodes(self) -> dict[int, NodeMemory]: ...

    @property
    def blocks(self) -> Blocks: ...

    def restore(self, nodes: Mapping[int, NodeMemory], blocks: Blocks) -> bool: ...


class MemoryStateFile:
    """The file of one Memory Manager."""

    name = MEMORY_FILE
    lags = False

    def __init__(self, manager: _Manager) -> None:
        """Take the manager whose state the file holds."""
        self._manager = manager

    def text(self) -> str:
        """Return the file's content for the manager as it is."""
        return encode(self._manager.policy, self._manager.nodes, self._manager.blocks)

    def restore(self, text: str | None, where: str) -> bool:
        """Take over a file's content; tell whether it is to be written anew. Raises ``StartError`` (MEM-CKPT-02)."""
        nodes, blocks = dict[int, NodeMemory](), Blocks()
        if text is not None:
            try:
                nodes, blocks = decode(text, self._manager.policy)
            except CheckpointError as error:
                raise error.start_error("memory", where) from error
        return self._manager.restore(nodes, blocks) or text is None


def encode(policy: str, nodes: Mapping[int, NodeMemory], blocks: Blocks) -> str:
    """Return the file's text, byte for byte as the kubelet writes it."""
    record: dict[str, Any] = {
        "policyName": policy,
        "machineState": {str(node): _node_json(nodes[node]) for node in sorted(nodes, key=str)},
    }
    if blocks.given:
        record["entries"] = {
            uid: {
                name: [{"numaAffinity": list(block.nodes), "type": block.type, "size": block.bytes} for block in held]
                for name, held in sorted(containers.items())
            }
            for uid, containers in sorted(blocks.given.items())
        }
    record["checksum"] = _checksum(policy, nodes, blocks.given)
    return dump(record)


def _node_json(node: NodeMemory) -> dict[str, Any]:
    return {
        "numberOfAssignments": node.assignments,
        "memoryMap": {
            name: dict(zip(_TABLE_FIELDS, _columns(table), strict=True)) for name, table in sorted(node.tables.items())
        },
        "cells": list(node.group),
    }


def _columns(table: Table) -> tuple[int, int, int, int, int]:
    return table.total, table.system_reserved, table.allocatable, table.reserved, table.free


def decode(text: str, policy: str) -> tuple[dict[int, NodeMemory], Blocks]:
    """Read the NUMA nodes and the blocks from a file for a node with this policy; raises ``CheckpointError``."""
    decoder = _Decoder()
    try:
        decoder.read(load(text))
    except GoJsonError as error:
        raise CheckpointError(str(error)) from error
    if decoder.checksum != _checksum(decoder.policy, decoder.nodes, decoder.entries):
        raise CheckpointError("checkpoint is corrupted")
    if decoder.policy != policy:
        raise CheckpointError(
            f'[memorymanager] configured policy "{policy}" differs from state checkpoint policy "{decoder.policy}"'
        )
    return decoder.nodes, Blocks({uid: containers for uid, containers in decoder.entries.items() if containers})


_Entries = Mapping[str, Mapping[str, Sequence[Block]]]
"""Pod uid to container to blocks."""


def _checksum(policy: str, nodes: Mapping[int, NodeMemory], entries: _Entries) -> int:
    dumped_nodes = " ".join(f"{node}:<*>{_dump_node(memory)}" for node, memory in sorted(nodes.items()))
    pods = " ".join(
        f"{uid}:map[{' '.join(f'{name}:{_dump_blocks(blocks)}' for name, blocks in sorted(containers.items()))}]"
        for uid, containers in sorted(entries.items())
    )
    return fnv1a_32(
        f"(*state.{_OWNER}){{PolicyName:(string){policy} MachineState:(state.NUMANodeMap)map[{dumped_nodes}] "
        f"Entries:(state.ContainerMemoryAssignments)map[{pods}] Checksum:(checksum.Checksum)0}}"
    )


def _dump_node(node: NodeMemory) -> str:
    tables = " ".join(f"{name}:<*>{{{_dump_table(table)}}}" for name, table in sorted(node.tables.items()))
    return (
        f"{{NumberOfAssignments:(int){node.assignments} "
        f"MemoryMap:(map[v1.ResourceName]*state.MemoryTable)map[{tables}] "
        f"Cells:([]int)[{' '.join(map(str, node.group))}]}}"
    )


def _dump_table(table: Table) -> str:
    return " ".join(f"{label}:(uint64){amount}" for label, amount in zip(_DUMPED, _columns(table), strict=True))


def _dump_blocks(blocks: Sequence[Block]) -> str:
    dumped = " ".join(
        f"{{NUMAAffinity:([]int)[{' '.join(map(str, block.nodes))}] Type:(v1.ResourceName){block.type} "
        f"Size:(uint64){block.bytes}}}"
        for block in blocks
    )
    return f"[{dumped}]"


class _Decoder:
    """Reads the record; a member of a wrong type is reported with its path."""

    def __init__(self) -> None:
        self.policy = ""
        self.checksum = 0
        self.nodes: dict[int, NodeMemory] = {}
        self.entries: dict[str, dict[str, list[Block]]] = {}

    def read(self, value: Any) -> None:
        """Read the whole record; raises ``GoJsonError``."""
        known = {
            "policyname": "policyName",
            "machinestate": "machineState",
            "entries": "entries",
            "checksum": "checksum",
        }
        for name, member in fields(value, known, f"state.{_OWNER}"):
            path = f"{_OWNER}.{name}"
            if name == "policyName":
                self.policy = self._text(member, path)
            elif name == "checksum":
                self.checksum = self._number(member, path, "checksum.Checksum")
            elif name == "machineState":
                for node, memory in self._object(member, path, "state.NUMANodeMap"):
                    self.nodes[self._key(node, path)] = self._node(memory, path)
            else:
                for uid, containers in self._object(member, path, "state.ContainerMemoryAssignments"):
                    self.entries[uid] = self._containers(containers, path)

    def _containers(self, value: Any, path: str) -> dict[str, list[Block]]:
        return {
            name: [self._block(block, path) for block in self._list(blocks, path, "[]state.Block")]
            for name, blocks in self._object(value, path, "map[string][]state.Block")
        }

    def _node(self, value: Any, path: str) -> NodeMemory:
        memory = NodeMemory(0, {}, ())
        known = {"numberofassignments": "numberOfAssignments", "memorymap": "memoryMap", "cells": "cells"}
        for name, member in fields(value, known, "state.NUMANodeState"):
            inner = f"{path}.{name}"
            if name == "numberOfAssignments":
                memory.assignments = self._number(member, inner, "int")
            elif name == "cells":
                memory.group = self._numbers(member, inner)
            else:
                for resource, table in self._object(member, inner, "map[v1.ResourceName]*state.MemoryTable"):
                    memory.tables[resource] = self._table(table, inner)
        return memory

    def _table(self, value: Any, path: str) -> Table:
        amounts = dict.fromkeys(_TABLE_FIELDS, 0)
        for name, member in fields(value, {field.lower(): field for field in _TABLE_FIELDS}, "state.MemoryTable"):
            amounts[name] = self._number(member, f"{path}.{name}", "uint64")
        return Table(*(amounts[name] for name in _TABLE_FIELDS))

    def _block(self, value: Any, path: str) -> Block:
        nodes, kind, size = tuple[int, ...](), "", 0
        known = {"numaaffinity": "numaAffinity", "type": "type", "size": "size"}
        for name, member in fields(value, known, "state.Block"):
            inner = f"{path}.{name}"
            if name == "numaAffinity":
                nodes = self._numbers(member, inner)
            elif name == "type":
                kind = self._text(member, inner)
            else:
                size = self._number(member, inner, "uint64")
        return Block(nodes, kind, size)

    def _numbers(self, value: Any, path: str) -> tuple[int, ...]:
        return tuple(self._number(number, path, "int") for number in self._list(value, path, "[]int"))

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
