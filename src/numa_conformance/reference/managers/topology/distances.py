"""``prefer-closest-numa-nodes``: of sets of one size the one whose NUMA nodes lie closest to each other (TOPO-DIST)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, product

from ....cpuset import iter_bits
from ....errors import Fault, KubeletCrashes, UsageError
from ..hint import Hint
from .merge import Axis, Fitness, bound_of, size_rank

Distances = Sequence[Sequence[int]]
MOST_COMBINATIONS = 1_000_000


def closer(numa_ids: Sequence[int], distances: Distances) -> Fitness:
    """Order masks of one size by average distance over all ordered pairs, self included (TOPO-DIST-01..03)."""
    place_of = {node: place for place, node in enumerate(numa_ids)}
    return _by_average(lambda node, other: distances[place_of[node]][place_of[other]])


def closer_by_id(numa_ids: Sequence[int], distances: Distances) -> Fitness:
    """Order masks as the kubelet does: it takes a node's id for its column (quirk ``distances-by-node-id``).

    Masks with a node that has no such column come last: the kubelet crashes before it can choose one for its distance.
    """
    place_of = {node: place for place, node in enumerate(numa_ids)}

    def distance(node: int, other: int) -> float:
        return distances[place_of[node]][other] if other < len(numa_ids) else float("inf")

    return _by_average(distance)


def _by_average(distance: Callable[[int, int], float]) -> Fitness:
    known: dict[int, tuple[float, ...]] = {}

    def key(mask: int) -> tuple[float, ...]:
        fitness = known.get(mask)
        if fitness is None:
            nodes = list(iter_bits(mask))
            total = sum(distance(node, other) for node in nodes for other in nodes)
            fitness = known[mask] = (total / len(nodes) ** 2, mask)
        return fitness

    return key


def fold_axes(axes: Sequence[Axis], everything: int, fitness: Fitness, unreadable: int) -> Hint:
    """Merge combination by combination, as the kubelet does, to find out whether it crashes (TOPO-DIST-04).

    Averages are taken when two different masks of one size meet. Raises ``KubeletCrashes`` when one has a node of
    ``unreadable``, and ``UsageError`` where there are more combinations than can be looked at.
    """
    bound = bound_of(axes)
    best: Hint | None = None
    for combination in _combinations(axes):
        masks = {hint.mask for hint in combination if hint.mask is not None}
        merged = everything
        for mask in masks:
            merged &= mask
        if not merged:
            continue
        candidate = Hint(merged, all(hint.preferred for hint in combination) and len(masks) < 2)
        best = candidate if best is None else _fitter(best, candidate, bound, fitness, unreadable)
    return best or Hint(everything, False)


def _fitter(best: Hint, candidate: Hint, bound: int, fitness: Fitness, unreadable: int) -> Hint:
    if best.preferred != candidate.preferred:
        return best if best.preferred else candidate
    old, new = best.mask or 0, candidate.mask or 0
    if old.bit_count() != new.bit_count():
        if best.preferred:
            return min(best, candidate, key=lambda hint: (hint.mask or 0).bit_count())
        return candidate if size_rank(new, bound) < size_rank(old, bound) else best
    if old == new:
        return best
    if (old | new) & unreadable:
        node = next(iter_bits((old | new) & unreadable))
        raise KubeletCrashes("distances-by-node-id", f"the table of distances has no column {node}")
    return candidate if fitness(new) < fitness(old) else best


def _combinations(axes: Sequence[Axis]) -> Iterator[tuple[Hint, ...]]:
    """Yield one hint per axis, the last axis fastest."""
    listed: list[Iterable[Hint]] = [list(islice(axis, MOST_COMBINATIONS)) for axis in axes]
    for number, combination in enumerate(product(*listed)):
        if number == MOST_COMBINATIONS:
            raise UsageError(Fault("", "the hints have too many combinations", f"at most {MOST_COMBINATIONS}"))
        yield combination
