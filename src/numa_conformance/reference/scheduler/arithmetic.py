"""A score as a person would check it with pencil and paper: every step of kube-scheduler's integer arithmetic."""

from collections.abc import Sequence
from fractions import Fraction

from ...kube import ScoringStrategy
from ...sources.quirks.scheduler import SchedulerQuirks
from .score import ResourceStep
from .strategies import RATIO, segment_of


def step_text(strategy: ScoringStrategy, step: ResourceStep, quirks: SchedulerQuirks) -> str:
    """Return how one resource comes to its score: ``3000 * 100 / 8000 = 37 %``, then the shape."""
    if not step.capacity or (step.left_out and not step.of_pod):
        return step.left_out
    text = _ratio(strategy, step, quirks) if strategy.type == RATIO else _RULES[strategy.type](step)
    return f"{text}; left out: {step.left_out}" if step.left_out else text


def _least(step: ResourceStep) -> str:
    if step.requested > step.capacity:
        return f"{step.requested} > {step.capacity}: 0"
    return f"({step.capacity} - {step.requested}) * 100 / {step.capacity} = {step.score}"


def _most(step: ResourceStep) -> str:
    clamped = min(step.requested, step.capacity)
    return f"{clamped} * 100 / {step.capacity} = {step.score}"


def _ratio(strategy: ScoringStrategy, step: ResourceStep, quirks: SchedulerQuirks) -> str:
    clamped, scale = min(step.requested, step.capacity), 10 if quirks.ratio_scores_to_100 else 1
    share = Fraction(clamped * 100, step.capacity)
    utilization = share.numerator // share.denominator if quirks.ratio_cuts_utilization else share
    before, at = segment_of(strategy.shape, utilization)
    percent = f"{float(utilization):.6g}"
    taken = f"{clamped} * 100 / {step.capacity} = {percent} %"
    if before is None:
        return f"{taken}; {at.score} * {scale} = {step.score}" if scale != 1 else f"{taken}; {step.score}"
    low, high = before.score * scale, at.score * scale
    slope = f"({high} - {low}) * ({percent} - {before.utilization}) / ({at.utilization} - {before.utilization})"
    return f"{taken}; {low} + {slope} = {step.score}"


_RULES = {"LeastAllocated": _least, "MostAllocated": _most}


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
