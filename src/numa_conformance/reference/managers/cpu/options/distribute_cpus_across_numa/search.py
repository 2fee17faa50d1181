"""Which NUMA nodes a request is distributed over (CPU-DIST-03..08, CPU-DIST-15), without looking at every subset.

Nodes beside each other in the order that have equally many free CPUs are interchangeable: a *run*. A choice is a number
of nodes per run; among equal choices the kubelet meets the one with the first nodes of each run first. Since every
choice leaves the same total, the score falls with the free CPUs of the chosen nodes, which bounds the search.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate, islice
from typing import NamedTuple

from ....departures import Documented
from .balance import Balance, has_endless_choice, never_answered, remainder_may_hang, spend

_NEVER = 1 << 64
"""The score of a remainder set that cannot be spent: above every real one."""


class NodeChoice(NamedTuple):
    """Positions of the chosen nodes, CPUs from each, and positions of the nodes that give one group more in turn."""

    nodes: tuple[int, ...]
    share: int
    remainder: tuple[int, ...]


class ScoredSet(NamedTuple):
    """The score of a set of nodes, and their positions and those of its best remainder."""

    score: int
    nodes: tuple[int, ...]
    remainder: tuple[int, ...]


class NodeSearch(Documented):
    """How NUMA nodes are chosen."""

    def choose(self, free: Sequence[int], count: int, group: int, smallest: int) -> NodeChoice | None:
        """Choose among nodes with ``free`` CPUs (in order) for ``count`` CPUs in groups of ``group``; None: no way.

        Of as few nodes as will do, ``smallest`` at least, the set that leaves the most even balance. Raises
        ``KubeletHangs`` where the kubelet does not come back.
        """
        for size in range(smallest, min(-(-count // group), len(free)) + 1):
            search = SetSearch(free, count, group, size)
            if (best := search.best()) is not None:
                self.check(search, best)
                return self.choice(search, best)
        return None

    def check(self, search: "SetSearch", best: ScoredSet) -> None:
        """Look at a search that came to its end: every one does."""

    def choice(self, search: "SetSearch", best: ScoredSet, *, crosses: bool = False) -> NodeChoice:
        """Return the choice of the best set; ``crosses``: it is one across sockets, which others are preferred to."""
        return NodeChoice(best.nodes, search.share, best.remainder)

    def meet_endless(self, count: int, group: int) -> None:
        """Pass over a remainder that is never spent."""

    def lasting(self, size: int) -> int:
        """Return how many first elements of a set of ``size`` stay as they are, once it is noted: all of them."""
        return size


class SetSearch:
    """The search among all sets of ``size`` nodes."""

    def __init__(self, free: Sequence[int], count: int, group: int, size: int, *, share: int | None = None) -> None:
        self.free = free
        self.count = count
        self.group = group
        self.size = size
        self.share = count // size // group * group if share is None else share
        self.groups = (count - self.share * size) // group
        self.left = [cpus - self.share for cpus in free]
        self.balance = Balance(len(free), sum(free) - count)
        self.squares = sum(cpus * cpus for cpus in free)

    def best(self) -> ScoredSet | None:
        """Return the first set with the lowest score."""
        top = sorted(range(len(self.free)), key=lambda i: (-self.free[i], i))[: self.size]
        if not self._usable(top):
            return None
        best = self.evaluate(tuple(sorted(top)))
        if not self.groups and best.nodes == self._first():
            return best  # without a remainder the score falls with the free CPUs alone, and these nodes have the most
        for nodes in self._candidates(top, best.score):
            if (self._bound(nodes), nodes) < (best.score, best.nodes):
                best = min(best, self.evaluate(nodes))
        return best

    def _first(self) -> tuple[int, ...]:
        """Return the set that the kubelet meets first of those that can give the share."""
        return tuple(islice((i for i, left in enumerate(self.left) if left >= 0), self.size))

    def _usable(self, nodes: Sequence[int]) -> bool:
        """Whether a set is looked at (CPU-DIST-04)."""
        free, group = self.free, self.group
        return all(free[i] >= self.share for i in nodes) and sum(free[i] // group for i in nodes) * group >= self.count

    def _squares_before_remainder(self, nodes: Sequence[int]) -> int:
        chosen = sum(self.free[i] for i in nodes)
        return self.squares - 2 * self.share * chosen + self.size * self.share * self.share

    def _gain_limit(self, nodes: Sequence[int]) -> int:
        """Return by how much the remainder lowers the sum of squares at most: always from the fullest node."""
        left = [self.left[i] for i in nodes]
        gain = 0
        for _ in range(self.groups):
            most = max(range(len(left)), key=left.__getitem__)
            gain += self.group * (2 * left[most] - self.group)
            left[most] -= self.group
        return gain

    def _bound(self, nodes: Sequence[int]) -> int:
        """Return a score that no remainder of this set can beat."""
        return self.balance.score(self._squares_before_remainder(nodes) - self._gain_limit(nodes))

    def _candidates(self, top: Sequence[int], score: int) -> Iterator[tuple[int, ...]]:
        """Yield, in the kubelet's order, one set per choice that might score as low as ``score``."""
        limit = self._least_free(top, score)
        runs = _runs(self.free)
        # From each run on, the largest sums of 0, 1, ... up to ``size`` nodes.
        ahead = [[0, *accumulate(sorted(self.free[start:], reverse=True)[: self.size])] for start, _ in runs]

        def extend(run: int, chosen: tuple[int, ...], total: int) -> Iterator[tuple[int, ...]]:
            wanted = self.size - len(chosen)
            if wanted == 0:
                if self._usable(chosen):
                    yield chosen
                return
            if run == len(runs) or wanted >= len(ahead[run]) or total + ahead[run][wanted] < limit:
                return
            start, length = runs[run]
            most = min(length, wanted) if self.left[start] >= 0 else 0
            for take in range(most, -1, -1):
                picked = tuple(range(start, start + take))
                yield from extend(run + 1, chosen + picked, total + take * self.free[start])

        return extend(0, (), 0)

    def _least_free(self, top: Sequence[int], score: int) -> int:
        """Return the least sum of free CPUs with which a set can still score as low as ``score``."""
        gain = self._gain_limit(top)
        total = sum(self.free[i] for i in top)
        best = self._squares_before_remainder(top) - gain
        low, high = 0, total
        while low < high:
            middle = (low + high) // 2
            if self.balance.score(best + 2 * self.share * (total - middle)) <= score:
                high = middle
            else:
                low = middle + 1
        return low

    def evaluate(self, nodes: tuple[int, ...]) -> ScoredSet:
        """Score one set with its best remainder (CPU-DIST-06)."""
        squares = self._squares_before_remainder(nodes)
        if not self.groups:
            return ScoredSet(self.balance.score(squares), nodes, ())
        among = tuple(i for i in nodes if self.left[i] >= self.group)
        best = self._with_remainder(squares, nodes, among)
        for size in range(len(among) - 1, 0, -1):
            largest = sorted(among, key=lambda i: -self.left[i])[:size]
            if self.balance.score(squares - self._gain_limit(largest)) >= best.score:
                continue
            for chosen in _choices(_runs([self.left[i] for i in among]), size):
                rest = self._with_remainder(squares, nodes, tuple(among[i] for i in chosen))
                if rest.score < best.score:
                    best = rest
        return best

    def _with_remainder(self, squares: int, nodes: tuple[int, ...], remainder: tuple[int, ...]) -> ScoredSet:
        """Score one remainder set; one that does not hold enough groups never wins (if it hangs is asked apart)."""
        left = [self.left[i] for i in remainder]
        after = spend(left, self.groups, self.group)
        if after is None:
            return ScoredSet(_NEVER, nodes, remainder)
        change = sum(now * now for now in after) - sum(was * was for was in left)
        return ScoredSet(self.balance.score(squares + change), nodes, remainder)

    def meets_endless_choice(self, best: ScoredSet) -> bool:
        """Tell whether the kubelet comes upon a remainder it cannot spend before it stops (CPU-DIST-16)."""
        if not self.groups or not remainder_may_hang(self.left, self.group, self.size, self.groups):
            return False
        if best.score:
            return True
        return any(
            self._usable(nodes) and has_endless_choice([self.left[i] for i in nodes], self.group, self.groups)
            for nodes in _choices(_runs(self.free), self.size)
            if nodes <= best.nodes
        )


def _runs(values: Sequence[int]) -> list[tuple[int, int]]:
    """Return start and length of each stretch of equal values."""
    runs: list[tuple[int, int]] = []
    for i, value in enumerate(values):
        if runs and values[runs[-1][0]] == value:
            runs[-1] = runs[-1][0], runs[-1][1] + 1
        else:
            runs.append((i, 1))
    return runs


def _choices(runs: Sequence[tuple[int, int]], size: int) -> Iterator[tuple[int, ...]]:
    """Yield, in lexicographic order, one subset of ``size`` positions per number of members of each run: the first."""
    if size == 0:
        yield ()
        return
    if sum(length for _, length in runs) < size:
        return
    (start, length), others = runs[0], runs[1:]
    for take in range(min(length, size), -1, -1):
        picked = tuple(range(start, start + take))
        for rest in _choices(others, size - take):
            yield picked + rest


class _Endless(NodeSearch, quirk="distribution_hang"):
    """Goes round nodes that have no whole group left."""

    def check(self, search: SetSearch, best: ScoredSet) -> None:
        if search.meets_endless_choice(best):
            self.meet_endless(search.count, search.group)

    def meet_endless(self, count: int, group: int) -> None:
        raise never_answered(count, group)


# The kubelet grows a subset by Go's append and keeps it without a copy. Go doubles the array behind a slice: it holds
# 1, 2, 4, 8, 16 elements. What was appended while there was room lies in an array that later subsets with the same
# start write to as well; what came first into a new array stays. So of 4 elements 3 stay, of 5 to 8 the first 5, of 9
# to 16 the first 9 (CPU-DIST-15).
_KEPT_PREFIX = (0, 1, 2, 3, 3, 5, 5, 5, 5, 9)


class _Overwritten(NodeSearch, quirk="distribution_aliasing"):
    """Loses the end of the best set, and of its remainder, to sets that are looked at later (CPU-DIST-15)."""

    def choice(self, search: SetSearch, best: ScoredSet, *, crosses: bool = False) -> NodeChoice:
        nodes = self._overwritten(best.nodes, len(search.free), stops_next=best.score == 0 and not crosses)
        if not best.remainder:
            return NodeChoice(nodes, search.share, ())
        among = [node for node in best.nodes if search.left[node] >= search.group]
        places = tuple(among.index(node) for node in best.remainder)
        remainder = tuple(among[place] for place in self._overwritten(places, len(among), stops_next=False))
        return NodeChoice(nodes, search.share, remainder)

    def lasting(self, size: int) -> int:
        return _KEPT_PREFIX[size] if size < len(_KEPT_PREFIX) else 9

    def _overwritten(self, subset: tuple[int, ...], among: int, *, stops_next: bool) -> tuple[int, ...]:
        """Return what a noted subset of positions holds once the enumeration is over.

        The last subset visited with the same first elements has replaced it. With ``stops_next`` only one more is
        visited.
        """
        size = len(subset)
        prefix = self.lasting(size)
        if prefix == size:
            return subset
        if not stops_next:
            return subset[:prefix] + tuple(range(among - (size - prefix), among))
        following = _next_subset(subset, among)
        return following if following is not None and following[:prefix] == subset[:prefix] else subset


def _next_subset(subset: tuple[int, ...], among: int) -> tuple[int, ...] | None:
    size = len(subset)
    for i in range(size - 1, -1, -1):
        if subset[i] < among - size + i:
            return subset[:i] + tuple(range(subset[i] + 1, subset[i] + 1 + size - i))
    return None
