"""Merging provider hints without enumerating their cross product (rules TOPO-EQ-01, TOPO-EQ-02).

The kubelet folds a two-way choice over every combination of one hint per axis. The winner of that fold is the least
member of a total order, so only the *set* of reachable merged hints matters:

* preferred results have a closed form, linear in the number of hints (TOPO-EQ-02);
* otherwise the reachable masks are found axis by axis, and only as far as the order asks for them.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from ..compressed_hints import CompressedHints
from ..hint import Hint
from ..provider import Answer
from .reachable import Masks, best_reachable

Axis = tuple[Hint, ...] | CompressedHints
Fitness = Callable[[int], tuple[float, ...]]
"""Sort key of a mask among masks of one size; the least is the fittest (TOPO-MERGE-14)."""


class MergedHint(msgspec.Struct, frozen=True):
    """The result of a merge, and whether the policy admits the pod with it."""

    hint: Hint
    admit: bool


def narrower(mask: int) -> tuple[float, ...]:
    """Order masks of one size by their integer value (TOPO-HINT-03, TOPO-HINT-04)."""
    return (mask,)


_NO_OPINION: Axis = (Hint(None, True),)
_IMPOSSIBLE: Axis = (Hint(None, False),)


def axes_of(answers: Iterable[Answer]) -> list[Axis]:
    """Turn provider answers into one axis of hints per resource (TOPO-PROV-02..05)."""
    return list(each_axis(answers))


def each_axis(answers: Iterable[Answer]) -> Iterator[Axis]:
    """Yield the same one by one, for who may not need them all."""
    for answer in answers:
        if not answer:
            yield _NO_OPINION
            continue
        for hints in answer.values():
            if hints is None:
                yield _NO_OPINION
            elif isinstance(hints, CompressedHints):
                yield hints
            else:
                yield tuple(hints) if hints else _IMPOSSIBLE


def single_node_axis(axis: Axis) -> Axis:
    """Keep the preferred hints of one node or of any node (TOPO-POL-05)."""
    if isinstance(axis, CompressedHints):
        return tuple(Hint(mask, True) for mask in sorted(axis.preferred) if mask.bit_count() == 1)
    # Most hints are not preferred: they are dropped by position, without a name looked up.
    preferred = [hint for hint in axis if hint[1]]
    return tuple([hint for hint in preferred if hint.mask is None or hint.mask.bit_count() == 1])


def merge_axes(axes: Sequence[Axis], everything: int, fitness: Fitness = narrower) -> Hint:
    """Return the kubelet's merged hint for these axes; ``everything`` is the mask of all NUMA nodes."""
    if any(isinstance(axis, tuple) and not axis for axis in axes):
        return Hint(everything, False)
    if preferred := preferred_masks(axes, everything):
        return Hint(min(preferred, key=lambda mask: (mask.bit_count(), *fitness(mask))), True)
    bound = bound_of(axes)
    mask = best_reachable(
        [_masks(axis, everything) for axis in axes],
        everything,
        lambda mask: (*size_rank(mask, bound), *fitness(mask)),
        bound,
        by_id=fitness is narrower,
    )
    return Hint(mask or everything, False)


def _masks(axis: Axis, everything: int) -> tuple[Masks, ...]:
    if isinstance(axis, CompressedHints):
        return Masks(frozenset(axis.base), axis.free), Masks(frozenset(axis.fixed))
    return (Masks(frozenset(everything if hint.mask is None else hint.mask for hint in axis)),)


def preferred_masks(axes: Sequence[Axis], everything: int) -> set[int]:
    """Return every preferred result: masks that all axes prefer, or leave open (TOPO-MERGE-03..05)."""
    common: set[int] | None = None
    in_open_axes: set[int] = {everything}
    for axis in axes:
        masks, is_open = _preferred_of(axis)
        if is_open:
            in_open_axes |= masks
        elif not masks:
            return set()
        else:
            common = masks if common is None else common & masks
    return {mask & everything for mask in (in_open_axes if common is None else common)} - {0}


def _preferred_of(axis: Axis) -> tuple[set[int], bool]:
    """Return the masks that an axis prefers, and whether it also prefers any node at all."""
    if isinstance(axis, CompressedHints):
        return set(axis.preferred), False
    masks = {hint.mask for hint in axis if hint.preferred}
    return {mask for mask in masks if mask is not None}, None in masks


def bound_of(axes: Sequence[Axis]) -> int:
    """Return the size that the neediest axis needs at least (TOPO-MERGE-06)."""
    bound = 0
    for axis in axes:
        if isinstance(axis, CompressedHints):
            bound = max(bound, axis.smallest)
            continue
        bound = max(bound, min((hint.mask.bit_count() for hint in axis if hint.mask is not None), default=0))
    return bound


def size_rank(mask: int, bound: int) -> tuple[int, int]:
    """Order non-preferred results: exactly the bound, then below it from the top, then above (TOPO-MERGE-11, -12)."""
    size = mask.bit_count()
    if size == bound:
        return (0, 0)
    return (1, -size) if size < bound else (2, size)
