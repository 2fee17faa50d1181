"""NodeResourcesFit scores a node: each resource by a strategy, the mean, and its arithmetic step by step."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...kube import NodeResourcesFitArgs, Pod, Quantity, ResourceWeight, ScoringStrategy, ShapePoint
from ...kube.resource_names import is_scalar
from ...sources.quirks.areas import SchedulerQuirks
from .inputs import Amounts, add_up, amount_of, filter_amounts, insufficient, scoring_amount

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


@dataclass(frozen=True, slots=True)
class ResourceStep:
    """One resource of a score: amounts, its own score and its weight.

    ``used`` is what the pods on the node count, ``of_pod`` what the new pod counts. CPU is in millicores, everything
    else in whole units. ``left_out`` says why the resource does not count at all; it is empty where it does.
    """

    name: str
    used: int
    of_pod: int
    capacity: int
    score: int
    weight: int
    left_out: str = ""

    @property
    def requested(self) -> int:
        """What would be requested with the pod on the node."""
        return self.used + self.of_pod


@dataclass(frozen=True, slots=True)
class ScoreResult:
    """The score from 0 to 100, the steps that lead to it, and what the pod lacks on the node."""

    score: int
    steps: tuple[ResourceStep, ...]
    insufficient: tuple[str, ...]


class Scorer:
    """Scores nodes by one strategy from amounts that are already added up."""

    def __init__(self, strategy: ScoringStrategy, quirks: SchedulerQuirks) -> None:
        self.quirks = quirks
        self._resources = strategy.resources
        self._names = tuple(dict.fromkeys(resource.name for resource in strategy.resources))
        self._ratio = strategy.type == RATIO
        self._drops_zero = self._ratio and quirks.ratio_drops_what_scores_zero
        self._by_containers = quirks.score_ignores_pod_resources
        self._function = resource_score(strategy, quirks)

    def counted(self, pod: Pod) -> dict[str, int]:
        """Return what a pod on a node counts for each resource of the strategy, defaults included (SCH-REQ-02)."""
        as_init = self.quirks.score_counts_sidecars_as_init_containers
        return {name: scoring_amount(pod, name, sidecars_as_init_containers=as_init) for name in self._names}

    def request(self, pod: Pod) -> dict[str, int]:
        """Return what a pod that is looking for a node counts."""
        return {name: scoring_amount(pod, name, by_containers=self._by_containers) for name in self._names}

    def steps(self, capacity: Amounts, used: Amounts, of_pod: Amounts) -> list[ResourceStep]:
        """Return one step per resource; ``used`` is what the pods there count, ``of_pod`` what the new pod counts."""
        return [self._step(resource, capacity.get(resource.name, 0), used, of_pod) for resource in self._resources]

    def _step(self, resource: ResourceWeight, available: int, used: Amounts, of_pod: Amounts) -> ResourceStep:
        name, weight = resource.name, resource.weight
        there, wanted = used.get(name, 0), of_pod[name]
        if not available:
            return ResourceStep(name, there, wanted, available, 0, weight, "the node has none")
        if not wanted and is_scalar(name):
            return ResourceStep(name, there, wanted, available, 0, weight, "the pod requests none")
        value = self._function(there + wanted, available)
        left_out = "it scores 0" if self._drops_zero and not value else ""
        return ResourceStep(name, there, wanted, available, value, weight, left_out)

    def mean(self, steps: Sequence[ResourceStep]) -> int:
        """Return the weighted mean: to the nearest for the ratio strategy, downward for the others."""
        weights = sum(step.weight for step in steps if not step.left_out)
        total = sum(step.score * step.weight for step in steps if not step.left_out)
        if not weights:
            return 0
        return (2 * total + weights) // (2 * weights) if self._ratio else total // weights


def score_node(
    args: NodeResourcesFitArgs | ScoringStrategy,
    allocatable: Mapping[str, Quantity],
    pods: Sequence[Pod],
    pod: Pod,
    *,
    quirks: SchedulerQuirks,
) -> ScoreResult:
    """Score a node with ``pods`` on it for ``pod``; the score is computed whether the pod fits or not.

    A strategy alone stands for arguments that ignore no resource.
    """
    if isinstance(args, ScoringStrategy):
        args = NodeResourcesFitArgs(strategy=args)
    capacity = {name: amount_of(name, quantity) for name, quantity in allocatable.items()}
    scorer = Scorer(args.strategy, quirks)
    steps = tuple(scorer.steps(capacity, add_up(map(scorer.counted, pods)), scorer.request(pod)))
    plain = add_up(map(filter_amounts, pods))
    missing = insufficient(
        capacity,
        plain,
        len(pods),
        filter_amounts(pod),
        quirks=quirks,
        ignored=args.ignored_resources,
        ignored_groups=args.ignored_resource_groups,
    )
    return ScoreResult(scorer.mean(steps), steps, tuple(missing))


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
