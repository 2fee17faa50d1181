"""Merging the hints of providers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.protocol import Client
from numa_conformance.protocol.messages.merge import Merge, Merged
from numa_conformance.protocol.values import HintLists, HintValue
from numa_conformance.suite.examples.questions import Questions

pytestmark = pytest.mark.surfaces("merge")
requirement = pytest.mark.requirement

Hints = Sequence[tuple[Sequence[int], bool]]
NODES = [0, 1, 2, 3]
DISTANCES = [[10, 12, 20, 20], [12, 10, 20, 20], [20, 20, 10, 11], [20, 20, 11, 10]]
ANY_SET = st.sampled_from([nodes for size in (1, 2, 3, 4) for nodes in combinations(NODES, size)])
PAIRS = st.sampled_from(list(combinations(NODES, 2)))


class Merger(Questions):
    """Asks the target to merge hints."""

    def expect(self, policy: str, providers: Sequence[Hints | None], *, options: Any = None, **allowed: object) -> None:
        """Raise a finding unless the merged hint has these values."""
        __tracebackhide__ = True
        merged = self.merge(policy, providers, options)
        for name, value in allowed.items():
            got = getattr(merged, name)
            self.check(got == value, f"{policy}: {name} of the merge of {providers} is wrong", got, value)

    def merge(self, policy: str, providers: Sequence[Hints | None], options: Any = None) -> Merged:
        """Return the merged hint."""
        answers: list[HintLists | None] = [
            None if hints is None else {f"r{index}": [HintValue(list(nodes), good) for nodes, good in hints]}
            for index, hints in enumerate(providers)
        ]
        return self.ask(Merge(policy, options or {}, NODES, DISTANCES, answers))


@pytest.fixture
def merge(target: Client, requirements: tuple[str, ...]) -> Merger:
    return Merger(target, requirements)


@requirement("topology-manager/merge/takes-the-narrowest-preferred-affinity")
def test_the_narrowest_preferred_affinity_wins(merge: Merger) -> None:
    hints = [((0, 1), True), ((2,), True), ((0, 1, 2, 3), False)]
    merge.expect("best-effort", [hints, hints], nodes=[2], preferred=True, admit=True)


@requirement("topology-manager/merge/takes-the-narrowest-preferred-affinity")
def test_preferred_beats_narrower_not_preferred(merge: Merger) -> None:
    hints = [((0, 1), True), ((2,), False)]
    merge.expect("best-effort", [hints, hints], nodes=[0, 1], preferred=True)


@requirement("topology-manager/merge/takes-the-narrowest-preferred-affinity")
def test_a_provider_without_opinion_changes_nothing(merge: Merger) -> None:
    merge.expect("best-effort", [None, [((1,), True), ((0, 1), False)], None], nodes=[1], preferred=True)


@requirement("topology-manager/merge/restricted-admits-only-preferred")
def test_restricted_refuses_when_no_common_affinity_is_preferred(merge: Merger) -> None:
    merge.expect("restricted", [[((0,), True), ((0, 1), False)], [((1,), True), ((0, 1), False)]], admit=False)


@requirement("topology-manager/merge/restricted-admits-only-preferred")
def test_restricted_admits_a_common_preferred_affinity_of_two_nodes(merge: Merger) -> None:
    merge.expect("restricted", [[((0, 1), True)], [((0, 1), True), ((0, 1, 2, 3), False)]], nodes=[0, 1], admit=True)


@requirement("topology-manager/merge/restricted-admits-only-preferred")
def test_restricted_refuses_the_impossible(merge: Merger) -> None:
    merge.expect("restricted", [[], [((0,), True)]], admit=False)


@requirement("topology-manager/merge/single-numa-node-admits-only-one-node")
@pytest.mark.parametrize(
    ("providers", "admitted"),
    [
        ([[((0,), True)], [((0,), True), ((1,), True)]], True),
        ([[((0,), True)], None], True),
        ([[((0,), True)], [((1,), True)]], False),
        ([[((0, 1), True)], [((0, 1), True)]], False),
        ([[((0,), False)], [((0,), True)]], False),
        ([[], [((0,), True)]], False),
    ],
    ids=["common", "no-opinion", "different", "two-nodes", "not-preferred", "impossible"],
)
def test_single_numa_node_needs_one_common_node(merge: Merger, providers: list[Hints | None], admitted: bool) -> None:
    merge.expect("single-numa-node", providers, admit=admitted)


@requirement("topology-manager/best-effort/admits-unaligned-pods")
def test_best_effort_admits_every_merge(merge: Merger) -> None:
    merge.expect("best-effort", [[((0,), True)], [((1,), True)]], admit=True)
    merge.expect("best-effort", [[], [((0,), True)]], admit=True)


@requirement("topology-manager/prefer-closest-numa-nodes/takes-the-closer-set")
def test_the_closer_pair_wins(merge: Merger) -> None:
    hints = [((0, 1), True), ((0, 2), True), ((2, 3), True)]
    closest = {"prefer-closest-numa-nodes": "true"}
    merge.expect("best-effort", [hints, None], options=closest, nodes=[2, 3], preferred=True)


@requirement(
    "topology-manager/prefer-closest-numa-nodes/takes-the-closer-set",
    "topology-manager/merge/takes-the-narrowest-preferred-affinity",
)
@given(pairs=st.lists(PAIRS, min_size=1, max_size=4, unique=True), wide=st.booleans())
def test_of_the_narrowest_the_closest_wins(merge: Merger, pairs: list[tuple[int, int]], wide: bool) -> None:
    hints: list[tuple[Sequence[int], bool]] = [(pair, True) for pair in pairs]
    closest = {"prefer-closest-numa-nodes": "true"}
    merged = merge.merge("restricted", [[*hints, ((0, 1, 2), True)] if wide else hints, None], closest)
    least = min(DISTANCES[one][other] for one, other in pairs)
    allowed = [list(pair) for pair in pairs if DISTANCES[pair[0]][pair[1]] == least]
    merge.check(merged.nodes in allowed, "farther NUMA nodes are taken", merged.nodes, allowed)


@requirement(
    "topology-manager/merge/takes-the-narrowest-preferred-affinity",
    "topology-manager/merge/restricted-admits-only-preferred",
)
@given(
    agreed=st.lists(ANY_SET, min_size=1, max_size=2, unique=True),
    more=st.lists(st.lists(ANY_SET, max_size=3, unique=True), min_size=1, max_size=3),
)
def test_what_all_prefer_is_taken_as_narrow_as_it_goes(
    merge: Merger, agreed: list[tuple[int, ...]], more: list[list[tuple[int, ...]]]
) -> None:
    providers: list[Hints | None] = [
        [(nodes, nodes in agreed) for nodes in dict.fromkeys([*rest, *agreed])] for rest in more
    ]
    merged = merge.merge("restricted", providers)
    merge.check(merged.admit and merged.preferred, "what every provider prefers is not taken", merged, "preferred")
    narrowest = min(map(len, agreed))
    nodes = merged.nodes or []
    merge.check(len(nodes) <= narrowest, "a wider affinity is taken", nodes, f"{narrowest} NUMA nodes")
    among = [list(one) for one in agreed if set(nodes) <= set(one)]
    merge.check(nodes and among, "the affinity is none that all prefer", nodes, [list(one) for one in agreed])


@requirement("topology-manager/merge/single-numa-node-admits-only-one-node")
@given(singles=st.lists(st.sets(st.sampled_from(NODES), min_size=1), min_size=1, max_size=3), wide=st.booleans())
def test_single_numa_node_admits_just_what_all_prefer_on_one(
    merge: Merger, singles: list[set[int]], wide: bool
) -> None:
    more: list[tuple[Sequence[int], bool]] = [(NODES, False)] if wide else []
    providers: list[Hints | None] = [[*(((one,), True) for one in sorted(nodes)), *more] for nodes in singles]
    common = set(NODES).intersection(*singles)
    merged = merge.merge("single-numa-node", providers)
    merge.check(merged.admit == bool(common), "admitted or not, it is wrong", merged.admit, bool(common))
    if common:
        allowed = [[one] for one in sorted(common)]
        merge.check(merged.nodes in allowed, "the NUMA node is none that all prefer", merged.nodes, allowed)
