"""Scoring one node for one pod (SCH-REQ, SCH-LEAST-02, SCH-MOST-02, SCH-RTCR-05..06)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...kube import NodeResourcesFitArgs, Pod, Quantity, ResourceWeight, ScoringStrategy
from ...kube.resource_names import is_scalar
from ...sources.quirks.scheduler import SchedulerQuirks
from .inputs import Amounts, add_up, amount_of, filter_amounts, insufficient, scoring_amount
from .strategies import RATIO, resource_score


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
        """Take the strategy."""
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
    used = add_up(map(scorer.counted, pods))
    steps = tuple(scorer.steps(capacity, used, scorer.request(pod)))
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
