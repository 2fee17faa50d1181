"""Reading what the managers hold, in the form in which a node answers."""

from __future__ import annotations

from ..managers.memory import MemoryManager
from .admission import Admitter
from .bring_up import Managers
from .results import Books, Placement

__all__ = ["memory_books", "placement"]


def placement(managers: Managers, admitter: Admitter, uid: str, container: str) -> Placement:
    """Return what one container holds."""
    memory = None
    if managers.memory.policy == "Static":
        memory = tuple(sorted(managers.memory.blocks.of(uid, container), key=lambda block: block.type))
    return Placement(
        cpus=managers.cpu.state.assignments.get(uid, {}).get(container, 0),
        affinity=admitter.affinity(uid, container),
        memory=memory,
        devices=managers.device.allocated(uid, container) if managers.device.inventory.resources else None,
    )


def memory_books(memory: MemoryManager) -> Books | None:
    """Return the memory of every NUMA node; None unless the Memory Manager is Static."""
    if memory.policy != "Static":
        return None
    return {node: books.copy() for node, books in sorted(memory.nodes.items())}
