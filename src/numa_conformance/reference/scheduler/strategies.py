"""The three scoring strategies: the score of one resource, in the integer arithmetic of the plugin."""

from collections.abc import Callable
from fractions import Fraction

from ...kube import ScoringStrategy, ShapePoint
from ...sources.quirks.scheduler import SchedulerQuirks

MAX_SCORE = 100
RATIO = "RequestedToCapacityRatio"
ResourceScore = Callable[[int, int], int]
"""(requested, capacity) to a score from 0 to 100; capacity is positive."""

Segment = tuple["ShapePoint | None", ShapePoint]
"""The points of a shape around a utilization; the first is None where the second alone decides."""


def resource_score(strategy: ScoringStrategy, quirks: SchedulerQuirks) -> ResourceScore:
    """Return the function that scores one resource. With ``ratio-scores-to-100`` off a ratio scores from 0 to 10."""
    if strategy.type == RATIO:
        return _requested_to_capacity_ratio(strategy.shape, quirks)
    return _most_allocated if strategy.type == "MostAllocated" else _least_allocated


def _least_allocated(requested: int, capacity: int) -> int:
    """Score what is left, rounded down; nothing when more is requested than there is (SCH-LEAST-01)."""
    return 0 if requested > capacity else (capacity - requested) * MAX_SCORE // capacity


def _most_allocated(requested: int, capacity: int) -> int:
    """Score what is taken, rounded down; more than all counts as all (SCH-MOST-01)."""
    return min(requested, capacity) * MAX_SCORE // capacity


def _requested_to_capacity_ratio(shape: tuple[ShapePoint, ...], quirks: SchedulerQuirks) -> ResourceScore:
    """Return the function of the shape: linear between its points (SCH-RTCR-01..04)."""
    scale = 10 if quirks.ratio_scores_to_100 else 1

    def score(requested: int, capacity: int) -> int:
        taken = min(requested, capacity) * MAX_SCORE
        utilization = taken // capacity if quirks.ratio_cuts_utilization else Fraction(taken, capacity)
        before, at = segment_of(shape, utilization)
        if before is None:
            return at.score * scale
        rise = (at.score - before.score) * scale * (utilization - before.utilization)
        return before.score * scale + _toward_zero(rise, at.utilization - before.utilization)

    return score


def segment_of(shape: tuple[ShapePoint, ...], utilization: int | Fraction) -> Segment:
    """Return the points around a utilization in percent (SCH-RTCR-03)."""
    before = None
    for point in shape:
        if utilization <= point.utilization:
            return before, point
        before = point
    return None, shape[-1]


def _toward_zero(numerator: int | Fraction, denominator: int) -> int:
    """Divide as the plugin's integers do: a falling slope is cut toward zero (SCH-RTCR-04)."""
    whole: int = abs(numerator) // denominator  # type: ignore[operator, unused-ignore]
    return whole if numerator >= 0 else -whole
