"""Charging blocks to NUMA nodes and taking them back (MEM-ALLOC-08, MEM-REL-01)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .memory_state import Block, NodeMemory


def charge(nodes: Mapping[int, NodeMemory], mask: Sequence[int], resource: str, amount: int) -> None:
    """Count one block on every node of the mask and fill the nodes in ascending order, greedily.

    What the mask has no room for stays uncharged.
    """
    for node in mask:
        memory = nodes[node]
        memory.assignments += 1
        memory.group = tuple(mask)
        table = memory.tables.get(resource)
        taken = min(table.free, amount) if table else 0
        if table and taken:
            table.free -= taken
            table.reserved += taken
            amount -= taken


def discharge(nodes: Mapping[int, NodeMemory], block: Block) -> None:
    """Undo one block; a node without blocks leaves its group. Bytes may return to another node of the group."""
    left = block.bytes
    for node in block.nodes:
        memory = nodes[node]
        memory.assignments -= 1
        if memory.assignments == 0:
            memory.group = (node,)
        table = memory.tables.get(block.type)
        freed = min(table.reserved, left) if table else 0
        if table and freed:
            table.reserved -= freed
            table.free += freed
            left -= freed
