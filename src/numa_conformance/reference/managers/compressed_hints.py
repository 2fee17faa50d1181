"""Compressed hints: all the hints of a resource on a machine with many NUMA nodes, without listing them.

With 36 NUMA nodes, as GPU machines have, a provider's hints are subsets of 2**36 masks. Most of these nodes contribute
nothing to a request: memory-only nodes hold no devices, reserved nodes hold no memory. Such a *free* node may join any
mask without changing what the mask offers. So a short list of base masks over the nodes that matter is enough, times
every subset of the free ones.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from ...cpuset import union
from ...errors import Fault, UsageError
from .hint import Hint

LISTED = 10
"""Up to this many NUMA nodes hints are listed one by one, as the kubelet does; beyond, they come compressed."""
MAX_RELEVANT = 20
"""Hints are compressed over at most this many nodes that matter: 2**20 masks are looked at."""


@dataclass(frozen=True)
class CompressedHints:
    """The hints ``base | any subset of free``, and ``fixed`` as they are; never the empty mask.

    Neither ``base`` nor ``fixed`` masks have a bit of ``free``. ``preferred`` lists the preferred masks, which never
    contain a free node unless nothing else matters: adding one would make the mask wider for nothing. ``smallest`` is
    the least size of any hint's mask.
    """

    base: tuple[int, ...]
    free: int
    preferred: frozenset[int]
    smallest: int
    fixed: tuple[int, ...] = ()

    @classmethod
    def build(
        cls,
        relevant: Sequence[int],
        free: Sequence[int],
        capable: Callable[[int], bool],
        available: Callable[[int], bool],
        extensible: Callable[[int], bool] = lambda mask: True,
    ) -> "CompressedHints | None":
        """Find the masks over the relevant nodes; None when no mask can hold the request.

        ``capable`` tells whether a mask could hold the request on an empty machine, ``available`` whether it can now.
        ``extensible`` tells whether free nodes may join it. All three must ignore free nodes. Raises ``UsageError``
        beyond ``MAX_RELEVANT`` relevant nodes.
        """
        if len(relevant) > MAX_RELEVANT:
            raise UsageError(
                Fault("", f"{len(relevant)} NUMA nodes take part in one request", f"at most {MAX_RELEVANT}")
            )
        narrowest = len(relevant) + len(free)
        base: list[int] = []
        fixed: list[int] = []
        for mask in (0, *subsets_by_size(relevant)):
            size = max(mask.bit_count(), 1)
            if size < narrowest and capable(mask):  # they come by size
                narrowest = size
            if available(mask):
                (base if extensible(mask) else fixed).append(mask)
        if not base and not fixed:
            return None
        preferred = {mask for mask in (*base, *fixed) if mask and mask.bit_count() == narrowest}
        if narrowest == 1 and 0 in base:
            preferred |= {1 << node for node in free}
        smallest = max(min(mask.bit_count() for mask in (*base, *fixed)), 1)
        free_mask = sum(1 << node for node in free)
        return cls(tuple(base), free_mask, frozenset(preferred), smallest, tuple(fixed))

    def __iter__(self) -> Iterator[Hint]:
        """Yield every hint, by size and then in combination order, as a provider lists them (TOPO-HINT-06)."""
        nodes = [bit for bit in range(self.span) if self.everything >> bit & 1]
        members, fixed = set(self.base), set(self.fixed)
        for mask in subsets_by_size(nodes):
            if mask & ~self.free in members or mask in fixed:
                yield Hint(mask, mask in self.preferred)

    def best_containing(self, within: int) -> Hint:
        """Return the best hint whose mask contains ``within``: preferred first, then narrowest, then lowest.

        ``Hint(None, False)`` when there is none.
        """
        if preferred := [mask for mask in self.preferred if mask & within == within]:
            return Hint(min(preferred, key=lambda mask: (mask.bit_count(), mask)), True)
        needed = within & self.free
        suited = [mask | needed for mask in self.base if (mask | needed) & within == within and mask | needed]
        suited += [mask for mask in self.fixed if mask & within == within]
        if not suited:
            return Hint(None, False)
        return Hint(min(suited, key=lambda mask: (mask.bit_count(), mask)), False)

    @property
    def everything(self) -> int:
        """All nodes that occur in any hint."""
        return union((self.free, *self.base, *self.fixed))

    @property
    def span(self) -> int:
        """One more than the highest node."""
        return self.everything.bit_length()

    def expand(self, limit: int) -> list[Hint]:
        """Return the explicit list for the wire; raises ``UsageError`` beyond ``limit`` hints."""
        count = (len(self.base) << self.free.bit_count()) - (0 in self.base) + len(self.fixed)
        if count > limit:
            raise UsageError(Fault("", f"{count} hints are too many to list", f"at most {limit}"))
        return list(self)


def subsets_by_size(nodes: Sequence[int]) -> Iterator[int]:
    """Yield the masks of all non-empty subsets, by size and then in combination order (TOPO-HINT-06)."""
    bits = [1 << node for node in nodes]
    for size in range(1, len(bits) + 1):
        yield from map(sum, combinations(bits, size))
