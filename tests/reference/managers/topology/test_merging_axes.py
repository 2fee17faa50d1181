"""Merging axes of hints, below the policies: worked examples, and what many hints cost."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.reference.managers.compressed_hints import CompressedHints, subsets_by_size
from numa_conformance.reference.managers.hint import Hint
from numa_conformance.reference.managers.topology import axes_of
from numa_conformance.reference.managers.topology.merge import Axis, merge_axes


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


@given(st.integers(1, 5).flatmap(lambda nodes: st.tuples(_compressed_hints(nodes), st.integers(0, (1 << nodes) - 1))))
def test_the_best_hint_of_compressed_hints_is_the_best_of_its_list(case: tuple[CompressedHints, int]):
    compressed, within = case
    listed = [hint for hint in compressed if hint.mask is not None and hint.mask & within == within]
    best = min(listed, key=lambda hint: (not hint.preferred, (hint.mask or 0).bit_count(), hint.mask), default=None)
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
    assert merge_axes(axes, (1 << nodes) - 1) == expected


def test_three_dense_providers_on_sixteen_numa_nodes_end_quickly():
    nodes = range(16)
    axes = [
        tuple(Hint(mask, False) for mask in subsets_by_size(nodes) if mask.bit_count() >= size and mask & must)
        for size, must in ((3, 0x00FF), (4, 0x0FF0), (5, 0xF00F))
    ]
    began = time.process_time()
    result = merge_axes(axes, (1 << 16) - 1)
    assert time.process_time() - began < 10
    assert result.mask is not None
    assert (result.mask.bit_count(), result.preferred) == (5, False)


def test_answers_become_axes():
    answers = [None, {}, {"a": None, "b": []}, {"c": [Hint(1, True)]}]
    assert axes_of(answers) == [
        _axis((None, True)),
        _axis((None, True)),
        _axis((None, True)),
        _axis((None, False)),
        _axis((1, True)),
    ]
