"""``memory_manager_state``: the text of the Memory Manager's state file (MEM-CKPT-01..09)."""

from collections.abc import Iterable, Mapping
from typing import Any

from ....machine.hostfs.go_json import dump
from ..state_file import PLAIN, CheckpointError, FileStyle
from ..state_formats import text_checksum
from .memory_state import MemoryBlocks, NodeMemory, PinnedBlock
from .state_formats import FORMATS, TABLE_FIELDS, V1, V2, MemoryFormat, MemoryRecord, columns

MEMORY_FILE = "memory_manager_state"
_PLAIN_V1 = MemoryFormat("MemoryManagerCheckpoint", V1.members)
"""The one format of kubelets up to 1.35."""


def encode(policy: str, nodes: Mapping[int, NodeMemory], blocks: MemoryBlocks, style: FileStyle = PLAIN) -> str:
    """Return the file's text, byte for byte as the kubelet writes it."""
    pods = blocks.pods if style.pods else {}
    record = MemoryRecord(policy=policy, nodes=dict(nodes), entries=blocks.by_pod, pods=pods)
    old: dict[str, Any] = {
        "policyName": policy,
        "machineState": {str(node): _node_json(nodes[node]) for node in sorted(nodes, key=str)},
    }
    if blocks.by_pod:
        old["entries"] = {
            uid: {name: _blocks_json(held) for name, held in sorted(containers.items())}
            for uid, containers in sorted(blocks.by_pod.items())
        }
    whole = dict(old)
    if record.pods:
        whole["podEntries"] = {uid: {"memoryBlocks": _blocks_json(held)} for uid, held in sorted(record.pods.items())}
    if style.envelope:
        data = dump(whole)
        return dump({**old, "checksum": V1.checksum(record), "data": data, "dataChecksum": text_checksum(data)})
    return dump({**whole, "checksum": (V2 if style.pods else V1).checksum(record)})


def _blocks_json(blocks: Iterable[PinnedBlock]) -> list[dict[str, Any]]:
    return [{"numaAffinity": list(block.nodes), "type": block.type, "size": block.bytes} for block in blocks]


def _node_json(node: NodeMemory) -> dict[str, Any]:
    return {
        "numberOfAssignments": node.assignments,
        "memoryMap": {
            name: dict(zip(TABLE_FIELDS, columns(table), strict=True)) for name, table in sorted(node.tables.items())
        },
        "cells": list(node.group),
    }


def decode(text: str, policy: str, style: FileStyle = PLAIN) -> tuple[dict[int, NodeMemory], MemoryBlocks]:
    """Read the NUMA nodes and the blocks from a file for a node with this policy; raises ``CheckpointError``."""
    if style.newest_first:
        record = FORMATS.newest_first(text, style, lambda: V1.checked(text, may_be_unchecked=True))
    else:
        record = _PLAIN_V1.checked(text, may_be_unchecked=False)
    if record.policy != policy:
        raise CheckpointError(
            f'[memorymanager] configured policy "{policy}" differs from state checkpoint policy "{record.policy}"'
        )
    by_pod = {uid: containers for uid, containers in record.entries.items() if containers}
    return record.nodes, MemoryBlocks(by_pod, record.pods if style.pods else {})
