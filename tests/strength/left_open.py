"""What the pages leave open where two histories differ, as far as a rule can tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numa_conformance.suite.comparing.differing import differing
from numa_conformance.suite.generators.merges import CLOSEST
from numa_conformance.suite.history.history import History, Step


def leaves_open(history: History, before: History) -> bool:
    """Tell whether the pages leave open all in which two histories of the same questions differ.

    They do not say which manager refuses a start. Nor do they say, but by distance, which NUMA nodes are taken where
    nobody prefers any. What follows in a node's life where others are taken is not compared.
    """
    found = differing(history, before, ignored=["stage"])
    if found is None:
        return True
    if any(_goes_by_distance(step.params) for step in history.steps):
        return False
    pairs = zip(history.steps[found.step :], before.steps[found.step :], strict=False)
    if history.steps[found.step].method == "merge":
        return all(_is_unpreferred(*_answers(*pair)) for pair in pairs if pair[0].answer != pair[1].answer)
    alignments = zip(*(answer.get("alignments") or () for answer in _answers(*next(pairs))), strict=False)
    first, second = next((pair for pair in alignments if pair[0] != pair[1]), ({}, {}))
    same_hints = first.get("providers") == second.get("providers")
    return bool(first) and same_hints and _is_unpreferred(*({**one, **one["affinity"]} for one in (first, second)))


def _answers(*steps: Step) -> tuple[Mapping[str, Any], ...]:
    return tuple(step.answer or {} for step in steps)


def _is_unpreferred(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Tell whether neither affinity is preferred, and the pod is admitted with both or with none."""
    return one.get("preferred") is other.get("preferred") is False and one["admit"] == other["admit"]


def _goes_by_distance(params: Mapping[str, Any]) -> bool:
    options = params.get("options") or (params.get("kubelet") or {}).get("topologyManagerPolicyOptions") or {}
    return options.get(CLOSEST) == "true"
