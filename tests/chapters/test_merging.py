"""Mergers of hints, right and wrong ones, judged by every small family of hints."""

from __future__ import annotations

from functools import cache
from itertools import product

import pytest

from numa_conformance.asking.generators.merges import merge_sweep
from planted import breaks, judged, mixed

MERGE = "topology-manager/merge/"


def size(mask):
    return mask.bit_count()


class Merger:
    """Folds every combination of one hint of each provider; others, legal and wrong ones, change a step."""

    def __call__(self, _scenario, params):
        self.policy, self.nodes = params["policy"], params["nodes"]
        self.all = sum(1 << node for node in self.nodes)
        self.table = params["distances"] if params["options"].get("prefer-closest-numa-nodes") == "true" else None
        if self.policy == "none":
            return {"nodes": None, "preferred": False, "admit": True}
        mask, preferred = self.best(self.axes(params["providers"]))
        named = None if mask is None else [node for node in self.nodes if mask >> node & 1]
        return {"nodes": named, "preferred": preferred, "admit": self.admits(mask, preferred)}

    def axes(self, providers):
        rows = []
        for provider in providers:
            for hints in (provider or {"": None}).values():
                rows.append(self.axis(hints))
        return rows

    def axis(self, hints):
        if hints is None:
            return [(None, True)]
        named = [(None if h["nodes"] is None else sum(1 << node for node in h["nodes"]), h["preferred"]) for h in hints]
        named = named or [(None, False)]
        if self.policy == "single-numa-node":
            return [(mask, good) for mask, good in named if good and (mask is None or size(mask) == 1)]
        return named

    def best(self, axes):
        combined = [self.combine(hints) for hints in product(*axes)]
        candidates = [(mask, good) for mask, good in combined if mask]
        if not candidates:
            return self.all, False
        return min(candidates, key=self.rank)

    def combine(self, hints):
        mask = self.all
        for nodes, _ in hints:
            mask &= self.all if nodes is None else nodes
        return mask, self.is_preferred(hints)

    def is_preferred(self, hints):
        return all(good for _, good in hints) and len({nodes for nodes, _ in hints if nodes is not None}) <= 1

    def rank(self, candidate):
        mask, good = candidate
        return (not good, size(mask), self.distance(mask), mask)

    def distance(self, mask):
        places = [place for place, node in enumerate(self.nodes) if mask >> node & 1]
        return sum(self.table[a][b] for a in places for b in places) if self.table else 0

    def admits(self, mask, preferred):
        return self.policy == "best-effort" or preferred


class LikesHighNodes(Merger):
    """Legal: another order among equals."""

    def rank(self, candidate):
        return (*super().rank(candidate)[:3], -candidate[0])


class PrefersOverlaps(Merger):
    """Legal: what preferred hints have in common is preferred, as the page of 1.18 may be read."""

    def is_preferred(self, hints):
        return all(good for _, good in hints)


class KeepsWideAffinities(Merger):
    """Legal: what is not preferred is as wide as can be; no page decides."""

    def rank(self, candidate):
        mask, good = candidate
        return super().rank(candidate) if good else (True, -size(mask), 0, mask)


class NamesNoNodes(Merger):
    """Legal: all NUMA nodes are none in particular."""

    def best(self, axes):
        mask, preferred = super().best(axes)
        return (None if mask == self.all and size(mask) > 1 else mask), preferred


class LooksAtTheFarthestPair(Merger):
    """Legal: distance is that of the two NUMA nodes farthest apart. The page names no measure."""

    def distance(self, mask):
        places = [place for place, node in enumerate(self.nodes) if mask >> node & 1]
        pairs = sorted((self.table[a][b] for a in places for b in places if a != b), reverse=True) if self.table else []
        return tuple(pairs)


class TakesTheLowestNumber(Merger):
    """Compares masks as numbers: {3} is wider than {0,1}."""

    def rank(self, candidate):
        mask, good = candidate
        return (not good, mask)


class LikesNarrowMoreThanPreferred(Merger):
    def rank(self, candidate):
        mask, good = candidate
        return (size(mask), not good, mask)


class TakesTheLast(Merger):
    def rank(self, candidate):
        return (not candidate[1],)


class StopsAtTheFirstPreferred(Merger):
    def best(self, axes):
        for hints in product(*axes):
            mask, good = self.combine(hints)
            if mask and good:
                return mask, good
        return super().best(axes)


class NeedsEqualMasksOfAll(Merger):
    """Takes no opinion for a set of its own: it agrees with none."""

    def is_preferred(self, hints):
        return all(good for _, good in hints) and len({nodes for nodes, _ in hints}) <= 1


class ForgetsImpossible(Merger):
    def axis(self, hints):
        return super().axis(hints or None)


class ForgetsAllButOneResource(Merger):
    def axes(self, providers):
        return [self.axis(next(iter((provider or {"": None}).values()))) for provider in providers]


class ForgetsTheLastProvider(Merger):
    def axes(self, providers):
        return super().axes(providers[:2])


class TakesNoOpinionForImpossible(Merger):
    def axis(self, hints):
        return super().axis([] if hints is None else hints)


class WantsOneNodeUnderRestricted(Merger):
    def admits(self, mask, preferred):
        return super().admits(mask, preferred) and (self.policy != "restricted" or size(mask) == 1)


class UnitesMasks(Merger):
    def combine(self, hints):
        named = [nodes for nodes, _ in hints if nodes is not None]
        mask = 0
        for nodes in named:
            mask |= nodes
        return (mask or self.all), self.is_preferred(hints)


class KnowsEightNodes(Merger):
    def combine(self, hints):
        mask, good = super().combine(hints)
        return mask & 255, good


class MergesBeforeSingleNodes(Merger):
    """Asks whether the merged affinity is one NUMA node, not whether each provider can have it."""

    def axis(self, hints):
        policy, self.policy = self.policy, ""
        kept = super().axis(hints)
        self.policy = policy
        return kept

    def is_preferred(self, hints):
        return all(good for _, good in hints)

    def admits(self, mask, preferred):
        return self.policy == "best-effort" or (preferred and (self.policy == "restricted" or size(mask) == 1))


class ForgetsDistancesOfWhatNobodyPrefers(Merger):
    def rank(self, candidate):
        mask, good = candidate
        return super().rank(candidate) if good else (True, size(mask), 0, mask)


class TakesTheFarthest(Merger):
    def distance(self, mask):
        return -super().distance(mask)


class LooksAtTheFirstRow(Merger):
    def distance(self, mask):
        return (
            sum(self.table[0][place] for place, node in enumerate(self.nodes) if mask >> node & 1) if self.table else 0
        )


class PutsDistanceBeforeWidth(Merger):
    def rank(self, candidate):
        mask, good = candidate
        return (not good, self.distance(mask) / size(mask) ** 2 if size(mask) > 1 else 99, size(mask), mask)


class CountsNodesFromOne(Merger):
    def __call__(self, scenario, params):
        answer = super().__call__(scenario, params)
        return {**answer, "nodes": answer["nodes"] and [node + 1 for node in answer["nodes"]]}


@cache
def scenarios():
    return mixed(merge_sweep(lots=36))


@pytest.mark.parametrize(
    "legal", [Merger, LikesHighNodes, PrefersOverlaps, KeepsWideAffinities, NamesNoNodes, LooksAtTheFarthestPair]
)
def test_a_merger_that_obeys_the_page_passes(legal):
    verdicts = judged(scenarios(), legal())
    kinds = {one.requirement: one.violation for one in verdicts.broken}
    for recommended in ("takes-the-smallest-average", "takes-the-closer-unpreferred-set"):
        kinds.pop(f"topology-manager/prefer-closest-numa-nodes/{recommended}", None)
    assert not kinds
    assert len(verdicts.tests) == 13


PLANTED = [
    (TakesTheLowestNumber, MERGE + "takes-the-narrowest-preferred-affinity"),
    (LikesNarrowMoreThanPreferred, MERGE + "takes-the-narrowest-preferred-affinity"),
    (TakesTheLast, MERGE + "takes-the-narrowest-preferred-affinity"),
    (StopsAtTheFirstPreferred, MERGE + "takes-the-narrowest-preferred-affinity"),
    (NeedsEqualMasksOfAll, MERGE + "takes-the-narrowest-preferred-affinity"),
    (ForgetsImpossible, MERGE + "says-what-is-not-preferred"),
    (ForgetsAllButOneResource, MERGE + "says-what-is-not-preferred"),
    (ForgetsTheLastProvider, MERGE + "restricted-admits-only-preferred"),
    (TakesNoOpinionForImpossible, MERGE + "restricted-admits-only-preferred"),
    (WantsOneNodeUnderRestricted, MERGE + "restricted-admits-only-preferred"),
    (UnitesMasks, MERGE + "combines-one-hint-of-each-provider"),
    (KnowsEightNodes, MERGE + "takes-the-narrowest-preferred-affinity"),
    (MergesBeforeSingleNodes, MERGE + "single-numa-node-admits-only-one-node"),
    (
        ForgetsDistancesOfWhatNobodyPrefers,
        "topology-manager/prefer-closest-numa-nodes/takes-the-closer-unpreferred-set",
    ),
    (TakesTheFarthest, "topology-manager/prefer-closest-numa-nodes/takes-the-closer-set"),
    (LooksAtTheFirstRow, "topology-manager/prefer-closest-numa-nodes/takes-the-closer-set"),
    (PutsDistanceBeforeWidth, MERGE + "takes-the-narrowest-preferred-affinity"),
    (LooksAtTheFarthestPair, "topology-manager/prefer-closest-numa-nodes/takes-the-smallest-average"),
    (CountsNodesFromOne, MERGE + "names-nodes-of-the-machine"),
]
"""Wrong ones, and a requirement that each breaks; mutants of ``tests/mutants`` do otherwise."""


@pytest.mark.parametrize(("wrong", "requirement"), PLANTED)
def test_a_merger_that_does_not_is_found_out(wrong, requirement):
    assert breaks(requirement, scenarios(), wrong())
