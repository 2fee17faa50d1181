"""Which masks can come out when one mask of each axis is ANDed, and which of them is best.

Three ways, chosen by cost, with the same answer:

* few masks: the set of partial results, axis by axis;
* dense axes: count, for every mask, the combinations whose result contains it (sums over supersets), and undo the sum;
* compressed hints: nodes that are free in every axis that names them do not need to be looked at one by one.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product
from math import comb
from operator import add, mul, sub
from typing import NamedTuple

from ....cpuset import iter_bits, union
from ....errors import Fault, UsageError

MAX_DENSE = 22
"""Most NUMA nodes for which counters are kept: one for each of 2**22 masks."""
MAX_SPARSE = 1 << 22
"""Most masks that are combined one by one where there are too many NUMA nodes to count."""
MAX_CHOICES = 200_000
"""Most ways to choose free nodes that are compared where the choice is not by id."""


class Masks(NamedTuple):
    """Masks of one axis: each ``base`` mask, with any of the ``free`` nodes added. No base mask has a free node."""

    base: frozenset[int]
    free: int = 0

    def within(self, everything: int) -> "Masks":
        """Drop the nodes that the machine does not have."""
        return Masks(frozenset(mask & everything for mask in self.base), self.free & everything)


Rank = Callable[[int], tuple[float, ...]]


def best_reachable(axes: Sequence[Sequence[Masks]], everything: int, rank: Rank, bound: int, *, by_id: bool) -> int:
    """Return the reachable non-empty mask of least rank, or 0 when none is reachable.

    An axis is the union of its parts. ``rank`` orders masks as the policy does for the size ``bound``; ``by_id`` says
    that among masks of one size the rank is the integer value. Raises ``UsageError`` past the limits above.
    """
    best: set[int] = set()
    for parts in product(*([part.within(everything) for part in axis if part.base] for axis in axes)):
        free = _free_nodes(parts, everything)
        rest = _possible_everywhere(parts, everything & ~free)
        reached = _reach(list(_projected(parts, rest)), rest)
        best.add(min(_candidates(reached, free, bound, by_id=by_id), key=rank, default=0))
    return min(best - {0}, key=rank, default=0)


def _free_nodes(axes: Sequence[Masks], everything: int) -> int:
    """Return the nodes that every axis either leaves free or always has, and at least one leaves free."""
    some = 0
    every = everything
    for base, free in axes:
        always = everything
        for mask in base:
            always &= mask
        some |= free
        every &= free | always
    return some & every


def _projected(axes: Sequence[Masks], rest: int) -> Iterator[frozenset[int]]:
    """Yield each axis' masks over the nodes ``rest``, those that the axis leaves free spelled out."""
    for axis in axes:
        masks = frozenset(mask & rest for mask in axis.base)
        # Each free node doubles the masks: with it, and without it.
        if len(masks) << (axis.free & rest).bit_count() > MAX_SPARSE:
            raise _too_many(rest)
        for bit in iter_bits(axis.free & rest):
            masks |= {mask | 1 << bit for mask in masks}
        yield masks


def _possible_everywhere(axes: Sequence[Masks], rest: int) -> int:
    """Return the nodes that every axis can have: any other is gone from the result whatever the rest do."""
    for axis in axes:
        rest &= union((axis.free, *axis.base))
    return rest


def _reach(axes: Sequence[frozenset[int]], everything: int) -> set[int]:
    """Return every AND of one mask per axis, the empty one included."""
    ordered = sorted(axes, key=len)
    nodes = everything.bit_count()
    countable = nodes <= MAX_DENSE
    most = (len(axes) + 1) * nodes << nodes if countable else MAX_SPARSE
    reached = {everything}
    for index, axis in enumerate(ordered):
        # A step of a set costs about three times a step of counting, measured: beyond that counting is cheaper.
        if len(reached) * len(axis) * (3 if countable else 1) > most:
            if not countable:
                raise _too_many(everything)
            return _reach_dense([frozenset(reached), *ordered[index:]], everything)
        reached = {earlier & mask for mask in axis for earlier in reached}
    return reached


def _too_many(everything: int) -> UsageError:
    return UsageError(
        Fault("", f"hints that cannot be reduced span {everything.bit_count()} NUMA nodes", f"at most {MAX_DENSE}")
    )


def _reach_dense(axes: Sequence[frozenset[int]], everything: int) -> set[int]:
    """Find the reachable masks by counting: the number of combinations whose AND contains m is a product over axes."""
    nodes = list(iter_bits(everything))
    size = 1 << len(nodes)
    place = _compressor(nodes)
    ways = [1] * size
    for axis in axes:
        counts = [0] * size
        for mask in axis:
            counts[place(mask)] += 1
        _sum_supersets(counts, add)
        ways = list(map(mul, ways, counts))
    _sum_supersets(ways, sub)
    spread = _expander(nodes)
    return {spread(index) for index, count in enumerate(ways) if count}


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
    """Yield what can be best of ``result | subset of free``, never the empty mask.

    The rank looks at size first, so only one number of free nodes can be best for each result. It is enough to reach
    the bound. It is all of them when they do not suffice, and none when the result is large enough.
    """
    spare = free.bit_count()
    for result in results:
        wanted = min(max(bound - result.bit_count(), 0), spare) or (0 if result else min(1, spare))
        if result or wanted:
            yield from (result | extra for extra in _choices(free, wanted, by_id=by_id))


def _choices(free: int, count: int, *, by_id: bool) -> Iterator[int]:
    bits = [1 << node for node in iter_bits(free)]
    if by_id or count in (0, len(bits)):
        yield sum(bits[:count])
        return
    if comb(len(bits), count) > MAX_CHOICES:
        raise UsageError(
            Fault("", f"{count} of {len(bits)} interchangeable NUMA nodes can be chosen in too many ways by distance")
        )
    yield from map(sum, combinations(bits, count))
