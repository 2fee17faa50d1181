"""``ScoredNode``: a node scored for a pod, and what the page's formula says about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from typing import Any

from ..history.history import History
from .pods import NOTHING, PodSpec
from .quantities import amounts

__all__ = ["LEAST", "MOST", "RATIO", "ScorePair", "ScoredNode", "Strategy", "is_extended", "scored"]

LEAST, MOST, RATIO = "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"
_NATIVE = ("cpu", "memory")
_TOP = 10
"""The highest score of a shape."""


@dataclass(frozen=True)
class Strategy:
    """A scoring strategy: resources with their weights, and the shape (utilization in percent, score to 10)."""

    kind: str
    weights: tuple[tuple[str, int], ...]
    shape: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, written: Mapping[str, Any]) -> Strategy:
        """Read the JSON object: no resources are cpu and memory, no weight is 1."""
        listed = written.get("resources") or [{"name": name} for name in _NATIVE]
        ratio = written.get("requestedToCapacityRatio") or {}
        return cls(
            written.get("type") or LEAST,
            tuple((resource["name"], resource.get("weight", 1)) for resource in listed),
            tuple((point["utilization"], point["score"]) for point in ratio.get("shape") or ()),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The resources that count."""
        return tuple(name for name, _ in self.weights)

    @property
    def sound(self) -> bool:
        """Whether nothing in it may be refused."""
        rising = all(left[0] < right[0] for left, right in zip(self.shape, self.shape[1:], strict=False))
        inside = all(0 <= at <= 100 and 0 <= score <= _TOP for at, score in self.shape)
        weighed = all(0 < weight <= 100 for _, weight in self.weights)
        return weighed and rising and inside and bool(self.shape) == (self.kind == RATIO)

    def mean(self, values: Mapping[str, Fraction]) -> Fraction:
        """Return the mean of values, weighted."""
        total = sum((values[name] * weight for name, weight in self.weights), NOTHING)
        return total / sum(weight for _, weight in self.weights)

    def raw(self, utilization: Fraction) -> Fraction:
        """Return the score of a resource to 10: linear between the points, constant outside."""
        before = self.shape[0]
        for point in self.shape:
            if utilization <= point[0]:
                if point is before or utilization == point[0]:
                    return Fraction(point[1])
                share = (utilization - before[0]) / (point[0] - before[0])
                return before[1] + share * (point[1] - before[1])
            before = point
        return Fraction(before[1])

    def raw_range(self, utilization: Fraction, top: int) -> tuple[Fraction, Fraction]:
        """Return the lowest and the highest score of a resource, to 10 or to 100.

        The page cuts scores to whole numbers from 0 to 10; utilization may be cut to whole percents, and what falls may
        be cut toward the point before.
        """
        values = self.raw(utilization), self.raw(Fraction(floor(utilization)))
        unit = top // _TOP
        high = max(values) * unit
        return Fraction(floor(min(values)) * unit), Fraction(ceil(high)) if self._falls(utilization) else high

    def _falls(self, utilization: Fraction) -> bool:
        return any(
            left[0] < utilization <= right[0] and left[1] > right[1]
            for left, right in zip(self.shape, self.shape[1:], strict=False)
        )


@dataclass(frozen=True)
class ScoredNode:
    """A node with ``used`` on it, scored for ``pod``.

    ``top``: 10 or 100, the scale on which the target scores by the strategy. ``refused``: why the strategy is refused;
    None where it is not. ``scores``: of each resource, where they are told.
    """

    written: Mapping[str, Any]
    strategy: Strategy
    room: Mapping[str, Fraction]
    used: tuple[PodSpec, ...]
    pod: PodSpec
    score: int | None
    insufficient: tuple[str, ...]
    refused: str | None
    top: int
    scores: Mapping[str, float] | None = None

    def taken(self, resource: str) -> Fraction:
        """Return what the pods on the node request."""
        return sum((pod.scheduled(resource) for pod in self.used), NOTHING)

    def lacks(self, resource: str) -> bool:
        """Tell whether the pod asks for more than is left."""
        wanted = self.pod.scheduled(resource)
        return wanted > 0 and wanted > self.room.get(resource, NOTHING) - self.taken(resource)

    @cached_property
    def utilization(self) -> Mapping[str, Fraction]:
        """What is requested with the pod on the node, in percent, of each resource that counts and the node has."""
        return {
            name: (self.taken(name) + self.pod.scheduled(name)) * 100 / self.room[name]
            for name in self.strategy.names
            if self.room.get(name)
        }

    @cached_property
    def told(self) -> bool:
        """Whether the page's formula says what counts.

        Left open: what a container counts that requests no cpu or memory, a resource that the node has not, an extended
        one that the pod does not request, and more requested than there is.
        """
        names = self.strategy.names
        explicit = all(
            name in container.requests
            for name in set(names).intersection(_NATIVE)
            for pod in (*self.used, self.pod)
            for container in pod.containers
        )
        asked = all(self.pod.scheduled(name) for name in names if is_extended(name))
        fits = len(self.utilization) == len(names) and max(self.utilization.values()) <= 100
        return self.strategy.sound and explicit and asked and fits

    def ratio_range(self) -> tuple[int, int]:
        """Return the lowest and the highest score by the shape."""
        ranges = {name: self.strategy.raw_range(value, self.top) for name, value in self.utilization.items()}
        low = self.strategy.mean({name: low for name, (low, _) in ranges.items()})
        high = self.strategy.mean({name: high for name, (_, high) in ranges.items()})
        return floor(low), ceil(high)


@dataclass(frozen=True, slots=True)
class ScorePair:
    """Two scores asked one after the other, both told by the page's formula."""

    first: ScoredNode
    second: ScoredNode

    @property
    def same_strategy(self) -> bool:
        """Whether both mean the same strategy, however it is written."""
        return self.first.strategy == self.second.strategy

    @property
    def same_node(self) -> bool:
        """Whether node and pods are the same."""
        left, right = self.first, self.second
        return left.room == right.room and left.used == right.used and left.pod == right.pod

    def ordered(self) -> tuple[ScoredNode, ScoredNode] | None:
        """Return the less and the more utilized of two that differ: in no resource is it the other way round."""
        left, right = self.first.utilization, self.second.utilization
        if not self.same_strategy or left == right:
            return None
        if all(left[name] <= right[name] for name in left):
            return self.first, self.second
        return (self.second, self.first) if all(left[name] >= right[name] for name in left) else None


def is_extended(resource: str) -> bool:
    """Tell extended resources, devices and huge pages from the resources that every node has."""
    return "/" in resource or resource.startswith("hugepages-")


def scored(history: History, number: int) -> Iterator[ScoredNode | ScorePair]:
    """Read one answer of the surface score, and pair it with the one before."""
    second = _scored(history, number)
    yield second
    before = history.steps[number - 1] if number else None
    if before is not None and before.method == "score" and before.answer is not None:
        first = _scored(history, number - 1)
        if first.told and second.told and first.score is not None and second.score is not None:
            yield ScorePair(first, second)


def _scored(history: History, number: int) -> ScoredNode:
    step = history.steps[number]
    params, answer = step.params, step.answer or {}
    refused = answer["message"] if answer.get("result") == "refused" else None
    return ScoredNode(
        params["strategy"],
        Strategy.of(params["strategy"]),
        amounts(params["allocatable"]),
        tuple(map(PodSpec.of, params["pods"])),
        PodSpec.of(params["pod"]),
        answer.get("score"),
        tuple(answer.get("insufficient") or ()),
        refused,
        _top(history, params["strategy"].get("type")),
        answer.get("scores"),
    )


def _top(history: History, kind: str | None) -> int:
    """Return the scale of a strategy's scores: some target scores to 10, as the page does, some to 100."""
    asked = (step for step in history.steps if step.method == "score" and step.params["strategy"].get("type") == kind)
    return 100 if any(((step.answer or {}).get("score") or 0) > _TOP for step in asked) else _TOP
