"""The Memory Manager: memory and huge pages of Guaranteed pods, pinned to NUMA nodes."""

from .manager import MemoryManager, NoneMemoryManager, make_memory_manager
from .state import Block, Blocks, NodeMemory, Table
from .static_policy import StaticMemoryManager

__all__ = [
    "Block",
    "Blocks",
    "MemoryManager",
    "NodeMemory",
    "NoneMemoryManager",
    "StaticMemoryManager",
    "Table",
    "make_memory_manager",
]
