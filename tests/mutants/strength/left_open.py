"""What the pages leave open where two histories differ, as far as a rule can tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numa_conformance.asking.generators.merges import CLOSEST
from numa_conformance.comparing.differing import differing
from numa_conformance.wire.history.history import History

_WORDS = ("message", "stage")
_HINTS = ("providers", "hints", "pod_hints")
"""What a manager hints, preferred or not: it names NUMA nodes that can satisfy the request (KEP-693)."""


def leaves_open(history: History, before: History) -> bool:
    """Tell whether the pages leave open all in which two histories of the same questions differ.

    They do not say which manager refuses a start. Nor do they say, but by distance, which NUMA nodes are taken where
    nobody prefers any; how many is said (the minimum number). What follows in a node's life where a pod is aligned to
    others is not compared.
    """
    found = differing(history, before, ignored=["stage"])
    if found is None:
        return True
    if any(_goes_by_distance(step.params) for step in history.steps):
        return False
    for step, beside in zip(history.steps[found.step :], before.steps[found.step :], strict=False):
        if _decided(step.answer) != _decided(beside.answer):
            return _aligns_otherwise(step.answer or {}, beside.answer or {})
    return True


def _decided(answer: Any) -> Any:
    """Return an answer without words, and of NUMA nodes that are taken and not preferred how many; hints are whole."""
    if isinstance(answer, list):
        return list(map(_decided, answer))
    if not isinstance(answer, Mapping):
        return answer
    decided = {
        name: value if name in _HINTS else _decided(value) for name, value in answer.items() if name not in _WORDS
    }
    if answer.get("preferred") is False and answer.get("nodes"):
        decided["nodes"] = len(answer["nodes"])
    return decided


def _aligns_otherwise(answer: Mapping[str, Any], beside: Mapping[str, Any]) -> bool:
    """Tell whether all that differs of the first alignment that does is which NUMA nodes nobody prefers."""
    pairs = zip(answer.get("alignments") or (), beside.get("alignments") or (), strict=False)
    return next((_decided(first) == _decided(second) for first, second in pairs if first != second), False)


def _goes_by_distance(params: Mapping[str, Any]) -> bool:
    options = params.get("options") or (params.get("kubelet") or {}).get("topologyManagerPolicyOptions") or {}
    return options.get(CLOSEST) == "true"
