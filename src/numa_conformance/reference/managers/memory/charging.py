"""What containers and pods ask of the Memory Manager, in bytes per resource (MEM-POL-05, MEM-REQ-01)."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from ....cpuset import bits_of, checked
from ....kube.container import Container
from ....kube.pod import Pod
from ....kube.quantity import Quantity
from ....kube.requests import pod_total
from ....kube.resource_names import is_huge_page
from ..eligibility import is_owed
from .memory_state import MemoryBlocks, NodeMemory, PinnedBlock

Amounts = dict[str, int]


def container_amounts(pod: Pod, container: Container) -> Amounts | None:
    """Return memory and huge pages that a container is owed; None when an amount is no int64 to the kubelet.

    The order is that of the pod's text, and the blocks keep it. The kubelet's own order varies from run to run, and is
    this one most of the time (MEM-ALLOC-09).
    """
    return _amounts(container.requests) if is_owed(pod, container) else {}


def _amounts(requests: Mapping[str, Quantity]) -> Amounts | None:
    amounts = {}
    for name, amount in requests.items():
        if name == "memory" or is_huge_page(name):
            if not amount.is_int64:
                return None
            amounts[name] = amount.value
    return amounts


def pod_amounts(pod: Pod, *, drops_init_only: bool) -> Amounts | None:
    """Return what the pod as a whole asks for.

    ``drops_init_only``: without what only init containers request (quirk ``init-only-types-are-dropped``). Of a pod
    that is served as a whole it is what it requests itself, and what is not positive is left out.
    """
    if pod.served == "pod":
        requests = _amounts(pod.requests)
        return None if requests is None else {name: amount for name, amount in requests.items() if amount > 0}
    by_container: dict[str, Amounts] = {}
    for container in pod.all_containers:
        amounts = container_amounts(pod, container)
        if amounts is None:
            return None
        by_container[container.name] = amounts
    counted = pod.containers if drops_init_only else pod.all_containers
    names = sorted({name for container in counted for name in by_container[container.name]})
    return {name: pod_total(pod, partial(_amount_of, by_container, name)) for name in names}


def _amount_of(by_container: dict[str, Amounts], name: str, container: Container) -> int:
    return by_container[container.name].get(name, 0)


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
    for node in map(checked, block.nodes):
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
            by_type = left.setdefault(bits_of(block.nodes), {})
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
