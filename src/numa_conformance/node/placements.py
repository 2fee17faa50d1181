"""Reading what the managers hold, in the form in which a node answers."""

from __future__ import annotations

from ..managers.memory import MemoryManager
from .admission import Admitter
from .bring_up import Managers
from .results import MemoryBlock, MemoryNodeState, MemoryTable, Placement

__all__ = ["memory_states", "placement"]


def placement(managers: Managers, admitter: Admitter, uid: str, container: str) -> Placement:
    """Return what one container holds."""
    memory = None
    if managers.memory.policy == "Static":
        blocks = (MemoryBlock(one.type, one.size, one.nodes) for one in managers.memory.blocks.of(uid, container))
        memory = tuple(sorted(blocks, key=lambda one: one.type))
    return Placement(
        cpus=managers.cpu.state.assignments.get(uid, {}).get(container, 0),
        affinity=admitter.affinity(uid, container),
        memory=memory,
        devices=managers.device.allocated(uid, container) if managers.device.inventory.resources else None,
    )


def memory_states(memory: MemoryManager) -> tuple[MemoryNodeState, ...] | None:
    """Return the books of every NUMA node, ascending; None unless the Memory Manager is Static."""
    if memory.policy != "Static":
        return None
    return tuple(
        MemoryNodeState(
            node=node,
            assignments=books.assignments,
            group=tuple(sorted(books.cells)),
            tables={
                name: MemoryTable(one.total, one.system_reserved, one.allocatable, one.reserved, one.free)
                for name, one in books.tables.items()
            },
        )
        for node, books in sorted(memory.nodes.items())
    )
