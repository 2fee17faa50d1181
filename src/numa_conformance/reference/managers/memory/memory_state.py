"""What the Memory Manager keeps: the tables of every NUMA node, and the blocks of every container (MEM-STATE)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from ....cpuset import Unchecked
from ....kube.quantity import Quantity
from ....kube.resource_names import page_bytes
from ....machine.model import Machine
from ..departures import Documented
from ..provider import Holding

WRAP = 2**64
"""The kubelet counts memory in uint64: beyond it begins anew at 0."""


@dataclass(slots=True)
class Table:
    """One resource on one NUMA node, in bytes: ``allocatable = reserved + free`` (MEM-STATE-03)."""

    total: int
    system_reserved: int
    allocatable: int
    reserved: int
    free: int

    def copy(self) -> "Table":
        """Return the same amounts, which later allocations do not change."""
        return Table(self.total, self.system_reserved, self.allocatable, self.reserved, self.free)


@dataclass(slots=True)
class NodeMemory:
    """One NUMA node: how many blocks touch it, its resources, and the nodes it is grouped with, itself included."""

    assignments: int
    tables: dict[str, Table]
    group: tuple[int, ...]

    def copy(self) -> "NodeMemory":
        """Return the same tables, which later allocations do not change."""
        return NodeMemory(self.assignments, {name: table.copy() for name, table in self.tables.items()}, self.group)


@dataclass(frozen=True, slots=True)
class PinnedBlock:
    """Memory of one type on NUMA nodes (ascending), in bytes."""

    nodes: tuple[Unchecked, ...]
    type: str
    bytes: int

    def __str__(self) -> str:
        nodes = ",".join(map(str, self.nodes))
        return f"{Quantity(self.bytes, 'binary')} of {self.type} on NUMA node{'s'[: len(self.nodes) > 1]} {nodes}"

    def shrunk(self, by: int) -> "PinnedBlock":
        """Return the block with so many bytes less."""
        return replace(self, bytes=self.bytes - by)


@dataclass(frozen=True, slots=True)
class MemoryHolding(Holding):
    """What one container holds: its blocks, sorted by type."""

    blocks: tuple[PinnedBlock, ...]

    def to_answer(self) -> list[dict[str, object]]:
        """Return type, bytes and NUMA nodes of each block."""
        return [{"type": block.type, "bytes": block.bytes, "nodes": list(block.nodes)} for block in self.blocks]


@dataclass(frozen=True, slots=True)
class MemoryPools:
    """The memory of every NUMA node, ascending: a copy that later allocations do not change."""

    nodes: Mapping[int, NodeMemory]


@dataclass
class MemoryBlocks:
    """The blocks of every container: uid to container to blocks.

    ``pods`` are the blocks of pods that were given theirs as a whole: containers have parts of them (MEM-PLR-01).
    """

    by_pod: dict[str, dict[str, list[PinnedBlock]]] = field(default_factory=dict)
    pods: dict[str, list[PinnedBlock]] = field(default_factory=dict)

    def copy(self) -> "MemoryBlocks":
        """Return an independent copy."""
        by_pod = {uid: {name: held[:] for name, held in containers.items()} for uid, containers in self.by_pod.items()}
        return MemoryBlocks(by_pod, {uid: held[:] for uid, held in self.pods.items()})

    def of(self, uid: str, container: str) -> list[PinnedBlock]:
        """Return a container's blocks, empty when it has none."""
        return self.by_pod.get(uid, {}).get(container, [])

    def known(self, uid: str, container: str) -> list[PinnedBlock] | None:
        """Return a container's blocks, None when it was never given any, not even none."""
        return self.by_pod.get(uid, {}).get(container)

    def give(self, uid: str, container: str, blocks: Iterable[PinnedBlock]) -> None:
        """Record the blocks of a container."""
        self.by_pod.setdefault(uid, {})[container] = list(blocks)

    def take_back(self, uid: str, container: str) -> list[PinnedBlock]:
        """Forget the blocks of a container, and return those that are free by that.

        What a pod was given as a whole comes back with its last container.
        """
        containers = self.by_pod.get(uid, {})
        blocks = containers.pop(container, [])
        if not containers:
            self.by_pod.pop(uid, None)
        if uid in self.pods:
            return [] if containers else self.pods.pop(uid)
        return blocks


class EmptyTables(Documented):
    """The tables of an empty machine (MEM-STATE-01..02)."""

    def nodes(self, machine: Machine, reserved: Mapping[int, Mapping[str, int]]) -> dict[int, NodeMemory]:
        """Return the tables by NUMA node; ``reserved`` is bytes per NUMA node and resource."""
        nodes = {}
        for memory in machine.memory:
            reservation = reserved.get(memory.node, {})
            tables: dict[str, Table] = {}
            huge = 0
            for size, pages in sorted(memory.hugepages.items()):
                total = pages * page_bytes(size)
                huge += total
                tables[f"hugepages-{size}"] = self._table(total, reservation.get(f"hugepages-{size}", 0), total)
            total = memory.memory or 0
            tables["memory"] = self._table(total, reservation.get("memory", 0), total - huge)
            nodes[memory.node] = NodeMemory(0, dict(sorted(tables.items())), (memory.node,))
        return nodes

    def _table(self, total: int, reserved: int, usable: int) -> Table:
        allocatable = self._left(usable - reserved)
        return Table(total, reserved, allocatable, 0, allocatable)

    def _left(self, usable: int) -> int:
        """Return what is left to give: nothing where more is reserved than a node has."""
        return max(usable, 0)


class _WrappedTables(EmptyTables, quirk="memory_reservation_wraps"):
    """Wraps around as unsigned 64-bit arithmetic does (MEM-STATE-04)."""

    def _left(self, usable: int) -> int:
        return usable % WRAP
