"""Scoring one node for one pod (SCH-REQ, SCH-LEAST-02, SCH-MOST-02, SCH-RTCR-05..06)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..kube import Pod, Quantity, ScoringStrategy
from ..kube.resource_names import is_scalar
from .fit import insufficient
from .inputs import amount_of, filter_amounts, scoring_amount, sum_amounts
from .strategies import ResourceScore, least_allocated, most_allocated, requested_to_capacity_ratio

__all__ = ["ResourceStep", "ScoreResult", "score_node"]

_RATIO = "RequestedToCapacityRatio"


@dataclass(frozen=True, slots=True)
class ResourceStep:
    """One resource of a score: amounts, its own score, its weight, and whether it counts at all."""

    name: str
    requested: int
    capacity: int
    score: int
    weight: int
    counted: bool


@dataclass(frozen=True, slots=True)
class ScoreResult:
    """The score from 0 to 100, the steps that lead to it, and what the pod lacks on the node."""

    score: int
    steps: tuple[ResourceStep, ...]
    insufficient: tuple[str, ...]


def score_node(
    strategy: ScoringStrategy, allocatable: Mapping[str, Quantity], pods: Sequence[Pod], pod: Pod
) -> ScoreResult:
    """Score a node with ``pods`` on it for ``pod``; the score is computed whether the pod fits or not."""
    capacity = {name: amount_of(name, quantity) for name, quantity in allocatable.items()}
    asked = filter_amounts(pod)
    steps = tuple(_steps(strategy, capacity, pods, pod))
    return ScoreResult(
        score=_node_score(strategy.type, steps),
        steps=steps,
        insufficient=tuple(insufficient(capacity, sum_amounts(pods), len(pods), asked)),
    )


def _steps(strategy: ScoringStrategy, capacity: Mapping[str, int], pods: Sequence[Pod], pod: Pod) -> list[ResourceStep]:
    function = _function(strategy)
    steps = []
    for resource in strategy.resources:
        name = resource.name
        own = scoring_amount(pod, name)
        available = capacity.get(name, 0)
        if not available or (is_scalar(name) and own == 0):
            steps.append(ResourceStep(name, own, available, 0, resource.weight, counted=False))
            continue
        requested = own + sum(scoring_amount(other, name) for other in pods)
        value = function(requested, available)
        counted = value != 0 or strategy.type != _RATIO
        steps.append(ResourceStep(name, requested, available, value, resource.weight, counted))
    return steps


def _function(strategy: ScoringStrategy) -> ResourceScore:
    if strategy.type == _RATIO:
        return requested_to_capacity_ratio(strategy.shape)
    return most_allocated if strategy.type == "MostAllocated" else least_allocated


def _node_score(kind: str, steps: Sequence[ResourceStep]) -> int:
    """Return the weighted mean: to the nearest for the ratio strategy, downward for the others."""
    weights = sum(step.weight for step in steps if step.counted)
    total = sum(step.score * step.weight for step in steps if step.counted)
    if not weights:
        return 0
    return (2 * total + weights) // (2 * weights) if kind == _RATIO else total // weights
