"""The sets of NUMA nodes in hint order, with their ``Hint`` objects, built once per machine (CPU-HINT-08)."""

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import combinations, compress
from operator import itemgetter, or_
from typing import Any

from ..hint import Hint


def subset_sums(values: Sequence[int]) -> list[int]:
    """Return the sum of every subset; bit *i* of a position in the result stands for ``values[i]``."""
    sums = [0]
    for value in values:
        sums += [value + total for total in sums] if value else sums
    return sums


class NodeSubsets:
    """Every non-empty set of NUMA nodes with CPUs, by size, then lexicographic.

    ``sizes`` are the CPUs per node, ``touched`` the sockets per node as bits. A set is known by its position number:
    bit *i* stands for the *i*-th node.
    """

    def __init__(self, ids: tuple[int, ...], sizes: tuple[int, ...], touched: tuple[int, ...]) -> None:
        """Keep what is given; the tables are built when first asked for."""
        self.ids = ids
        self._touched = touched
        largest = sorted(sizes, reverse=True)
        self._reach = [sum(largest[:count]) for count in range(len(largest) + 1)]
        self._flagged: dict[tuple[int, int], tuple[tuple[Hint, ...], ...]] = {}

    def smallest_size(self, cpus: int) -> int:
        """Return how many nodes an empty machine needs for ``cpus`` CPUs; all of them if even those do not do."""
        return next((count for count in range(1, len(self.ids)) if self._reach[count] >= cpus), len(self.ids))

    @cached_property
    def numbers(self) -> tuple[tuple[int, ...], ...]:
        """Per size (from 1): the position numbers of the sets, lexicographic."""
        bits = [1 << i for i in range(len(self.ids))]
        return tuple(tuple(map(sum, combinations(bits, size))) for size in range(1, len(bits) + 1))

    @cached_property
    def _pickers(self) -> tuple[Callable[[Sequence[int]], Any], ...]:
        return tuple(itemgetter(*numbers) for numbers in self.numbers)

    def ordered(self, size: int, by_number: Sequence[int]) -> tuple[int, ...]:
        """Bring values known by position number into the order of the sets of ``size`` nodes."""
        picked = self._pickers[size - 1](by_number)
        return picked if len(self.numbers[size - 1]) > 1 else (picked,)

    @cached_property
    def plain(self) -> tuple[tuple[Hint, ...], ...]:
        """Per size: the sets as hints that are not preferred."""
        return self._hints(preferred=False)

    @cached_property
    def preferred(self) -> tuple[tuple[Hint, ...], ...]:
        """Per size: the sets as preferred hints."""
        return self._hints(preferred=True)

    def _hints(self, *, preferred: bool) -> tuple[tuple[Hint, ...], ...]:
        bits = [1 << node for node in self.ids]
        return tuple(
            tuple(Hint(sum(chosen), preferred) for chosen in combinations(bits, size))
            for size in range(1, len(bits) + 1)
        )

    def by_size(self, smallest: int) -> tuple[tuple[Hint, ...], ...]:
        """Per size: the sets as hints, preferred where they have ``smallest`` nodes."""
        plain = self.plain
        return (*plain[: smallest - 1], self.preferred[smallest - 1], *plain[smallest:])

    def by_socket(self, smallest: int, sockets: int) -> tuple[tuple[Hint, ...], ...]:
        """Per size: the sets as hints, preferred where they have ``smallest`` nodes or touch ``sockets`` sockets.

        ``smallest`` 0 leaves only the sockets to decide (CPU-HINT-10).
        """
        key = smallest, sockets
        if key not in self._flagged:
            self._flagged[key] = tuple(self._flag(size, smallest, sockets) for size in range(1, len(self.ids) + 1))
        return self._flagged[key]

    def _flag(self, size: int, smallest: int, sockets: int) -> tuple[Hint, ...]:
        plain, preferred = self.plain[size - 1], self.preferred[size - 1]
        if size == smallest:
            return preferred
        return tuple(
            good if touched.bit_count() == sockets else bad
            for bad, good, touched in zip(plain, preferred, self.ordered(size, self._reached), strict=True)
        )

    @cached_property
    def _reached(self) -> list[int]:
        """Per position number: the sockets touched, as bits."""
        reached = [0]
        for sockets in self._touched:
            reached += [or_(sockets, union) for union in reached]
        return reached

    def that_hold(
        self, size: int, hints: tuple[Hint, ...], available: Sequence[int], needed: int, mandatory: int
    ) -> list[Hint]:
        """Return those ``hints`` of one size whose nodes have ``needed`` CPUs available and include ``mandatory``.

        ``available`` is known by position number, as is ``mandatory``.
        """
        counts = self.ordered(size, available)
        if not mandatory:
            return list(compress(hints, map(needed.__le__, counts)))
        return [
            hint
            for hint, number, count in zip(hints, self.numbers[size - 1], counts, strict=True)
            if count >= needed and number & mandatory == mandatory
        ]
