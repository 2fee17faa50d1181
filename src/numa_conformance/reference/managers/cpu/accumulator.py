"""``Accumulator``: a set of CPUs being gathered, and the order in which groups are looked at (CPU-ALLOC-10, 11, 13)."""

from collections.abc import Sequence

from ..departures import Documented
from .topology import CpuTopology, Level

INDEX_BITS = 16
INDEX_MASK = (1 << INDEX_BITS) - 1
"""A key of an order holds the index of an element in its lower bits, and how many CPUs it has free above them."""


class NotEnoughCpus(Exception):  # noqa: N818  (an answer of the allocator; the admission turns it into a refusal)
    """The allocator has no answer. The text is the kubelet's (CPU-ALLOC-02, CPU-ALLOC-19, CPU-DIST-10)."""


class Accumulator(Documented):
    """Free CPUs, what is still needed, and what is taken so far.

    ``trace``, if given, receives one line per group taken.
    """

    __slots__ = ("free", "need", "taken", "topology", "trace")

    def __init__(self, topology: CpuTopology, free: int, need: int, trace: list[str] | None = None) -> None:
        """Start with nothing taken; ``free`` holds known CPUs only."""
        self.topology = topology
        self.free = free
        self.need = need
        self.taken = 0
        self.trace = trace

    def take(self, cpus: int, count: int) -> None:
        """Take ``cpus``; ``count`` is how many they are, those of groups taken before included."""
        self.need -= (cpus & ~self.taken).bit_count()
        self.taken |= cpus
        self.free &= ~cpus

    def outer_order(self) -> list[int]:
        """Order the elements of the first level that have free CPUs, fewest first.

        Each is a key: the number of free CPUs above ``INDEX_BITS``, the index in the level below. Keys sort as
        CPU-ALLOC-10.
        """
        free = self.free
        return sorted(
            (here.bit_count() << INDEX_BITS) | index
            for index, mask in enumerate(self.topology.outer.masks)
            if (here := free & mask)
        )

    def inner_order(self) -> list[int]:
        """Order the elements of the second level: within each element of the first, fewest free first.

        An element that several parents share comes once (CPU-ALLOC-11).
        """
        free, masks, inside = self.free, self.topology.inner.masks, self.topology.inside
        order: list[int] = []
        for key in self.outer_order():
            children = inside[key & INDEX_MASK]
            if len(children) == 1:
                index = children[0][0]
                order.append(((free & masks[index]).bit_count() << INDEX_BITS) | index)
            else:
                order += sorted(
                    ((free & masks[index]).bit_count() << INDEX_BITS) | index
                    for index, common in children
                    if free & common
                )
        return self._visits(order)

    def node_order(self) -> list[int]:
        """Order the NUMA nodes with free CPUs."""
        return self.outer_order() if self.topology.numa_first else self.inner_order()

    def socket_order(self) -> list[int]:
        """Order the sockets with free CPUs."""
        return self.inner_order() if self.topology.numa_first else self.outer_order()

    def uncore_order(self) -> list[int]:
        """Order the uncore caches with free CPUs, NUMA node by NUMA node."""
        free, masks = self.free, self.topology.uncores.masks
        order: list[int] = []
        for key in self.node_order():
            order += sorted(
                ((free & masks[index]).bit_count() << INDEX_BITS) | index
                for index, common in self.topology.node_uncores[key & INDEX_MASK]
                if free & common
            )
        return self._visits(order)

    def take_full(self, level: Level, order: list[int]) -> None:
        """Take the fully free elements of ``level`` that fit, in order; one that is too large is passed over."""
        full = self._full(level)
        for key in order:
            index = key & INDEX_MASK
            fits = key >> INDEX_BITS == full[index] and level.sizes[index] <= self.need
            if fits and self._is_left(level.masks[index]):
                if self.trace is not None:
                    self.trace.append(f"{level.kind} {level.ids[index]} whole")
                self.take(level.masks[index], level.sizes[index])
                if self.need < 1:
                    return

    def _full(self, level: Level) -> Sequence[int]:
        """Return how many free CPUs make each element of ``level`` fully free: all of its own."""
        return level.sizes

    def _is_left(self, cpus: int) -> bool:
        """Tell whether a group has no CPU that another group brought."""
        return not self.taken & cpus

    def _visits(self, order: list[int]) -> list[int]:
        """Return which elements of an order are visited: each once."""
        return list(dict.fromkeys(order))


class _TakenTwice(Accumulator, quirk="overlapping_groups_taken_twice"):
    """Visits and counts a group once per parent (CPU-ALLOC-26)."""

    __slots__ = ()

    def take(self, cpus: int, count: int) -> None:
        self.taken |= cpus
        self.free &= ~cpus
        self.need -= count

    def _is_left(self, cpus: int) -> bool:
        return True

    def _visits(self, order: list[int]) -> list[int]:
        return order
