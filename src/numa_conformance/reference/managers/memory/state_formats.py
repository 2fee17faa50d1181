"""The formats in which a Memory Manager's state has been written: read as the kubelet reads them, and checked."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ....machine.hostfs.go_json import GoJsonError, Pairs, fields, number, string, type_error
from ..state_formats import Format, Formats, Record, fnv1a_32
from .memory_state import NodeMemory, PinnedBlock, Table

TABLE_FIELDS = ("total", "systemReserved", "allocatable", "reserved", "free")
_DUMPED = ("TotalMemSize", "SystemReserved", "Allocatable", "Reserved", "Free")


@dataclass(kw_only=True)
class MemoryRecord(Record):
    """A file as written."""

    nodes: dict[int, NodeMemory] = field(default_factory=dict)
    entries: dict[str, dict[str, list[PinnedBlock]]] = field(default_factory=dict)
    pods: dict[str, list[PinnedBlock]] = field(default_factory=dict)


@dataclass(frozen=True)
class MemoryFormat(Format[MemoryRecord]):
    """One format of the Memory Manager's file."""

    record = MemoryRecord
    reads_on = False

    def member(self, record: MemoryRecord, name: str, value: Any, path: str) -> None:
        """Read a member into a record; raises ``GoJsonError``."""
        match name:
            case "machineState":
                for node, memory in _read_object(value, path, "state.NUMANodeMap"):
                    record.nodes[_read_key(node, path)] = _read_node(memory, path)
            case "entries":
                for uid, containers in _read_object(value, path, "state.ContainerMemoryAssignments"):
                    record.entries[uid] = _read_containers(containers, path)
            case "podEntries":
                for uid, entry in _read_object(value, path, "state.PodMemoryAssignments"):
                    record.pods[uid] = _read_pod(entry, path)
            case _:
                super().member(record, name, value, path)

    def checksum(self, record: MemoryRecord) -> int:
        """Return the checksum of a record (MEM-CKPT-02)."""
        dumped_nodes = " ".join(f"{node}:<*>{_dump_node(memory)}" for node, memory in sorted(record.nodes.items()))
        pods = " ".join(
            f"{uid}:map[{' '.join(f'{name}:{_dump_blocks(blocks)}' for name, blocks in sorted(containers.items()))}]"
            for uid, containers in sorted(record.entries.items())
        )
        whole = ""
        if "podEntries" in self.members:
            of_pods = sorted(record.pods.items())
            entries = " ".join(
                f"{uid}:{{MemoryBlocks:([]state.Block){_dump_blocks(blocks)}}}" for uid, blocks in of_pods
            )
            whole = f" PodEntries:(state.PodMemoryAssignments)map[{entries}]"
        return fnv1a_32(
            f"(*state.MemoryManagerCheckpoint){{PolicyName:(string){record.policy} "
            f"MachineState:(state.NUMANodeMap)map[{dumped_nodes}] "
            f"Entries:(state.ContainerMemoryAssignments)map[{pods}]{whole} Checksum:(checksum.Checksum)0}}"
        )


_OLD = frozenset({"policyName", "machineState", "entries", "checksum"})
V1 = MemoryFormat("MemoryManagerCheckpointV1", _OLD)
V2 = MemoryFormat("MemoryManagerCheckpointV2", _OLD | {"podEntries"})
V3 = MemoryFormat("MemoryManagerCheckpoint", _OLD | {"data", "dataChecksum"}, old_members=V1.name)
V3_DATA = MemoryFormat("MemoryManagerCheckpointData", _OLD - {"checksum"} | {"podEntries"})
FORMATS = Formats("memory", "v3", envelope=V3, data=V3_DATA, with_pods=V2)


def columns(table: Table) -> tuple[int, int, int, int, int]:
    """Return the amounts of a table in the order of ``TABLE_FIELDS``."""
    return table.total, table.system_reserved, table.allocatable, table.reserved, table.free


def _dump_node(node: NodeMemory) -> str:
    tables = " ".join(f"{name}:<*>{{{_dump_table(table)}}}" for name, table in sorted(node.tables.items()))
    return (
        f"{{NumberOfAssignments:(int){node.assignments} "
        f"MemoryMap:(map[v1.ResourceName]*state.MemoryTable)map[{tables}] "
        f"Cells:([]int)[{' '.join(map(str, node.group))}]}}"
    )


def _dump_table(table: Table) -> str:
    return " ".join(f"{label}:(uint64){amount}" for label, amount in zip(_DUMPED, columns(table), strict=True))


def _dump_blocks(blocks: Sequence[PinnedBlock]) -> str:
    dumped = " ".join(
        f"{{NUMAAffinity:([]int)[{' '.join(map(str, block.nodes))}] Type:(v1.ResourceName){block.type} "
        f"Size:(uint64){block.bytes}}}"
        for block in blocks
    )
    return f"[{dumped}]"


def _read_pod(value: Any, path: str) -> list[PinnedBlock]:
    blocks: list[PinnedBlock] = []
    inner = f"{path}.memoryBlocks"
    for _, member in fields(value, {"memoryblocks": "memoryBlocks"}, "state.PodEntry"):
        blocks = [_read_block(block, inner) for block in _read_list(member, inner, "[]state.Block")]
    return blocks


def _read_containers(value: Any, path: str) -> dict[str, list[PinnedBlock]]:
    return {
        name: [_read_block(block, path) for block in _read_list(blocks, path, "[]state.Block")]
        for name, blocks in _read_object(value, path, "map[string][]state.Block")
    }


def _read_node(value: Any, path: str) -> NodeMemory:
    memory = NodeMemory(0, {}, ())
    known = {"numberofassignments": "numberOfAssignments", "memorymap": "memoryMap", "cells": "cells"}
    for name, member in fields(value, known, "state.NUMANodeState"):
        inner = f"{path}.{name}"
        if name == "numberOfAssignments":
            memory.assignments = number(member, inner, "int")
        elif name == "cells":
            memory.group = _read_numbers(member, inner)
        else:
            for resource, table in _read_object(member, inner, "map[v1.ResourceName]*state.MemoryTable"):
                memory.tables[resource] = _read_table(table, inner)
    return memory


def _read_table(value: Any, path: str) -> Table:
    amounts = dict.fromkeys(TABLE_FIELDS, 0)
    for name, member in fields(value, {name.lower(): name for name in TABLE_FIELDS}, "state.MemoryTable"):
        amounts[name] = number(member, f"{path}.{name}", "uint64")
    return Table(*(amounts[name] for name in TABLE_FIELDS))


def _read_block(value: Any, path: str) -> PinnedBlock:
    nodes, kind, size = tuple[int, ...](), "", 0
    known = {"numaaffinity": "numaAffinity", "type": "type", "size": "size"}
    for name, member in fields(value, known, "state.Block"):
        inner = f"{path}.{name}"
        if name == "numaAffinity":
            nodes = _read_numbers(member, inner)
        elif name == "type":
            kind = string(member, inner)
        else:
            size = number(member, inner, "uint64")
    return PinnedBlock(nodes, kind, size)


def _read_numbers(value: Any, path: str) -> tuple[int, ...]:
    return tuple(number(item, path, "int") for item in _read_list(value, path, "[]int"))


def _read_object(value: Any, path: str, wanted: str) -> Pairs:
    if value is None:
        return Pairs()
    if not isinstance(value, Pairs):
        raise type_error(value, path, wanted)
    return value


def _read_list(value: Any, path: str, wanted: str) -> list[Any]:
    if value is None:
        return []
    if isinstance(value, Pairs) or not isinstance(value, list):
        raise type_error(value, path, wanted)
    return value


def _read_key(text: str, path: str) -> int:
    if not text.lstrip("+-").isdecimal() or len(text) > 19:
        raise GoJsonError(f"json: cannot unmarshal number {text} into Go struct field {path} of type int")
    return int(text)
