"""Mergers of hints that the page allows, judged by every small family of hints."""

from __future__ import annotations

from functools import cache
from itertools import product

import pytest

from numa_conformance.suite.generators.merges import merge_sweep
from planted import judged, mixed


def size(mask):
    return mask.bit_count()


class Merger:
    """Folds every combination of one hint of each provider; others change a step."""

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


@cache
def scenarios():
    return mixed(merge_sweep(lots=36))


@pytest.mark.parametrize(
    "legal",
    [Merger, LikesHighNodes, PrefersOverlaps, KeepsWideAffinities, NamesNoNodes, LooksAtTheFarthestPair],
)
def test_a_merger_that_obeys_the_page_passes(legal):
    verdicts = judged(scenarios(), legal())
    kinds = {one.requirement: one.violation for one in verdicts.broken}
    for recommended in ("takes-the-smallest-average", "takes-the-closer-unpreferred-set"):
        kinds.pop(f"topology-manager/prefer-closest-numa-nodes/{recommended}", None)
    assert not kinds
    assert len(verdicts.asked) == 13
