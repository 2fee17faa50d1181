"""The Memory Manager: memory and huge pages of Guaranteed pods, pinned to NUMA nodes."""

from .manager import make_memory_manager as make_memory_manager
from .manager import provide as provide
from .memory_state import MemoryBlocks as MemoryBlocks
from .memory_state import MemoryHolding as MemoryHolding
from .memory_state import MemoryPools as MemoryPools
from .memory_state import NodeMemory as NodeMemory
from .memory_state import PinnedBlock as PinnedBlock
from .memory_state import Table as Table
from .none_policy import NoneMemoryManager as NoneMemoryManager
from .static_policy import StaticMemoryManager as StaticMemoryManager
