"""Charging blocks to NUMA nodes, taking them back, and reusing those of init containers (MEM-ALLOC-08, MEM-REUSE)."""

from collections.abc import Iterable, Mapping, Sequence

from ....kube.container import Container
from ....kube.pod import Pod
from .memory_state import MemoryBlocks, NodeMemory, PinnedBlock


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


def discharge(nodes: Mapping[int, NodeMemory], block: PinnedBlock) -> None:
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


class ReusableMemory:
    """What can be reused: pod uid to mask to resource to bytes. Only the pod handled last has any."""

    def __init__(self) -> None:
        self._left: dict[str, dict[int, dict[str, int]]] = {}

    def of(self, uid: str) -> Mapping[int, Mapping[str, int]]:
        """Return what a pod can reuse, by mask."""
        return self._left.get(uid, {})

    def forget(self, uid: str) -> None:
        """Leave a pod nothing to reuse: it has given something back."""
        self._left.pop(uid, None)

    def update(self, uid: str, blocks: Iterable[PinnedBlock], *, gives: bool) -> None:
        """Account for a container's blocks: an ordinary init container gives, any other consumes."""
        left = self._left.get(uid, {})
        self._left = {uid: left}
        for block in blocks:
            by_type = left.setdefault(sum(1 << node for node in block.nodes), {})
            now = by_type.get(block.type, 0)
            by_type[block.type] = max(now, block.bytes) if gives else now - min(now, block.bytes)


def shrink_init_blocks(held: MemoryBlocks, pod: Pod, container: Container, new: Iterable[PinnedBlock]) -> None:
    """Shrink the blocks of earlier ordinary init containers by what ``container`` takes over from them."""
    for block in new:
        left = block.bytes
        for earlier in pod.init_containers:
            if earlier.name == container.name or not left:
                break
            if not pod.leaves_for_reuse(earlier):
                continue
            blocks = held.of(pod.uid, earlier.name)
            for index, held_block in enumerate(blocks):
                if held_block.type == block.type and held_block.nodes == block.nodes and held_block.bytes:
                    by = min(held_block.bytes, left)
                    blocks[index] = held_block.shrunk(by)
                    left -= by
