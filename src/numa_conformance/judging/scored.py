"""``ScoredNode``: a node scored for a pod, and what the page's formula says about it."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from typing import Any

import msgspec

from ..wire.history.values import Number
from .pods import NOTHING, PodSpec

LEAST, MOST, RATIO = "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"
_NATIVE = ("cpu", "memory")
TOP = 10
"""The highest score of a shape."""


class WeightedResource(msgspec.Struct, frozen=True):
    """A resource that counts."""

    name: str
    weight: Number = 1


class WrittenPoint(msgspec.Struct, frozen=True):
    """A point of a shape: utilization in percent, score to 10."""

    utilization: Number
    score: Number


class Ratio(msgspec.Struct, frozen=True):
    """The shape of a scoring strategy."""

    shape: tuple[WrittenPoint, ...] | None = None


class WrittenStrategy(msgspec.Struct, frozen=True):
    """A scoring strategy as written."""

    type: str | None = None
    resources: tuple[WeightedResource, ...] | None = None
    ratio: Ratio | None = msgspec.field(default=None, name="requestedToCapacityRatio")


class Strategy(msgspec.Struct, frozen=True, dict=True):
    """A scoring strategy: resources with their weights, and the shape (utilization in percent, score to 10)."""

    kind: str
    weights: tuple[tuple[str, int], ...]
    shape: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, strategy: Mapping[str, Any]) -> "Strategy":
        """Read the JSON object: no resources are cpu and memory, no weight is 1. Raises ``ValueError``."""
        written = msgspec.convert(strategy, WrittenStrategy)
        listed = written.resources or [WeightedResource(name) for name in _NATIVE]
        shape = (written.ratio.shape if written.ratio else None) or ()
        return cls(
            written.type or LEAST,
            tuple((resource.name, resource.weight) for resource in listed),
            tuple((point.utilization, point.score) for point in shape),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The resources that count."""
        return tuple(name for name, _ in self.weights)

    @property
    def sound(self) -> bool:
        """Whether nothing in it may be refused."""
        rising = all(left[0] < right[0] for left, right in zip(self.shape, self.shape[1:], strict=False))
        inside = all(0 <= at <= 100 and 0 <= score <= TOP for at, score in self.shape)
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
        unit = top // TOP
        high = max(values) * unit
        return Fraction(floor(min(values)) * unit), Fraction(ceil(high)) if any(
            left[0] < utilization <= right[0] and left[1] > right[1]
            for left, right in zip(self.shape, self.shape[1:], strict=False)
        ) else high


class ScoredNode(msgspec.Struct, frozen=True, dict=True):
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
    insufficient: Sequence[str]
    refused: str | None
    top: int
    scores: Mapping[str, float] | None = None

    @property
    def configuration(self) -> str:
        """What sentences may hang on alone."""
        return self.strategy.kind

    def taken(self, resource: str) -> Fraction:
        """Return what the pods on the node request."""
        return NOTHING + sum(pod.scheduled(resource) for pod in self.used)

    def lacks(self, resource: str) -> bool:
        """Tell whether the pod asks for more than is left."""
        wanted = self.pod.scheduled(resource)
        return wanted > 0 and wanted > self.room.get(resource, NOTHING) - self.taken(resource)

    @cached_property
    def is_counted_alike(self) -> bool:
        """Whether all pages that say what a pod requests say the same of these."""
        return not any(pod.is_open(name) for pod in (*self.used, self.pod) for name in pod.resources)

    @property
    def has_wholes(self) -> bool:
        """Whether some of these have resources as a whole."""
        return any(pod.whole for pod in (*self.used, self.pod))

    @cached_property
    def utilization(self) -> Mapping[str, Fraction]:
        """What is requested with the pod on the node, in percent, of each resource that counts and the node has."""
        return {
            name: (self.taken(name) + self.pod.scheduled(name)) * 100 / self.room[name]
            for name in self.strategy.names
            if self.room.get(name)
        }

    @cached_property
    def is_decided(self) -> bool:
        """Whether the page's formula says what the score is: not for wholes, nor where too much is requested."""
        return self.is_reported and not self.has_wholes and max(self.utilization.values()) <= 100

    @cached_property
    def is_reported(self) -> bool:
        """Whether it is told what counts, for a pod that the node has room for.

        Left open: what a container counts that requests no cpu or memory, a resource that the node has not, an extended
        one that the pod does not request, and what ``PodSpec.is_open`` says.
        """
        names = self.strategy.names
        native = set(names).intersection(_NATIVE)
        pods = [(pod.level.requests.keys(), pod.containers) for pod in (*self.used, self.pod)]
        explicit = all(native <= level | each.requests.keys() for level, containers in pods for each in containers)
        requested = all(self.pod.scheduled(name) for name in names if is_extended(name))
        there = len(self.utilization) == len(names) and not any(map(self.lacks, names))
        return self.strategy.sound and explicit and requested and there and self.is_counted_alike

    @property
    def mean_utilization(self) -> Fraction:
        """The weighted mean of what is requested, in percent, where more than all counts as all."""
        return self.strategy.mean({name: min(value, Fraction(100)) for name, value in self.utilization.items()})

    def ratio_range(self) -> tuple[int, int]:
        """Return the lowest and the highest score by the shape, however its mean is made a whole number."""
        low, high = self._mean_range()
        return floor(low), ceil(high)

    def nearest_range(self) -> tuple[int, int]:
        """Return the same where the mean is the nearest whole number; of two as near either is."""
        low, high = self._mean_range()
        half = Fraction(1, 2)
        return ceil(low - half), floor(high + half)

    def _mean_range(self) -> tuple[Fraction, Fraction]:
        ranges = {name: self.strategy.raw_range(value, self.top) for name, value in self.utilization.items()}
        low = self.strategy.mean({name: low for name, (low, _) in ranges.items()})
        return low, self.strategy.mean({name: high for name, (_, high) in ranges.items()})


class ScorePair(msgspec.Struct, frozen=True):
    """Two nodes that were scored one after the other, of which it is told what counts, and their scores."""

    first: ScoredNode
    second: ScoredNode
    scores: tuple[int, int]

    @property
    def same_strategy(self) -> bool:
        """Whether both mean the same strategy, however it is written."""
        return self.first.strategy == self.second.strategy

    @property
    def same_node(self) -> bool:
        """Whether node and pods are the same."""
        left, right = self.first, self.second
        return left.room == right.room and left.used == right.used and left.pod == right.pod

    @property
    def same_requests(self) -> bool:
        """Whether strategy and node are the same, and what the pod and the pods on the node request."""
        left, right = self.first, self.second
        return (
            self.same_strategy
            and left.room == right.room
            and all(
                left.taken(name) == right.taken(name) and left.pod.scheduled(name) == right.pod.scheduled(name)
                for name in left.room
            )
        )

    def ordered(self) -> "ScorePair | None":
        """Return the less and the more utilized of two that differ: in no resource is it the other way round."""
        left, right = self.first.utilization, self.second.utilization
        if not self.same_strategy or left == right:
            return None
        if all(left[name] <= right[name] for name in left):
            return self
        swapped = ScorePair(self.second, self.first, self.scores[::-1])
        return swapped if all(left[name] >= right[name] for name in left) else None


class WholePair(msgspec.Struct, frozen=True):
    """A pair of which some pods have resources as a whole."""

    pair: ScorePair


def is_extended(resource: str) -> bool:
    """Tell extended resources, devices and huge pages from the resources that every node has."""
    return "/" in resource or resource.startswith("hugepages-")
