"""Hint families: all the hints of a resource on a machine with many NUMA nodes, without listing them.

With 36 NUMA nodes, as GPU machines have, a provider's hints are subsets of 2**36 masks. Most of these nodes contribute
nothing to a request: memory-only nodes hold no devices, reserved nodes hold no memory. Such a *free* node may join any
mask without changing what the mask offers. A family therefore is a short list of base masks over the nodes that matter,
times every subset of the free ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from ..errors import Fault, UsageError
from .hint import Hint

__all__ = ["LISTED", "HintFamily", "subsets_by_size"]

LISTED = 10
"""Up to this many NUMA nodes hints are listed one by one, as the kubelet does; beyond, they come as families."""
MAX_RELEVANT = 20
"""A family is built from at most this many nodes that matter: 2**20 masks are looked at."""


@dataclass(frozen=True)
class HintFamily:
    """The hints ``base | any subset of free``, except the empty mask.

    ``base`` masks have no bit of ``free``. ``preferred`` lists the preferred masks, which never contain a free node
    unless nothing else matters: adding one would make the mask wider for nothing. ``smallest`` is the least size of any
    hint's mask.
    """

    base: tuple[int, ...]
    free: int
    preferred: frozenset[int]
    smallest: int

    @classmethod
    def build(
        cls,
        relevant: Sequence[int],
        free: Sequence[int],
        capable: Callable[[int], bool],
        available: Callable[[int], bool],
    ) -> HintFamily | None:
        """Find the base masks over the relevant nodes; None when no mask can hold the request.

        ``capable`` tells whether a mask could hold the request on an empty machine, ``available`` whether it can now;
        both must ignore free nodes. Raises ``UsageError`` beyond ``MAX_RELEVANT`` relevant nodes.
        """
        if len(relevant) > MAX_RELEVANT:
            raise UsageError(
                Fault("", f"{len(relevant)} NUMA nodes take part in one request", f"at most {MAX_RELEVANT}")
            )
        narrowest = len(relevant) + len(free)
        base = []
        for mask in (0, *subsets_by_size(relevant)):
            if capable(mask):
                narrowest = min(narrowest, max(mask.bit_count(), 1))
            if available(mask):
                base.append(mask)
        if not base:
            return None
        free_mask = sum(1 << node for node in free)
        preferred = {mask for mask in base if mask and mask.bit_count() == narrowest}
        if narrowest == 1 and 0 in base:
            preferred |= {1 << node for node in free}
        smallest = max(min(mask.bit_count() for mask in base), 1)
        return cls(tuple(base), free_mask, frozenset(preferred), smallest)

    def __iter__(self) -> Iterator[Hint]:
        """Yield every hint, by size and then in combination order, as a provider lists them (TOPO-HINT-06)."""
        nodes = [bit for bit in range(self.span) if self.everything >> bit & 1]
        members = set(self.base)
        for mask in subsets_by_size(nodes):
            if mask & ~self.free in members:
                yield Hint(mask, mask in self.preferred)

    @property
    def everything(self) -> int:
        """All nodes that occur in any hint."""
        nodes = self.free
        for mask in self.base:
            nodes |= mask
        return nodes

    @property
    def span(self) -> int:
        """One more than the highest node."""
        return self.everything.bit_length()

    def expand(self, limit: int) -> list[Hint]:
        """Return the explicit list for the wire; raises ``UsageError`` beyond ``limit`` hints."""
        count = len(self.base) << self.free.bit_count()
        if count > limit:
            raise UsageError(Fault("", f"{count} hints are too many to list", f"at most {limit}"))
        return list(self)


def subsets_by_size(nodes: Sequence[int]) -> Iterator[int]:
    """Yield the masks of all non-empty subsets, by size and then in combination order (TOPO-HINT-06)."""
    bits = [1 << node for node in nodes]
    for size in range(1, len(bits) + 1):
        for chosen in combinations(bits, size):
            yield sum(chosen)
