"""How nodes are scored for a pod, and whether it fits: the plugin NodeResourcesFit.

The sentences are on the page Resource Bin Packing, whose formula is for RequestedToCapacityRatio; of the other
strategies it says which nodes they favour, not by how much.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

from ..judge.checker import Judgement, checker, violated
from ..judge.scored import LEAST, MOST, RATIO, ScoredNode, ScorePair, is_extended

_CLEAR = 20
"""Percent by which utilizations differ, on the weighted mean, where no way of rounding makes scores equal."""
_EXAMPLE = (("intel.com/foo", 5), ("memory", 1), ("cpu", 3))
_RISING, _FALLING = ((0, 0), (100, 10)), ((0, 10), (100, 0))


@checker("scheduler/score/stays-in-range", ScoredNode)
def stays_in_range(node: ScoredNode) -> Judgement:
    """A whole number within the range of scores."""
    if node.score is None:
        return None
    return violated(0 <= node.score <= 100, "the score is out of range", got=node.score, allowed="0 to 100")


@checker("scheduler/score/takes-sound-strategies", ScoredNode)
def takes_sound_strategies(node: ScoredNode) -> Judgement:
    """A strategy as the page describes it is no error."""
    if not node.strategy.sound:
        return None
    return violated(node.refused is None, "a sound strategy is refused", got=node.refused or "", allowed="a score")


@checker("scheduler/score/refuses-negative-weights", ScoredNode)
def refuses_negative_weights(node: ScoredNode) -> Judgement:
    """The weight of a resource of RequestedToCapacityRatio cannot be negative."""
    return _refuses_negative_weights(node) if node.strategy.kind == RATIO else None


@checker("scheduler/score/refuses-negative-weights-everywhere", ScoredNode)
def refuses_negative_weights_everywhere(node: ScoredNode) -> Judgement:
    """The same of the other strategies, in whose section the sentence does not stand."""
    return _refuses_negative_weights(node) if node.strategy.kind != RATIO else None


def _refuses_negative_weights(node: ScoredNode) -> Judgement:
    if all(weight >= 0 for _, weight in node.strategy.weights):
        return None
    return violated(node.refused is not None, "a negative weight is accepted", got=node.score, allowed="a refusal")


@checker("scheduler/requested-to-capacity-ratio/refuses-a-bad-shape", ScoredNode)
def refuses_a_bad_shape(node: ScoredNode) -> Judgement:
    """Points without rising utilization, out of range, or none at all are refused, as the API reference has it."""
    weighed = all(0 < weight <= 100 for _, weight in node.strategy.weights)
    if node.strategy.kind != RATIO or node.strategy.sound or not weighed:
        return None
    return violated(node.refused is not None, "a bad shape is accepted", got=node.score, allowed="a refusal")


@checker("scheduler/requested-to-capacity-ratio/follows-the-shape", ScoredNode)
def follows_the_shape(node: ScoredNode) -> Judgement:
    """What is requested with the pod, in percent of what the node has, scored by the points; of one resource."""
    return _scores_by_the_formula(node) if len(node.strategy.weights) == 1 else None


@checker("scheduler/requested-to-capacity-ratio/weighs-resources", ScoredNode)
def weighs_resources(node: ScoredNode) -> Judgement:
    """The score of a node is the mean of its resources' scores, by their weights."""
    return _scores_by_the_formula(node) if len(node.strategy.weights) > 1 else None


@checker("scheduler/requested-to-capacity-ratio/worked-example", ScoredNode)
def works_the_example(node: ScoredNode) -> Judgement:
    """The page's nodes score 5 and 7 of 10."""
    if node.strategy.weights != _EXAMPLE or node.strategy.shape != _RISING:
        return None
    return _scores_by_the_formula(node)


def _scores_by_the_formula(node: ScoredNode) -> Judgement:
    if node.strategy.kind != RATIO or not node.told or node.score is None:
        return None
    low, high = node.ratio_range()
    return violated(
        low <= node.score <= high,
        f"the score is not that of {_utilization(node)}",
        got=node.score,
        allowed=f"{low} to {high} of {node.top}" if low < high else f"{low} of {node.top}",
    )


@checker("scheduler/requested-to-capacity-ratio/scores-each-resource", ScoredNode)
def scores_each_resource(node: ScoredNode) -> Judgement:
    """Where a target tells the score of each resource, it is the shape's."""
    if node.strategy.kind != RATIO or not node.told or node.scores is None:
        return None
    ranges = {name: node.strategy.raw_range(value, node.top) for name, value in node.utilization.items()}
    wrong = [name for name, (low, high) in ranges.items() if not float(low) <= node.scores.get(name, 0) <= float(high)]
    return violated(
        not wrong,
        f"{', '.join(wrong)} scored otherwise than by the shape",
        got=node.scores,
        allowed={name: f"{float(low):g} to {float(high):g}" for name, (low, high) in ranges.items()},
    )


@checker("scheduler/filter/refuses-what-has-no-room", ScoredNode)
def refuses_what_has_no_room(node: ScoredNode) -> Judgement:
    """A pod fits a node that has all the resources it requests, and no other."""
    if not _room_for_one_more(node):
        return None
    lacking = [name for name in sorted(node.pod.resources) if node.lacks(name)]
    return violated(
        bool(node.insufficient) == bool(lacking),
        "the pod is said to fit" if lacking else "the pod is said not to fit",
        got=", ".join(node.insufficient) or "it fits",
        allowed=f"not enough of {', '.join(lacking)}" if lacking else "it fits",
    )


@checker("scheduler/filter/names-what-is-insufficient", ScoredNode)
def names_what_is_insufficient(node: ScoredNode) -> Judgement:
    """Each resource of which there is too little is named, and none of which there is enough."""
    if not node.insufficient or not _room_for_one_more(node):
        return None
    text = " ".join(node.insufficient)
    known = node.pod.resources.union(node.room)
    wrong = [name for name in sorted(known) if (name in text) != node.lacks(name)]
    return violated(
        not wrong,
        f"named or not, that is wrong of {', '.join(wrong)}",
        got=", ".join(node.insufficient),
        allowed=", ".join(name for name in sorted(known) if node.lacks(name)),
    )


def _room_for_one_more(node: ScoredNode) -> bool:
    return node.refused is None and node.room.get("pods", 0) > len(node.used)


@checker("scheduler/most-allocated/favours-full-nodes", ScorePair)
def most_favours_full_nodes(pair: ScorePair) -> Judgement:
    """Of two nodes that one with more requested scores no lower, and higher where it is much."""
    return _favours(pair, MOST, rising=True) if _same_pod(pair) else None


@checker("scheduler/most-allocated/scores-the-mean-utilization", ScoredNode)
def most_scores_the_mean(node: ScoredNode) -> Judgement:
    """Nodes are scored by the weighted average utilization of the resources, says the page of today."""
    if node.strategy.kind != MOST or not node.told or node.score is None:
        return None
    unit = 100 // node.top
    low = node.strategy.mean({name: Fraction(value // 10 * 10) for name, value in node.utilization.items()}) / unit
    high = node.strategy.mean(node.utilization) / unit
    return violated(
        floor(low) <= node.score <= ceil(high),
        f"the score is not the mean of {_utilization(node)}",
        got=node.score,
        allowed=f"{floor(low)} to {ceil(high)} of {node.top}",
    )


@checker("scheduler/least-allocated/favours-empty-nodes", ScorePair)
def least_favours_empty_nodes(pair: ScorePair) -> Judgement:
    """Of two nodes that one with less requested scores no lower, and higher where it is much."""
    return _favours(pair, LEAST, rising=False) if _same_pod(pair) else None


@checker("scheduler/requested-to-capacity-ratio/reverses-with-the-shape", ScorePair)
def reverses_with_the_shape(pair: ScorePair) -> Judgement:
    """A shape that rises from end to end favours nodes with much requested, one that falls those with little."""
    shape = pair.first.strategy.shape
    return _favours(pair, RATIO, rising=shape == _RISING) if _same_pod(pair) else None


@checker("scheduler/score/counts-the-pod-itself", ScorePair)
def counts_the_pod_itself(pair: ScorePair) -> Judgement:
    """What the pod asks for is added to what is requested on the node."""
    left, right = pair.first, pair.second
    if left.room != right.room or left.used != right.used or left.pod == right.pod:
        return None
    shape = left.strategy.shape
    return _favours(pair, left.strategy.kind, rising=shape == _RISING if shape else left.strategy.kind == MOST)


@checker("scheduler/score/counts-extended-resources", ScorePair)
def counts_extended_resources(pair: ScorePair) -> Judgement:
    """An extended resource takes part when the strategy lists it; asked of nodes that differ in nothing else."""
    left, right = pair.first.utilization, pair.second.utilization
    if any(left[name] != right.get(name) for name in left if not is_extended(name)):
        return None
    return _favours(pair, MOST, rising=True)


def _same_pod(pair: ScorePair) -> bool:
    return pair.first.pod == pair.second.pod


def _favours(pair: ScorePair, kind: str, *, rising: bool) -> Judgement:
    """Compare two nodes of which one has more requested of each resource."""
    ordered = pair.ordered() if pair.first.strategy.kind == kind else None
    if ordered is None or (kind == RATIO and pair.first.strategy.shape not in (_RISING, _FALLING)):
        return None
    emptier, fuller = ordered
    means = [node.strategy.mean(node.utilization) for node in ordered]
    gain = (fuller.score or 0) - (emptier.score or 0)
    clear = means[1] - means[0] >= _CLEAR
    return violated(
        (gain if rising else -gain) >= (1 if clear else 0),
        f"the {'emptier' if rising else 'fuller'} node scores {'as high' if clear else 'higher'}",
        got=f"{emptier.score} with {_utilization(emptier)}, {fuller.score} with {_utilization(fuller)}",
        allowed=f"the {'fuller' if rising else 'emptier'} one above" if clear else "no such order",
    )


@checker("scheduler/most-allocated/weighs-resources", ScorePair)
def most_weighs_resources(pair: ScorePair) -> Judgement:
    """More weight of the resource of which more is requested: a higher score."""
    left, right = pair.first, pair.second
    if left.strategy.kind != MOST or right.strategy.kind != MOST or not pair.same_node:
        return None
    if left.strategy.names != right.strategy.names or len(left.strategy.names) != 2:
        return None
    means = [node.strategy.mean(node.utilization) for node in (left, right)]
    if abs(means[0] - means[1]) < _CLEAR:
        return None
    rises = means[1] > means[0]
    return violated(
        ((right.score or 0) > (left.score or 0)) == rises and left.score != right.score,
        "the weights of the resources do not count",
        got=f"{left.score} by {_weights(left)}, {right.score} by {_weights(right)}, of {_utilization(left)}",
        allowed=f"the {'second' if rises else 'first'} above",
    )


@checker("scheduler/score/missing-weight-is-one", ScorePair)
def missing_weight_is_one(pair: ScorePair) -> Judgement:
    """The weight of a resource is optional and then 1, says the section of RequestedToCapacityRatio."""
    return _written_otherwise(pair, "weight") if pair.first.strategy.kind == RATIO else None


@checker("scheduler/score/missing-weight-is-one-everywhere", ScorePair)
def missing_weight_is_one_everywhere(pair: ScorePair) -> Judgement:
    """The same of the other strategies."""
    return _written_otherwise(pair, "weight") if pair.first.strategy.kind != RATIO else None


@checker("scheduler/score/defaults-to-cpu-and-memory", ScorePair)
def defaults_to_cpu_and_memory(pair: ScorePair) -> Judgement:
    """The resources are optional and then cpu and memory, alike, says the section of RequestedToCapacityRatio."""
    return _written_otherwise(pair, "resources") if pair.first.strategy.kind == RATIO else None


@checker("scheduler/score/defaults-to-cpu-and-memory-everywhere", ScorePair)
def defaults_to_cpu_and_memory_everywhere(pair: ScorePair) -> Judgement:
    """The same of the other strategies."""
    return _written_otherwise(pair, "resources") if pair.first.strategy.kind != RATIO else None


def _written_otherwise(pair: ScorePair, left_out: str) -> Judgement:
    """Compare the scores of one node by one strategy, written once with and once without what is optional."""
    if not pair.same_strategy or not pair.same_node:
        return None
    told = [_tells(node, left_out) for node in (pair.first, pair.second)]
    if told[0] == told[1]:
        return None
    return violated(
        pair.first.score == pair.second.score,
        f"the score differs where {left_out} is left out",
        got=f"{pair.first.score} and {pair.second.score}",
        allowed="the same score",
    )


def _tells(node: ScoredNode, field: str) -> bool:
    listed = node.written.get("resources")
    return bool(listed) if field == "resources" else all("weight" in resource for resource in listed or ())


def _utilization(node: ScoredNode) -> str:
    return ", ".join(f"{name} {float(value):g} %" for name, value in node.utilization.items())


def _weights(node: ScoredNode) -> str:
    return ", ".join(str(weight) for _, weight in node.strategy.weights)
