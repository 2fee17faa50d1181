"""The search of nodes where those of one socket are preferred (CPU-DIST-18), without looking at every subset.

Nodes with equally many free CPUs in one socket are interchangeable. Of equal choices the kubelet meets the one with the
first nodes first. So a choice is a number of nodes for each amount of free CPUs. Sets across sockets count only where
no set in one socket will do.
"""

from collections.abc import Iterator, Sequence

from .search import NodeChoice, NodeSearch, ScoredSet, SetSearch


def can_choose_by_socket(free: Sequence[int], group: int) -> bool:
    """Tell whether the search applies: no node has CPUs beside whole groups, so that no remainder is endless."""
    return all(cpus % group == 0 for cpus in free)


def choose_nodes_by_socket(
    free: Sequence[int], sockets: Sequence[Sequence[int]], count: int, group: int, smallest: int, chooser: NodeSearch
) -> NodeChoice | None:
    """Choose among nodes with ``free`` CPUs as ``chooser.choose`` does; ``sockets`` are the positions in each of them.

    A share is what each of the nodes can give.
    """
    for size in range(smallest, min(-(-count // group), len(free)) + 1):
        for places, crosses in ((sockets, False), ([range(len(free))], True)):
            outcome = _best(free, places, count, group, size)
            if outcome is not None:
                return chooser.choice(*outcome, crosses=crosses)
    return None


def _best(
    free: Sequence[int], places: Sequence[Sequence[int]], count: int, group: int, size: int
) -> tuple[SetSearch, ScoredSet] | None:
    """Return the first set with the lowest score among those within one of the places, and the search it is of."""
    even = count // size // group * group
    by_share: dict[int, SetSearch] = {}
    best: tuple[SetSearch, ScoredSet] | None = None
    for inside in places:
        for nodes in _sets(free, inside, size):
            if sum(free[i] for i in nodes) < count:
                continue
            share = min(even, *(free[i] for i in nodes))
            search = by_share.get(share)
            if search is None:
                search = by_share[share] = SetSearch(free, count, group, size, share=share)
            outcome = search.evaluate(nodes)
            if best is None or (outcome.score, nodes) < (best[1].score, best[1].nodes):
                best = search, outcome
    return best


def _sets(free: Sequence[int], inside: Sequence[int], size: int) -> Iterator[tuple[int, ...]]:
    """Yield, for each way to take nodes by their free CPUs, the first set of ``size`` positions."""
    alike: dict[int, list[int]] = {}
    for position in inside:
        alike.setdefault(free[position], []).append(position)
    kinds = list(alike.values())

    def extend(kind: int, chosen: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        wanted = size - len(chosen)
        if wanted == 0:
            yield tuple(sorted(chosen))
        elif kind < len(kinds):
            for take in range(min(wanted, len(kinds[kind])) + 1):
                yield from extend(kind + 1, (*chosen, *kinds[kind][:take]))

    return extend(0, ())
