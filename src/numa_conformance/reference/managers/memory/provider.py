"""``MemoryManager``: what both policies of the Memory Manager have in common, and policy ``None`` (MEM-POL-03)."""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from functools import partial

from ..provider import Provider
from ..state_file import PLAIN, CheckpointError, ManagerStateFile
from .memory_state import MemoryBlocks, NodeMemory
from .state_file import MEMORY_FILE, decode, encode


class MemoryManager(Provider):
    """The Memory Manager of one node, whatever its policy.

    ``policy`` is the policy's name, as the state file has it. ``nodes``: the memory of every NUMA node. ``blocks``: of
    every container. ``file_style``: how the state file is written.
    """

    name = "memory"
    policy: str

    def __init__(self, nodes: dict[int, NodeMemory]) -> None:
        self.nodes = nodes
        self.blocks = MemoryBlocks()
        self.file_style = PLAIN

    @property
    def state_file(self) -> ManagerStateFile:
        """The file of the NUMA nodes and the blocks."""
        return ManagerStateFile(MEMORY_FILE, self._content, self._take_over)

    def _content(self) -> Callable[[], str]:
        nodes = {id: node.copy() for id, node in self.nodes.items()}
        return partial(encode, self.policy, nodes, self.blocks.copy(), self.file_style)

    def _take_over(self, text: str | None, where: str) -> bool:
        """Take over a file's content; tell whether it is to be written anew. Raises ``StartError`` (MEM-CKPT-02)."""
        nodes, blocks = dict[int, NodeMemory](), MemoryBlocks()
        if text is not None:
            try:
                nodes, blocks = decode(text, self.policy, self.file_style)
            except CheckpointError as error:
                raise error.start_error("memory", where) from error
        return self.restore(nodes, blocks) or text is None

    @abstractmethod
    def restore(self, nodes: Mapping[int, NodeMemory], blocks: MemoryBlocks) -> bool:
        """Take over what a state file holds; tell whether it must be written anew. Raises ``StartError``."""


class NoneMemoryManager(MemoryManager):
    """Policy None: no memory is pinned, no opinion; no memory tables are kept and no blocks given."""

    policy = "None"

    def __init__(self) -> None:
        super().__init__({})

    def restore(self, nodes: Mapping[int, NodeMemory], blocks: MemoryBlocks) -> bool:
        """Keep nothing: beyond its policy and checksum the file is not looked into."""
        return False
