"""The Memory Manager: memory and huge pages of Guaranteed pods, pinned to NUMA nodes."""

from .manager import MemoryManager, NoneMemoryManager, make_memory_manager
from .state import Block, Blocks, NodeMemory, Table
from .state_file import MEMORY_FILE, MemoryStateFile
from .static_policy import StaticMemoryManager

__all__ = [
    "MEMORY_FILE",
    "Block",
    "Blocks",
    "MemoryManager",
    "MemoryStateFile",
    "NodeMemory",
    "NoneMemoryManager",
    "StaticMemoryManager",
    "Table",
    "make_memory_manager",
]
