"""Checking a Memory Manager state that comes from a file against the machine (MEM-CKPT-03..06)."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy

from ...errors import StartError
from .books import charge
from .state import Blocks, NodeMemory

__all__ = ["check_restored"]


def check_restored(empty: Mapping[int, NodeMemory], nodes: Mapping[int, NodeMemory], blocks: Blocks) -> bool:
    """Return whether the state can be taken over; False when it is empty and the machine's is to be used.

    Raises ``StartError`` with the kubelet's text.
    """
    if not nodes:
        if blocks.given:
            raise _refused("machine state can not be empty when it has memory assignments")
        return False
    expected = deepcopy(dict(empty))
    for uid, containers in sorted(blocks.given.items()):
        for container, held in sorted(containers.items()):
            for block in held:
                place = f"(pod: {uid}, container: {container})"
                if any(node not in expected for node in block.nodes):
                    raise _refused(f"{place} the memory assignment uses the NUMA that does not exist")
                if any(block.type not in expected[node].tables for node in block.nodes):
                    raise _refused(f"{place} the memory assignment uses memory resource that does not exist")
                charge(expected, block.nodes, block.type, block.size)
    if not _same(expected, nodes):
        raise _refused("the expected machine state is different from the real one")
    return True


def _same(expected: Mapping[int, NodeMemory], real: Mapping[int, NodeMemory]) -> bool:
    if expected.keys() != real.keys():
        return False
    return all(_same_node(expected, real, node) for node in expected)


def _same_node(expected: Mapping[int, NodeMemory], real: Mapping[int, NodeMemory], node: int) -> bool:
    """Compare one node; what is free and reserved is compared over its group only (MEM-CKPT-06)."""
    one, other = expected[node], real[node]
    if one.assignments != other.assignments or sorted(one.cells) != sorted(other.cells):
        return False
    if one.tables.keys() != other.tables.keys() or any(cell not in real for cell in one.cells):
        return False
    for name, table in one.tables.items():
        found = other.tables[name]
        if (table.total, table.system_reserved, table.allocatable) != (
            found.total,
            found.system_reserved,
            found.allocatable,
        ):
            return False
        if _over_group(expected, one.cells, name) != _over_group(real, one.cells, name):
            return False
    return True


def _over_group(nodes: Mapping[int, NodeMemory], cells: tuple[int, ...], name: str) -> tuple[int, int]:
    tables = [nodes[cell].tables[name] for cell in cells if name in nodes[cell].tables]
    return sum(table.free for table in tables), sum(table.reserved for table in tables)


def _refused(message: str) -> StartError:
    return StartError("memorymanager-start", f"[memorymanager] {message}")
