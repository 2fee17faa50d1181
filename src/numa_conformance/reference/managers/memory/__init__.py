"""The Memory Manager: memory and huge pages of Guaranteed pods, pinned to NUMA nodes."""

from .manager import make_memory_manager, provide
from .memory_state import MemoryBlocks, MemoryHolding, MemoryPools, NodeMemory, PinnedBlock, Table
from .none_policy import NoneMemoryManager
from .state_file import MEMORY_FILE, MemoryManager, MemoryStateFile
from .static_policy import StaticMemoryManager

__all__ = [
    "MEMORY_FILE",
    "MemoryBlocks",
    "MemoryHolding",
    "MemoryManager",
    "MemoryPools",
    "MemoryStateFile",
    "NodeMemory",
    "NoneMemoryManager",
    "PinnedBlock",
    "StaticMemoryManager",
    "Table",
    "make_memory_manager",
    "provide",
]
