"""The distribution search as the kubelet does it, subset by subset.

It serves machines on which a NUMA node spans sockets, and so stands several times in the order of nodes (CPU-DIST-02).
It serves also where sockets count (CPU-DIST-18). In both cases positions are not independent, and nothing can be
bounded.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import inf

from .balance import Balance, spend
from .search import NodeChoice, NodeSearch


class _Subsets:
    """Subsets in lexicographic order; ``noted`` is the one kept, as later ones with the same start overwrite it."""

    def __init__(self, among: Sequence[int], size: int, chooser: NodeSearch) -> None:
        self._among = among
        self._size = size
        self._prefix = chooser.lasting(size)
        self._now: tuple[int, ...] = ()
        self._start: tuple[int, ...] | None = None
        self.noted: tuple[int, ...] = ()

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        for positions in combinations(range(len(self._among)), self._size):
            self._now = positions
            if self._start == positions[: self._prefix]:
                self.noted = self._named()
            yield self._named()

    def keep(self) -> None:
        self._start = self._now[: self._prefix]
        self.noted = self._named()

    def _named(self) -> tuple[int, ...]:
        return tuple(self._among[i] for i in self._now)


def choose_repeated_nodes(
    order: Sequence[int],
    free: Mapping[int, int],
    count: int,
    group: int,
    smallest: int,
    chooser: NodeSearch,
    in_one_socket: Callable[[Iterable[int]], bool] | None = None,
) -> NodeChoice | None:
    """Choose as ``chooser.choose`` does, where ``order`` names nodes (keys of ``free``) more than once.

    The choice names nodes in place of positions. With ``in_one_socket`` nodes of one socket are preferred to others,
    however uneven, and a share is what each node can give (CPU-DIST-18).
    """
    balance = Balance(len(free), sum(free.values()) - count)
    for size in range(smallest, min(-(-count // group), len(free)) + 1):
        even = count // size // group * group
        subsets = _Subsets(order, size, chooser)
        best: tuple[bool, float] | None = None
        share, remainder = even, tuple[int, ...]()
        for nodes in subsets:
            if best is not None and best[1] == 0 and not best[0]:
                break
            if (
                sum(free[node] for node in set(nodes)) < count
                or sum(free[node] // group for node in nodes) * group < count
            ):
                continue
            part = min(even, *(free[node] // group * group for node in nodes)) if in_one_socket else even
            if any(free[node] < part for node in nodes):
                continue
            left = dict(free)
            for node in nodes:
                left[node] -= part
            score, chosen = _best_remainder(left, nodes, (count - part * size) // group, group, balance, chooser)
            crosses = in_one_socket is not None and not in_one_socket(nodes)
            if best is None and score is None and crosses:
                continue
            rank = crosses, inf if score is None else score
            if (score is not None or in_one_socket) and (best is None or rank < best):
                best, share, remainder = rank, part, chosen
                subsets.keep()
        if best is not None:
            return NodeChoice(subsets.noted, share, remainder)
    return None


def _best_remainder(
    left: Mapping[int, int], nodes: tuple[int, ...], groups: int, group: int, balance: Balance, chooser: NodeSearch
) -> tuple[int | None, tuple[int, ...]]:
    if not groups:
        return balance.score(sum(cpus * cpus for cpus in left.values())), ()
    best: int | None = None
    noted: tuple[int, ...] = ()
    among = [node for node in nodes if left[node] >= group]
    for size in range(len(among), 0, -1):
        subsets = _Subsets(among, size, chooser)
        improved = False
        for chosen in subsets:
            if sum(left[node] for node in chosen) < groups * group:
                continue
            score = _score(left, chosen, groups, group, balance)
            if score is None:
                chooser.meet_endless(groups * group, group)
            elif best is None or score < best:
                best, improved = score, True
                subsets.keep()
        if improved:
            noted = subsets.noted
    return best, noted


def _score(left: Mapping[int, int], chosen: tuple[int, ...], groups: int, group: int, balance: Balance) -> int | None:
    distinct = list(dict.fromkeys(chosen))
    if len(distinct) == len(chosen):
        after = spend([left[node] for node in chosen], groups, group)
        if after is None:
            return None
        now = dict(zip(chosen, after, strict=True))
    else:
        now = {node: left[node] for node in distinct}
        while groups > 0:
            before = groups
            for node in chosen:
                if groups and now[node] >= group:
                    now[node] -= group
                    groups -= 1
            if groups == before:
                return None
    return balance.score(sum(cpus * cpus for cpus in {**left, **now}.values()))
