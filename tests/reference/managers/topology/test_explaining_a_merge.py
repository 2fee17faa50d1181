"""The rule that decided a merge, in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.reference.managers.compressed_hints import CompressedHints
from numa_conformance.reference.managers.hint import Hint
from numa_conformance.reference.managers.topology import MergeExplanation, explain_merge, policy_of
from numa_conformance.sources.options import TopologyOptions
from numa_conformance.sources.quirks.areas import TopologyQuirks

DOCUMENTED = TopologyQuirks()
DISTANCES = [[10, 12, 20], [12, 10, 11], [20, 11, 10]]


def explain(answers, name: str = "best-effort", closest: bool = False, nodes: int = 3) -> MergeExplanation:
    return explain_merge(
        policy_of(
            name, "container", TopologyOptions(prefer_closest_numa_nodes=closest), range(nodes), DISTANCES, DOCUMENTED
        ),
        answers,
    )


def axis(*hints: tuple[int | None, bool]) -> list[Hint]:
    return [Hint(mask, preferred) for mask, preferred in hints]


@pytest.mark.parametrize(
    ("answers", "name", "rule"),
    [
        ([{"cpu": axis((1, True))}], "none", "policy none merges nothing"),
        ([None, {}, {"gpu": None}], "restricted", "no manager has an opinion"),
        ([{"cpu": axis((1, True), (3, False))}, None], "restricted", "the only set of NUMA nodes that all prefer"),
        (
            [{"cpu": axis((3, True), (5, True))}],
            "restricted",
            "of 2 sets of NUMA nodes that all prefer, the one of fewest nodes, then the lowest mask",
        ),
        (
            [{"cpu": axis((1, True))}, {"gpu": []}],
            "single-numa-node",
            "a resource has no preferred hint of one NUMA node",
        ),
        (
            [{"cpu": axis((1, True))}, {"gpu": axis((2, True))}],
            "single-numa-node",
            "no single NUMA node is preferred by all",
        ),
        (
            [{"cpu": axis((1, True))}, {"gpu": axis((2, True))}],
            "restricted",
            "no NUMA node is in some hint of every resource",
        ),
        (
            [{"cpu": axis((1, True), (3, False))}, {"gpu": axis((3, True))}],
            "restricted",
            "none is preferred by all; among overlaps of hints that span the 2 needed, the lowest mask",
        ),
        (
            [{"cpu": axis((3, True))}, {"gpu": axis((6, True))}],
            "restricted",
            "none is preferred by all; the widest overlap of hints below the 2 needed, then the lowest mask",
        ),
        (
            [{"cpu": axis((None, False))}],
            "best-effort",
            "none is preferred by all; the narrowest overlap of hints above the 0 needed, then the lowest mask",
        ),
    ],
)
def test_names_the_rule_that_decided(answers, name: str, rule: str) -> None:
    assert explain(answers, name).rule == rule


def test_names_the_distance_where_the_closest_nodes_are_preferred() -> None:
    told = explain([{"cpu": axis((3, True), (6, True))}], closest=True)
    assert told.hint == Hint(6, True)
    assert told.rule.endswith("then the one of least average distance")


def test_counts_the_candidates() -> None:
    masks = axis(*((1 << one | 1 << other, True) for one in range(8) for other in range(one)))
    told = explain([{"cpu": masks}], "restricted", nodes=8)
    assert told.rule.startswith("of 28 sets of NUMA nodes that all prefer")
    assert told.hint.mask == 3


def test_explains_compressed_hints_without_listing_them() -> None:
    compressed = CompressedHints.build([0, 1], range(2, 36), lambda mask: mask == 3, lambda mask: mask == 3)
    policy = policy_of("restricted", "pod", TopologyOptions(), range(36), None, DOCUMENTED)
    told = explain_merge(policy, [{"cpu": compressed}, {"gpu": axis((1, True), (3, False))}])
    assert told.hint == Hint(3, False)
    assert "that span the 2 needed" in told.rule


@given(st.lists(st.lists(st.tuples(st.none() | st.integers(1, 7), st.booleans()), max_size=4), max_size=3))
def test_explains_what_the_merge_decides(axes: list[list[tuple[int | None, bool]]]) -> None:
    answers = [{"r": axis(*hints)} for hints in axes]
    told = explain(answers)
    assert (
        told.hint == policy_of("best-effort", "pod", TopologyOptions(), range(3), None, DOCUMENTED).merge(answers).hint
    )
    assert told.rule.startswith(("none is preferred", "no NUMA node")) != told.hint.preferred
