"""Strategies MostAllocated and LeastAllocated: page Resource Bin Packing and the reference of the configuration.

The pages say which nodes they favour; by how much, of MostAllocated alone.
"""

from fractions import Fraction
from math import ceil, floor

from ...judging.chapter import Chapter, Judgement, applies, recommended_by, rests_on, violated
from ...judging.scored import LEAST, MOST, ScoredNode, ScorePair
from .conditions import CLEAR, by, decided, favours, utilization

chapter = Chapter(since="1.22")


@chapter.requires("scheduler/most-allocated/scores-the-mean-utilization", "scheduler/most-allocated")
@recommended_by(
    "bin-packing/most-allocated/weights",
    beyond="The page of today says so below its example; earlier ones say that higher allocation is favoured.",
)
def most_scores_the_mean(node: ScoredNode) -> Judgement:
    """MostAllocated scores a node by the weighted mean of its resources' utilization."""
    score, mean, unit = decided(node, MOST), node.strategy.mean, 100 // node.top
    low = floor(mean({name: Fraction(value // 10 * 10) for name, value in node.utilization.items()}) / unit)
    high = ceil(mean(node.utilization) / unit)
    why = f"the score is not the mean of {utilization(node)}"
    return violated(low <= score <= high, why, got=score, allowed=f"{low} to {high} of {node.top}")


@chapter.requires("scheduler/most-allocated/favours-full-nodes", "scheduler/most-allocated")
@rests_on("bin-packing/most-allocated/favours-full-nodes", "bin-packing/head/two-strategies")
def most_favours_full_nodes(pair: ScorePair) -> Judgement:
    """MostAllocated scores a node higher the more of its resources is requested."""
    by(pair.first, MOST)
    applies(pair.first.pod == pair.second.pod, "two pods are scored")
    return favours(pair)


@chapter.requires("scheduler/least-allocated/favours-empty-nodes", "scheduler/least-allocated")
@recommended_by("scheduler-configuration/plugins/three-strategies", "scheduler-reference/strategy/least-allocated")
def least_favours_empty_nodes(pair: ScorePair) -> Judgement:
    """LeastAllocated scores a node higher the less of its resources is requested."""
    by(pair.first, LEAST)
    applies(pair.first.pod == pair.second.pod, "two pods are scored")
    return favours(pair)


@chapter.requires("scheduler/most-allocated/weighs-resources", "scheduler/most-allocated")
@rests_on(
    "bin-packing/most-allocated/weights", "bin-packing/example/weighted-mean", "scheduler-reference/resources/weight"
)
def most_weighs_resources(pair: ScorePair) -> Judgement:
    """The score is the mean of the resources' scores, weighted as configured."""
    left, right = pair.first, pair.second
    by(left, MOST)
    by(right, MOST)
    names = left.strategy.names
    applies(pair.same_node and names == right.strategy.names, "more differs than weights")
    applies(len(names) == 2 or _one_extreme_differs(pair), "more differs than the weights of two resources, or of one")
    means = left.mean_utilization, right.mean_utilization
    applies(abs(means[0] - means[1]) >= CLEAR, "the weights make little difference")
    rises, (first, second) = means[1] > means[0], pair.scores
    return violated(
        second > first if rises else second < first,
        "the weights of the resources do not count",
        got=f"{first} by {_weights(left)}, {second} by {_weights(right)}, of {utilization(left)}",
        allowed=f"the {'second' if rises else 'first'} above",
    )


def _one_extreme_differs(pair: ScorePair) -> bool:
    """Tell whether one weight differs, that of a resource of which more, or less, is requested than of any other."""
    others = dict(pair.first.utilization)
    changed = [others.pop(name) for name, _ in {*pair.first.strategy.weights} - {*pair.second.strategy.weights}]
    return len(changed) == 1 and bool(others) and not min(others.values()) <= changed[0] <= max(others.values())


def _weights(node: ScoredNode) -> str:
    return ", ".join(str(weight) for _, weight in node.strategy.weights)
