"""Merging the hints of providers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from numa_conformance.suite.questions import Questions
from numa_conformance.target import Client, wire

requirement = pytest.mark.requirement

Hints = Sequence[tuple[Sequence[int], bool]]
NODES = [0, 1, 2, 3]
DISTANCES = [[10, 12, 20, 20], [12, 10, 20, 20], [20, 20, 10, 11], [20, 20, 11, 10]]


class Merger(Questions):
    """Asks the target to merge hints."""

    def expect(self, policy: str, providers: Sequence[Hints | None], *, options: Any = None, **allowed: object) -> None:
        """Raise a finding unless the merged hint has these values."""
        __tracebackhide__ = True
        answers: list[dict[str, list[wire.HintValue] | None] | None] = [
            None if hints is None else {f"r{index}": [wire.HintValue(list(nodes), good) for nodes, good in hints]}
            for index, hints in enumerate(providers)
        ]
        merged = self.ask(wire.Merge(policy, options or {}, NODES, DISTANCES, answers))
        for name, value in allowed.items():
            got = getattr(merged, name)
            self.check(got == value, f"{policy}: {name} of the merge of {providers} is wrong", got, value)


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
