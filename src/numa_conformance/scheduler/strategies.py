"""The three scoring strategies: the score of one resource, in the integer arithmetic of the plugin."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..kube import ShapePoint

__all__ = ["MAX_SCORE", "ResourceScore", "least_allocated", "most_allocated", "requested_to_capacity_ratio"]

MAX_SCORE = 100
ResourceScore = Callable[[int, int], int]
"""(requested, capacity) to a score from 0 to 100; capacity is positive."""


def least_allocated(requested: int, capacity: int) -> int:
    """Score what is left, rounded down; nothing when more is requested than there is (SCH-LEAST-01)."""
    return 0 if requested > capacity else (capacity - requested) * MAX_SCORE // capacity


def most_allocated(requested: int, capacity: int) -> int:
    """Score what is taken, rounded down; more than all counts as all (SCH-MOST-01)."""
    return min(requested, capacity) * MAX_SCORE // capacity


def requested_to_capacity_ratio(shape: Sequence[ShapePoint]) -> ResourceScore:
    """Return the function of the shape: linear between points, their scores scaled from 10 to 100 (SCH-RTCR)."""
    points = [(point.utilization, point.score * 10) for point in shape]

    def score(requested: int, capacity: int) -> int:
        utilization = MAX_SCORE if requested > capacity else requested * MAX_SCORE // capacity
        for index, (at, value) in enumerate(points):
            if utilization <= at:
                if index == 0:
                    return value
                before, lower = points[index - 1]
                return lower + _toward_zero((value - lower) * (utilization - before), at - before)
        return points[-1][1]

    return score


def _toward_zero(numerator: int, denominator: int) -> int:
    """Divide as the plugin's integers do: a falling slope is cut toward zero (SCH-RTCR-04)."""
    whole = abs(numerator) // denominator
    return whole if numerator >= 0 else -whole
