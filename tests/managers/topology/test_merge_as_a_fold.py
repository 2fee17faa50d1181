"""The merge against a brute force over the cross product, written from the rules and not from our order."""

import functools
import itertools
import time
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.documentation.options import TopologyOptions
from numa_conformance.documentation.quirks.topology import TopologyQuirks
from numa_conformance.managers.compressed_hints import CompressedHints, subsets_by_size
from numa_conformance.managers.hint import Hint
from numa_conformance.managers.topology import axes_of, policy_of
from numa_conformance.managers.topology.merge import Axis, merge_axes, narrower
from numa_conformance.managers.topology.policy import closer

Distances = list[list[int]]


def _fitter(one: int, other: int, distances: Distances | None) -> int:
    """TOPO-MERGE-14: fewer nodes, then (with distances) nearer on average, then the lower number."""
    if one.bit_count() != other.bit_count():
        return one if one.bit_count() < other.bit_count() else other
    if distances is not None:
        near, far = _average(one, distances), _average(other, distances)
        if near != far:
            return one if near < far else other
    return min(one, other)


def _average(mask: int, distances: Distances) -> float:
    nodes = [node for node in range(len(distances)) if mask >> node & 1]
    return sum(distances[one][other] for one in nodes for other in nodes) / len(nodes) ** 2


def _choose(current: Hint, candidate: Hint, bound: int, distances: Distances | None) -> Hint:
    """TOPO-MERGE-09..13: keep the current result or take the candidate."""
    assert current.mask is not None
    assert candidate.mask is not None
    if current.preferred != candidate.preferred:
        return current if current.preferred else candidate
    fit = Hint(_fitter(current.mask, candidate.mask, distances), current.preferred)
    if current.preferred:
        return fit
    size, other = current.mask.bit_count(), candidate.mask.bit_count()
    if size > bound:
        return fit
    if size == bound:
        return fit if other == bound else current
    if other == bound:
        return candidate
    if other > bound:
        return current
    if size == other:
        return fit
    return candidate if other > size else current


def _brute_force(axes: Sequence[Sequence[Hint]], everything: int, distances: Distances | None) -> Hint:
    sizes = [[hint.mask.bit_count() for hint in axis if hint.mask is not None] for axis in axes]
    bound = max((min(found) for found in sizes if found), default=0)
    results = []
    for element in itertools.product(*axes):
        masks = [hint.mask for hint in element if hint.mask is not None]
        merged = functools.reduce(int.__and__, masks, everything)
        same = all(mask == masks[0] for mask in masks)
        if merged:
            results.append(Hint(merged, same and all(hint.preferred for hint in element)))
    if not results:
        return Hint(everything, False)
    return functools.reduce(lambda one, other: _choose(one, other, bound, distances), results)


@st.composite
def _distances(draw: st.DrawFn, nodes: int) -> Distances | None:
    if draw(st.booleans()):
        return None
    far = st.sampled_from([11, 12, 20, 32])
    return [[10 if one == other else draw(far) for other in range(nodes)] for one in range(nodes)]


@st.composite
def _cases(draw: st.DrawFn) -> tuple[int, list[tuple[Hint, ...]], Distances | None]:
    nodes = draw(st.integers(1, 5))
    masks = st.one_of(st.none(), st.integers(1, (1 << nodes + 1) - 1), st.integers(1, (1 << nodes) - 1))
    hints = st.builds(Hint, masks, st.booleans())
    axes = draw(st.lists(st.lists(hints, max_size=5).map(tuple), max_size=4))
    return nodes, axes, draw(_distances(nodes))


def _merge(axes: Sequence[Axis], nodes: int, distances: Distances | None) -> Hint:
    inside = range(nodes)
    fitness = narrower if distances is None else closer(inside, distances)
    return merge_axes(axes, (1 << nodes) - 1, fitness)


@given(_cases())
def test_the_merge_is_that_of_the_cross_product(case: tuple[int, list[tuple[Hint, ...]], Distances | None]):
    nodes, axes, distances = case
    assert _merge(axes, nodes, distances) == _brute_force(axes, (1 << nodes) - 1, distances)


@given(_cases(), st.randoms(use_true_random=False))
def test_no_order_matters(case: tuple[int, list[tuple[Hint, ...]], Distances | None], random):
    nodes, axes, distances = case
    shuffled = [tuple(random.sample(axis, len(axis))) for axis in random.sample(axes, len(axes))]
    assert _merge(shuffled, nodes, distances) == _merge(axes, nodes, distances)


@st.composite
def _compressed_hints(draw: st.DrawFn, nodes: int) -> CompressedHints:
    """Build compressed hints as providers do: amounts per node, some in use; nodes with nothing are free."""
    held = [draw(st.integers(0, 2)) for _ in range(nodes)]
    left = [draw(st.integers(0, amount)) for amount in held]
    asked = draw(st.integers(0, max(sum(left), 1)))
    closed = draw(st.sets(st.integers(1, (1 << nodes) - 1), max_size=2))
    relevant = [node for node in range(nodes) if held[node]]
    free = [node for node in range(nodes) if not held[node]]

    def amount(of: list[int], mask: int) -> int:
        return sum(of[node] for node in range(nodes) if mask >> node & 1)

    compressed = CompressedHints.build(
        relevant,
        free,
        lambda mask: amount(held, mask) >= asked,
        lambda mask: amount(left, mask) >= asked,
        lambda mask: mask not in closed,
    )
    return (
        compressed
        if compressed is not None
        else CompressedHints((0,), (1 << nodes) - 1, frozenset(1 << node for node in range(nodes)), 1)
    )


@st.composite
def _mixed_axes(draw: st.DrawFn) -> tuple[int, list[Axis], Distances | None]:
    nodes = draw(st.integers(1, 5))
    explicit = st.lists(st.builds(Hint, st.integers(1, (1 << nodes) - 1), st.booleans()), min_size=1, max_size=4)
    axes = st.lists(
        st.one_of(_compressed_hints(nodes), _compressed_hints(nodes), explicit.map(tuple)), min_size=1, max_size=3
    )
    return nodes, draw(axes), draw(_distances(nodes))


@given(_mixed_axes())
def test_a_family_stands_for_the_list_of_its_hints(case: tuple[int, list[Axis], Distances | None]):
    nodes, axes, distances = case
    listed = [tuple(axis) for axis in axes]
    assert _merge(axes, nodes, distances) == _merge(listed, nodes, distances)


@given(st.integers(1, 5).flatmap(lambda nodes: st.tuples(_compressed_hints(nodes), st.integers(0, (1 << nodes) - 1))))
def test_the_best_hint_of_compressed_hints_is_the_best_of_its_list(case: tuple[CompressedHints, int]):
    compressed, within = case
    listed = [hint for hint in compressed if hint.mask is not None and hint.mask & within == within]
    best = min(listed, key=lambda one: (not one.preferred, (one.mask or 0).bit_count(), one.mask), default=None)
    assert compressed.best_containing(within) == (best or Hint(None, False))


def _axis(*hints: tuple[int | None, bool]) -> tuple[Hint, ...]:
    return tuple(Hint(mask, preferred) for mask, preferred in hints)


@pytest.mark.parametrize(
    ("axes", "nodes", "expected"),
    [
        ([_axis((1, True), (2, True), (3, False)), _axis((3, True))], 2, Hint(3, False)),
        ([_axis((3, True), (12, True)), _axis((12, True), (15, False))], 4, Hint(12, True)),
        ([_axis((7, True)), _axis((14, True)), _axis((11, False))], 4, Hint(2, False)),
        ([_axis((None, False)), _axis((1, True))], 2, Hint(1, False)),
        ([], 2, Hint(3, True)),
        ([(), _axis((1, True))], 2, Hint(3, False)),
        ([_axis((4, True))], 2, Hint(3, False)),
        ([_axis((6, True), (9, True))], 4, Hint(6, True)),
    ],
)
def test_worked_examples(axes: list[Axis], nodes: int, expected: Hint):
    assert _merge(axes, nodes, None) == expected


def test_the_nearest_of_equally_small_masks_wins_when_asked():
    distances = [[10, 12, 20, 20], [12, 10, 20, 20], [20, 20, 10, 11], [20, 20, 11, 10]]
    axes = [_axis((3, True), (12, True))]
    assert _merge(axes, 4, distances) == Hint(12, True)
    assert _merge(axes, 4, None) == Hint(3, True)


def test_three_dense_providers_on_sixteen_numa_nodes_end_quickly():
    nodes = range(16)
    axes = [
        tuple(Hint(mask, False) for mask in subsets_by_size(nodes) if mask.bit_count() >= size and mask & must)
        for size, must in ((3, 0x00FF), (4, 0x0FF0), (5, 0xF00F))
    ]
    began = time.monotonic()
    result = merge_axes(axes, (1 << 16) - 1)
    assert time.monotonic() - began < 10
    assert result.mask is not None
    assert (result.mask.bit_count(), result.preferred) == (5, False)


def test_compressed_hints_on_thirty_six_numa_nodes_end_quickly():
    def compressed(nodes: range, asked: int) -> CompressedHints:
        others = [node for node in range(36) if node not in nodes]

        def holds(mask: int) -> bool:
            return mask.bit_count() >= asked

        found = CompressedHints.build(nodes, others, holds, holds)
        assert found is not None
        return found

    began = time.monotonic()
    result = merge_axes([compressed(range(8), 3), compressed(range(4, 12), 2), compressed(range(2), 1)], (1 << 36) - 1)
    assert time.monotonic() - began < 10
    assert not result.preferred
    assert result.mask is not None
    assert result.mask.bit_count() == 3


@given(_cases(), st.sampled_from(["best-effort", "restricted", "single-numa-node"]))
def test_policies_admit_as_they_say(case: tuple[int, list[tuple[Hint, ...]], Distances | None], name: str):
    nodes, axes, distances = case
    options = TopologyOptions(prefer_closest_numa_nodes=distances is not None)
    policy = policy_of(name, "container", options, range(nodes), distances, TopologyQuirks())
    merged = policy.merge([{str(index): list(axis) for index, axis in enumerate(axes)}])
    seen: list[Sequence[Hint]] = [axis or _axis((None, False)) for axis in axes] or [_axis((None, True))]
    if name == "single-numa-node":
        seen = [[one for one in axis if one.preferred and (one.mask or 1).bit_count() == 1] for axis in seen]
        distances = None
    expected = _brute_force(seen, policy.everything, distances)
    assert merged.admit == (expected.preferred or name == "best-effort")
    if name == "single-numa-node" and expected.mask == policy.everything:
        expected = Hint(None, expected.preferred)
    assert merged.hint == expected


def test_answers_become_axes():
    answers = [None, {}, {"a": None, "b": []}, {"c": [Hint(1, True)]}]
    assert axes_of(answers) == [
        _axis((None, True)),
        _axis((None, True)),
        _axis((None, True)),
        _axis((None, False)),
        _axis((1, True)),
    ]
