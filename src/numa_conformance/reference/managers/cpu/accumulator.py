"""``Accumulator``: a set of CPUs being gathered, and the order in which groups are looked at (CPU-ALLOC-10, 11, 13)."""

from __future__ import annotations

from ....sources.quirks.cpu import CpuQuirks
from .topology import CpuTopology, Level

INDEX_BITS = 16
INDEX_MASK = (1 << INDEX_BITS) - 1
"""A key of an order holds the index of an element in its lower bits, and how many CPUs it has free above them."""


class NotEnoughCpus(Exception):  # noqa: N818  (an answer of the allocator; the admission turns it into a refusal)
    """The allocator has no answer. The text is the kubelet's (CPU-ALLOC-02, CPU-ALLOC-19, CPU-DIST-10)."""


class Accumulator:
    """Free CPUs, what is still needed, and what is taken so far.

    ``trace``, if given, receives one line per group taken.
    """

    __slots__ = ("free", "need", "quirks", "taken", "topology", "trace")

    def __init__(
        self, topology: CpuTopology, free: int, need: int, quirks: CpuQuirks, trace: list[str] | None = None
    ) -> None:
        """Start with nothing taken; ``free`` holds known CPUs only."""
        self.topology = topology
        self.free = free
        self.need = need
        self.taken = 0
        self.quirks = quirks
        self.trace = trace

    def take(self, cpus: int, count: int) -> None:
        """Take ``cpus``; ``count`` is how many they are."""
        if not self.quirks.overlapping_groups_taken_twice:
            count = (cpus & ~self.taken).bit_count()
        self.taken |= cpus
        self.free &= ~cpus
        self.need -= count

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

        An element that several parents share comes once per parent (CPU-ALLOC-11), or once in all without that quirk.
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
        return order if self.quirks.overlapping_groups_taken_twice else list(dict.fromkeys(order))

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
        return order if self.quirks.overlapping_groups_taken_twice else list(dict.fromkeys(order))

    def take_full(self, level: Level, order: list[int]) -> None:
        """Take the fully free elements of ``level`` that fit, in order; one that is too large is passed over."""
        full = level.full if self.quirks.full_by_machine_average else level.sizes
        for key in order:
            index = key & INDEX_MASK
            if key >> INDEX_BITS == full[index] and level.sizes[index] <= self.need:
                if not self.quirks.overlapping_groups_taken_twice and self.taken & level.masks[index]:
                    continue
                if self.trace is not None:
                    self.trace.append(f"{level.kind} {level.ids[index]} whole")
                self.take(level.masks[index], level.sizes[index])
                if self.need < 1:
                    return
