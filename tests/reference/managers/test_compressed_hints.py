"""Hints of machines with many NUMA nodes, held together instead of listed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.errors import UsageError
from numa_conformance.reference.managers.compressed_hints import CompressedHints, subsets_by_size
from numa_conformance.reference.managers.hint import Hint


def at_least(count: int):
    return lambda mask: mask.bit_count() >= count


def test_lists_hints_by_size_and_then_in_combination_order() -> None:
    compressed = CompressedHints.build([0, 2], [1], at_least(1), at_least(1))
    assert compressed is not None
    assert compressed.expand(6) == [
        Hint(0b001, True),
        Hint(0b100, True),
        Hint(0b011, False),
        Hint(0b101, False),
        Hint(0b110, False),
        Hint(0b111, False),
    ]


def test_there_is_no_family_when_nothing_fits() -> None:
    assert CompressedHints.build([0, 1], [2], at_least(1), at_least(3)) is None


def test_masks_in_use_admit_no_free_nodes() -> None:
    compressed = CompressedHints.build([0, 1], [2], at_least(1), at_least(1), lambda mask: not mask & 1)
    assert compressed is not None
    assert [hint.mask for hint in compressed] == [0b001, 0b010, 0b011, 0b110]


def test_what_needs_nothing_fits_on_any_single_node() -> None:
    compressed = CompressedHints.build([0], [1, 2], at_least(0), at_least(0))
    assert compressed is not None
    assert compressed.preferred == {1, 2, 4}
    assert len(compressed.expand(7)) == 7


def test_says_how_many_hints_are_too_many_to_list() -> None:
    compressed = CompressedHints.build([0, 1], range(2, 36), at_least(1), at_least(1))
    assert compressed is not None
    with pytest.raises(UsageError, match=f"{3 << 34} hints are too many to list"):
        compressed.expand(100_000)


def test_says_how_many_nodes_may_matter() -> None:
    with pytest.raises(UsageError, match="21 NUMA nodes take part in one request"):
        CompressedHints.build(range(21), [], at_least(1), at_least(1))


def test_masks_of_many_nodes_come_as_a_provider_lists_them() -> None:
    assert list(subsets_by_size([1, 3, 4])) == [0b10, 0b1000, 0b10000, 0b1010, 0b10010, 0b11000, 0b11010]


@given(st.data())
def test_a_preferred_mask_has_no_free_node_unless_nothing_is_needed(data: st.DataObject) -> None:
    relevant = sorted(data.draw(st.sets(st.integers(0, 6), max_size=4), label="relevant"))
    free = sorted(data.draw(st.sets(st.integers(0, 6)), label="free") - set(relevant))
    amounts = {node: data.draw(st.integers(0, 3)) for node in relevant}
    asked = data.draw(st.integers(1, 6), label="asked")

    def holds(mask: int) -> bool:
        return sum(amount for node, amount in amounts.items() if mask >> node & 1) >= asked

    compressed = CompressedHints.build(relevant, free, holds, holds)
    preferred = [] if compressed is None else [hint for hint in compressed if hint.preferred]
    assert (compressed is None) == (sum(amounts.values()) < asked)
    for hint in preferred:
        assert hint.mask is not None
        assert not any(hint.mask >> node & 1 for node in free)
        assert holds(hint.mask)
