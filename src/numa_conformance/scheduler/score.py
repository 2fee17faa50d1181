"""Scoring one node for one pod (SCH-REQ, SCH-LEAST-02, SCH-MOST-02, SCH-RTCR-05..06)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..kube import Pod, Quantity, ResourceWeight, ScoringStrategy
from ..kube.resource_names import is_scalar
from .fit import insufficient
from .inputs import Amounts, add_up, amount_of, filter_amounts, scoring_amount
from .strategies import ResourceScore, least_allocated, most_allocated, requested_to_capacity_ratio

__all__ = ["ResourceStep", "ScoreResult", "Scorer", "score_node"]

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


class Scorer:
    """Scores nodes by one strategy from amounts that are already added up."""

    def __init__(self, strategy: ScoringStrategy) -> None:
        """Take the strategy."""
        self._resources = strategy.resources
        self._names = tuple(dict.fromkeys(resource.name for resource in strategy.resources))
        self._ratio = strategy.type == _RATIO
        self._function = _function(strategy)

    def counted(self, pod: Pod) -> dict[str, int]:
        """Return what a pod counts for each resource of the strategy, defaults included (SCH-REQ-02)."""
        return {name: scoring_amount(pod, name) for name in self._names}

    def steps(self, capacity: Amounts, used: Amounts, own: Amounts) -> list[ResourceStep]:
        """Return one step per resource; ``used`` and ``own`` are what the pods there and the pod in question count."""
        return [self._step(resource, capacity.get(resource.name, 0), used, own) for resource in self._resources]

    def _step(self, resource: ResourceWeight, available: int, used: Amounts, own: Amounts) -> ResourceStep:
        name, weight = resource.name, resource.weight
        if not available or (is_scalar(name) and own[name] == 0):
            return ResourceStep(name, own[name], available, 0, weight, counted=False)
        requested = own[name] + used.get(name, 0)
        value = self._function(requested, available)
        return ResourceStep(name, requested, available, value, weight, counted=value != 0 or not self._ratio)

    def mean(self, steps: Sequence[ResourceStep]) -> int:
        """Return the weighted mean: to the nearest for the ratio strategy, downward for the others."""
        weights = sum(step.weight for step in steps if step.counted)
        total = sum(step.score * step.weight for step in steps if step.counted)
        if not weights:
            return 0
        return (2 * total + weights) // (2 * weights) if self._ratio else total // weights


def score_node(
    strategy: ScoringStrategy, allocatable: Mapping[str, Quantity], pods: Sequence[Pod], pod: Pod
) -> ScoreResult:
    """Score a node with ``pods`` on it for ``pod``; the score is computed whether the pod fits or not."""
    capacity = {name: amount_of(name, quantity) for name, quantity in allocatable.items()}
    scorer = Scorer(strategy)
    used = add_up(map(scorer.counted, pods))
    steps = tuple(scorer.steps(capacity, used, scorer.counted(pod)))
    plain = add_up(map(filter_amounts, pods))
    return ScoreResult(
        score=scorer.mean(steps),
        steps=steps,
        insufficient=tuple(insufficient(capacity, plain, len(pods), filter_amounts(pod))),
    )


def _function(strategy: ScoringStrategy) -> ResourceScore:
    if strategy.type == _RATIO:
        return requested_to_capacity_ratio(strategy.shape)
    return most_allocated if strategy.type == "MostAllocated" else least_allocated
