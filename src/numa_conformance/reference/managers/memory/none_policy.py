"""Policy ``None``: no memory is pinned, no opinion (MEM-POL-03)."""

from collections.abc import Mapping

from ..provider import Provider
from ..state_file import PLAIN
from .memory_state import MemoryBlocks, NodeMemory
from .state_file import MemoryStateFile


class NoneMemoryManager(Provider):
    """The Memory Manager under policy None: it keeps no memory tables and gives no blocks."""

    name = "memory"
    policy = "None"

    def __init__(self) -> None:
        self.nodes: dict[int, NodeMemory] = {}
        self.blocks = MemoryBlocks()
        self.file_style = PLAIN

    @property
    def state_file(self) -> MemoryStateFile:
        """The file, which tells the policy alone."""
        return MemoryStateFile(self)

    def restore(self, nodes: Mapping[int, NodeMemory], blocks: MemoryBlocks) -> bool:
        """Keep nothing: beyond its policy and checksum the file is not looked into."""
        return False
