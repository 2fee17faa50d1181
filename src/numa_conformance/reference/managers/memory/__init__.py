"""The Memory Manager: memory and huge pages of Guaranteed pods, pinned to NUMA nodes."""

from .manager import make_memory_manager, provide
from .memory_state import MemoryBlocks, MemoryHolding, MemoryPools, NodeMemory, PinnedBlock, Table
from .provider import NoneMemoryManager
from .static_policy import StaticMemoryManager

__all__ = ["MemoryBlocks", "MemoryHolding", "MemoryPools", "NodeMemory", "NoneMemoryManager", "PinnedBlock"]
__all__ += ["StaticMemoryManager", "Table", "make_memory_manager", "provide"]
