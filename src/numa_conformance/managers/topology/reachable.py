"""Which masks can come out when one mask of each axis is ANDed, and which of them is best.

Three ways, chosen by cost, with the same answer:

* few masks: the set of partial results, axis by axis;
* dense axes: count, for every mask, the combinations whose result contains it (sums over supersets), and undo the sum;
* families: nodes that are free in every axis that names them do not need to be looked at one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from math import comb
from operator import add, mul, sub
from typing import NamedTuple

from ...cpuset import iter_bits
from ...errors import Fault, UsageError

__all__ = ["Masks", "best_reachable"]

MAX_DENSE = 22
"""Most NUMA nodes that are neither fixed nor free: 2**22 counters are kept beyond that size of problem."""
MAX_CHOICES = 200_000
"""Most ways to choose free nodes that are compared where the choice is not by id."""


class Masks(NamedTuple):
    """The masks of one axis: ``base`` masks with any of the ``free`` nodes added, and ``fixed`` masks as they are."""

    base: frozenset[int]
    free: int = 0
    fixed: frozenset[int] = frozenset()

    def within(self, everything: int) -> Masks:
        """Drop the nodes that the machine does not have."""
        return Masks(
            frozenset(mask & everything for mask in self.base),
            self.free & everything,
            frozenset(mask & everything for mask in self.fixed),
        )


Rank = Callable[[int], tuple[float, ...]]


def best_reachable(axes: Sequence[Masks], everything: int, rank: Rank, bound: int, *, by_id: bool) -> int:
    """Return the reachable non-empty mask of least rank, or 0 when none is reachable.

    ``rank`` orders masks as the policy does for the size ``bound``; ``by_id`` says that among masks of one size the
    rank is the integer value. Raises ``UsageError`` past the documented limits.
    """
    axes = [axis.within(everything) for axis in axes]
    free = _free_nodes(axes, everything)
    rest = everything & ~free
    open_axes = [Masks(axis.base, axis.free) for axis in axes]
    candidates = list(_candidates(_reach(list(_projected(open_axes, rest)), rest), free, bound, by_id=by_id))
    if any(axis.fixed for axis in axes):
        candidates += _reach(list(_projected(axes, rest)), rest)
    return min((mask for mask in candidates if mask), key=lambda mask: (rank(mask), mask), default=0)


def _free_nodes(axes: Sequence[Masks], everything: int) -> int:
    """Return the nodes that every axis either leaves free or always has, and at least one leaves free."""
    some = 0
    every = everything
    for base, free, _ in axes:
        always = everything
        for mask in base:
            always &= mask
        some |= free
        every &= free | always
    return some & every


def _projected(axes: Sequence[Masks], rest: int) -> Iterator[frozenset[int]]:
    """Yield each axis' masks over the nodes that are not free everywhere, free nodes of that axis spelled out."""
    possible = _possible_everywhere(axes, rest)
    for axis in axes:
        masks = frozenset(mask & rest for mask in axis.base)
        for bit in iter_bits(axis.free & possible):
            masks |= {mask | 1 << bit for mask in masks}
        yield masks | frozenset(mask & rest for mask in axis.fixed)


def _possible_everywhere(axes: Sequence[Masks], rest: int) -> int:
    """Return the nodes that every axis can have: any other is gone from the result whatever the rest do."""
    possible = rest
    for axis in axes:
        union = axis.free
        for mask in (*axis.base, *axis.fixed):
            union |= mask
        possible &= union
    return possible


def _reach(axes: Sequence[frozenset[int]], everything: int) -> set[int]:
    """Return every AND of one mask per axis, the empty one included."""
    ordered = sorted(axes, key=len)
    dense_cost = (len(axes) + 1) * everything.bit_count() << everything.bit_count()
    reached = {everything}
    for index, axis in enumerate(ordered):
        if len(reached) * len(axis) * 3 > dense_cost:
            return _reach_dense([frozenset(reached), *ordered[index:]], everything)
        reached = {one & mask for mask in axis for one in reached}
    return reached


def _reach_dense(axes: Sequence[frozenset[int]], everything: int) -> set[int]:
    """Find the reachable masks by counting: the number of combinations whose AND contains m is a product over axes."""
    nodes = list(iter_bits(everything))
    if len(nodes) > MAX_DENSE:
        raise UsageError(
            Fault("", f"hints that cannot be reduced span {len(nodes)} NUMA nodes", f"at most {MAX_DENSE}")
        )
    size = 1 << len(nodes)
    place = _compressor(nodes)
    product = [1] * size
    for axis in axes:
        counts = [0] * size
        for mask in axis:
            counts[place(mask)] += 1
        _sum_supersets(counts, add)
        product = list(map(mul, product, counts))
    _sum_supersets(product, sub)
    spread = _expander(nodes)
    return {spread(index) for index, count in enumerate(product) if count}


def _sum_supersets(values: list[int], step: Callable[[int, int], int]) -> None:
    """Add (or, to undo it, subtract) to each entry those of its supersets, one node at a time, in place."""
    width = 1
    while width < len(values):
        for start in range(0, len(values), 2 * width):
            middle = start + width
            values[start:middle] = map(step, values[start:middle], values[middle : middle + width])
        width *= 2


def _compressor(nodes: Sequence[int]) -> Callable[[int], int]:
    if nodes == list(range(len(nodes))):
        return lambda mask: mask
    return lambda mask: sum(1 << index for index, node in enumerate(nodes) if mask >> node & 1)


def _expander(nodes: Sequence[int]) -> Callable[[int], int]:
    if nodes == list(range(len(nodes))):
        return lambda index: index
    return lambda index: sum(1 << nodes[bit] for bit in iter_bits(index))


def _candidates(results: set[int], free: int, bound: int, *, by_id: bool) -> Iterator[int]:
    """Yield what can be best of ``result | subset of free``.

    The rank looks at size first, so only one number of free nodes can be best for each result: enough to reach the
    bound, all of them when they do not suffice, none when the result is large enough.
    """
    spare = free.bit_count()
    for result in results:
        wanted = min(max(bound - result.bit_count(), 0), spare) or (0 if result else min(1, spare))
        for extra in _choices(free, wanted, by_id=by_id):
            yield result | extra


def _choices(free: int, count: int, *, by_id: bool) -> Iterator[int]:
    bits = [1 << node for node in iter_bits(free)]
    if by_id or count in (0, len(bits)):
        yield sum(bits[:count])
        return
    if comb(len(bits), count) > MAX_CHOICES:
        raise UsageError(
            Fault("", f"{count} of {len(bits)} interchangeable NUMA nodes can be chosen in too many ways by distance")
        )
    for chosen in combinations(bits, count):
        yield sum(chosen)
