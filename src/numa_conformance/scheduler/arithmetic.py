"""A score as a person would check it with pencil and paper: every step of kube-scheduler's integer arithmetic."""

from __future__ import annotations

from collections.abc import Sequence

from ..kube import ScoringStrategy
from .score import ResourceStep
from .strategies import RATIO, segment_of

__all__ = ["mean_text", "step_text"]


def step_text(strategy: ScoringStrategy, step: ResourceStep) -> str:
    """Return how one resource comes to its score: ``3000 * 100 / 8000 = 37 %``, then the shape."""
    if not step.capacity or (step.left_out and not step.own):
        return step.left_out
    text = _RULES[strategy.type](strategy, step)
    return f"{text}; left out: {step.left_out}" if step.left_out else text


def _least(strategy: ScoringStrategy, step: ResourceStep) -> str:
    if step.requested > step.capacity:
        return f"{step.requested} > {step.capacity}: 0"
    return f"({step.capacity} - {step.requested}) * 100 / {step.capacity} = {step.score}"


def _most(strategy: ScoringStrategy, step: ResourceStep) -> str:
    clamped = min(step.requested, step.capacity)
    return f"{clamped} * 100 / {step.capacity} = {step.score}"


def _ratio(strategy: ScoringStrategy, step: ResourceStep) -> str:
    clamped = min(step.requested, step.capacity)
    utilization = clamped * 100 // step.capacity
    before, at = segment_of(strategy.shape, utilization)
    taken = f"{clamped} * 100 / {step.capacity} = {utilization} %"
    if before is None:
        return f"{taken}; {at.score} * 10 = {step.score}"
    low, high = before.score * 10, at.score * 10
    slope = f"({high} - {low}) * ({utilization} - {before.utilization}) / ({at.utilization} - {before.utilization})"
    return f"{taken}; {low} + {slope} = {step.score}"


_RULES = {"LeastAllocated": _least, "MostAllocated": _most, RATIO: _ratio}


def mean_text(strategy: ScoringStrategy, steps: Sequence[ResourceStep], score: int) -> str:
    """Return how the resources' scores come to the node's score: ``(75*5 + 37*3) / (5 + 3) = 486 / 8 = 60.75: 61``."""
    counted = [step for step in steps if not step.left_out]
    if not counted:
        return "no resource counts: 0"
    total = sum(step.score * step.weight for step in counted)
    weights = sum(step.weight for step in counted)
    products = " + ".join(f"{step.score}*{step.weight}" for step in counted)
    divisor = " + ".join(str(step.weight) for step in counted)
    how = "to the nearest" if strategy.type == RATIO else "cut"
    return f"({products}) / ({divisor}) = {total} / {weights} = {total / weights:.2f}, {how}: {score}"
