"""How nodes are scored for a pod: the plugin NodeResourcesFit.

The sentences are on the page Resource Bin Packing, whose formula is for RequestedToCapacityRatio; of the other
strategies it says which nodes they favour, not by how much.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

from ..judge.checker import Guard, Judgement, checker, violated
from ..judge.scored import LEAST, MOST, RATIO, ScoredNode, ScorePair, is_extended

_CLEAR = 20
"""Percent by which utilizations differ, on the weighted mean, where no way of rounding makes scores equal."""
_EXAMPLE = (("intel.com/foo", 5), ("memory", 1), ("cpu", 3))
_RISING, _FALLING = ((0, 0), (100, 10)), ((0, 10), (100, 0))


is_scored = Guard[ScoredNode]("no score is told", lambda node: node.score is not None)
strategy_is_sound = Guard[ScoredNode]("the strategy is not as the page has it", lambda node: node.strategy.sound)
resources_are_told = Guard[ScoredNode]("it is not told what the node has and gives", lambda node: node.is_decided)


def by(strategy: str) -> Guard[ScoredNode]:
    """Return the guard that nodes are scored by a strategy."""
    return Guard(f"the strategy is not {strategy}", lambda node: node.strategy.kind == strategy)


by_another_than_ratio = Guard[ScoredNode](
    "the strategy is RequestedToCapacityRatio", lambda node: node.strategy.kind != RATIO
)
has_a_negative_weight = Guard[ScoredNode](
    "no weight is negative", lambda node: any(weight < 0 for _, weight in node.strategy.weights)
)
has_a_bad_shape = Guard[ScoredNode](
    "the strategy is sound, or its weights are not",
    lambda node: not node.strategy.sound and all(0 < weight <= 100 for _, weight in node.strategy.weights),
)
of_one_resource = Guard[ScoredNode]("several resources are weighed", lambda node: len(node.strategy.weights) == 1)
of_several_resources = Guard[ScoredNode]("one resource is weighed", lambda node: len(node.strategy.weights) > 1)
as_in_the_example = Guard[ScoredNode](
    "weights and shape are not those of the page's example",
    lambda node: node.strategy.weights == _EXAMPLE and node.strategy.shape == _RISING,
)
each_resource_is_scored = Guard[ScoredNode](
    "the score of each resource is not told", lambda node: node.scores is not None
)
same_pod = Guard[ScorePair]("two pods are scored", lambda pair: pair.first.pod == pair.second.pod)
same_node_for_two_pods = Guard[ScorePair](
    "the nodes differ, or the pod is the same",
    lambda pair: (
        pair.first.room == pair.second.room and pair.first.used == pair.second.used and not same_pod.holds(pair)
    ),
)


def _only_extended_resources_differ(pair: ScorePair) -> bool:
    left, right = pair.first.utilization, pair.second.utilization
    return all(left[name] == right.get(name) for name in left if not is_extended(name))


only_extended_resources_differ = Guard[ScorePair](
    "the nodes differ in more than extended resources", _only_extended_resources_differ
)


def both_by(strategy: str) -> Guard[ScorePair]:
    """Return the guard that a pair is scored by a strategy."""
    return Guard(f"the strategy is not {strategy}", lambda pair: pair.first.strategy.kind == strategy)


both_by_another_than_ratio = Guard[ScorePair](
    "the strategy is RequestedToCapacityRatio", lambda pair: pair.first.strategy.kind != RATIO
)
one_is_fuller = Guard[ScorePair](
    "neither node has more requested of each resource", lambda pair: pair.ordered() is not None
)
within_what_there_is = Guard[ScorePair](
    "more is requested than the node has", lambda pair: pair.first.is_decided and pair.second.is_decided
)
shape_is_simple = Guard[ScorePair](
    "the shape neither rises nor falls from end to end",
    lambda pair: pair.first.strategy.kind != RATIO or pair.first.strategy.shape in (_RISING, _FALLING),
)


def _one_extreme_differs(pair: ScorePair) -> bool:
    """Tell whether one weight differs, that of a resource of which more, or less, is requested than of any other."""
    shares = dict(pair.first.utilization)
    changed = [name for name, _ in set(pair.first.strategy.weights) - set(pair.second.strategy.weights)]
    own = [shares.pop(name) for name in changed if name in shares]
    return len(own) == 1 and bool(shares) and not min(shares.values()) <= own[0] <= max(shares.values())


def _weighed_otherwise(pair: ScorePair) -> bool:
    left, right = pair.first, pair.second
    if right.strategy.kind != MOST or not pair.same_node or left.strategy.names != right.strategy.names:
        return False
    means = _means(pair)
    tells = len(left.strategy.names) == 2 or _one_extreme_differs(pair)
    return tells and abs(means[0] - means[1]) >= _CLEAR


weighed_otherwise = Guard[ScorePair](
    "more differs than the weights of two resources, or one weight, or it makes little difference", _weighed_otherwise
)


def leaves_out(what: str) -> Guard[ScorePair]:
    """Return the guard that one strategy of a pair leaves out what the other names."""
    return Guard(
        f"both strategies name {what}, or differ in more",
        lambda pair: pair.same_strategy and pair.same_node and _tells(pair.first, what) != _tells(pair.second, what),
    )


@checker("scheduler/score/stays-in-range", ScoredNode, when=(is_scored,))
def stays_in_range(node: ScoredNode) -> Judgement:
    """A whole number within the range of scores."""
    return violated(0 <= (node.score or 0) <= 100, "the score is out of range", got=node.score, allowed="0 to 100")


@checker("scheduler/score/takes-sound-strategies", ScoredNode, when=(strategy_is_sound,))
def takes_sound_strategies(node: ScoredNode) -> Judgement:
    """A strategy as the page describes it is no error."""
    return violated(node.refused is None, "a sound strategy is refused", got=node.refused or "", allowed="a score")


@checker("scheduler/score/refuses-negative-weights", ScoredNode, when=(by(RATIO), has_a_negative_weight))
def refuses_negative_weights(node: ScoredNode) -> Judgement:
    """The weight of a resource of RequestedToCapacityRatio cannot be negative."""
    return _is_refused(node, "a negative weight")


@checker(
    "scheduler/score/refuses-negative-weights-everywhere",
    ScoredNode,
    when=(by_another_than_ratio, has_a_negative_weight),
)
def refuses_negative_weights_everywhere(node: ScoredNode) -> Judgement:
    """The same of the other strategies, in whose section the sentence does not stand."""
    return _is_refused(node, "a negative weight")


@checker("scheduler/requested-to-capacity-ratio/refuses-a-bad-shape", ScoredNode, when=(by(RATIO), has_a_bad_shape))
def refuses_a_bad_shape(node: ScoredNode) -> Judgement:
    """Points without rising utilization, out of range, or none at all are refused, as the API reference has it."""
    return _is_refused(node, "a bad shape")


def _is_refused(node: ScoredNode, what: str) -> Judgement:
    return violated(node.refused is not None, f"{what} is accepted", got=node.score, allowed="a refusal")


FORMULA = (by(RATIO), resources_are_told, is_scored)


@checker("scheduler/requested-to-capacity-ratio/follows-the-shape", ScoredNode, when=(*FORMULA, of_one_resource))
def follows_the_shape(node: ScoredNode) -> Judgement:
    """What is requested with the pod, in percent of what the node has, scored by the points; of one resource."""
    return _scores_by_the_formula(node)


@checker("scheduler/requested-to-capacity-ratio/weighs-resources", ScoredNode, when=(*FORMULA, of_several_resources))
def weighs_resources(node: ScoredNode) -> Judgement:
    """The score of a node is the mean of its resources' scores, by their weights."""
    return _scores_by_the_formula(node)


@checker(
    "scheduler/requested-to-capacity-ratio/rounds-to-the-nearest", ScoredNode, when=(*FORMULA, of_several_resources)
)
def rounds_to_the_nearest(node: ScoredNode) -> Judgement:
    """The page's second node has a mean of 6.9 and scores 7: the nearest whole number."""
    return _is_within(node, node.nearest_range(), f"the score is not the nearest to the mean of {_utilization(node)}")


@checker("scheduler/requested-to-capacity-ratio/worked-example", ScoredNode, when=(*FORMULA, as_in_the_example))
def works_the_example(node: ScoredNode) -> Judgement:
    """The page's nodes score 5 and 7 of 10."""
    return _scores_by_the_formula(node)


def _scores_by_the_formula(node: ScoredNode) -> Judgement:
    return _is_within(node, node.ratio_range(), f"the score is not that of {_utilization(node)}")


def _is_within(node: ScoredNode, allowed: tuple[int, int], why: str) -> Judgement:
    low, high = allowed
    return violated(
        low <= (node.score or 0) <= high,
        why,
        got=node.score,
        allowed=f"{low} to {high} of {node.top}" if low < high else f"{low} of {node.top}",
    )


@checker(
    "scheduler/requested-to-capacity-ratio/scores-each-resource",
    ScoredNode,
    when=(by(RATIO), resources_are_told, each_resource_is_scored),
)
def scores_each_resource(node: ScoredNode) -> Judgement:
    """Where a target tells the score of each resource, it is the shape's."""
    scores = node.scores or {}
    ranges = {name: node.strategy.raw_range(value, node.top) for name, value in node.utilization.items()}
    wrong = [name for name, (low, high) in ranges.items() if not float(low) <= scores.get(name, 0) <= float(high)]
    return violated(
        not wrong,
        f"{', '.join(wrong)} scored otherwise than by the shape",
        got=scores,
        allowed={name: f"{float(low):g} to {float(high):g}" for name, (low, high) in ranges.items()},
    )


@checker(
    "scheduler/most-allocated/scores-the-mean-utilization",
    ScoredNode,
    when=(by(MOST), resources_are_told, is_scored),
)
def most_scores_the_mean(node: ScoredNode) -> Judgement:
    """Nodes are scored by the weighted average utilization of the resources, says the page of today."""
    unit = 100 // node.top
    low = node.strategy.mean({name: Fraction(value // 10 * 10) for name, value in node.utilization.items()}) / unit
    high = node.strategy.mean(node.utilization) / unit
    return violated(
        floor(low) <= (node.score or 0) <= ceil(high),
        f"the score is not the mean of {_utilization(node)}",
        got=node.score,
        allowed=f"{floor(low)} to {ceil(high)} of {node.top}",
    )


@checker("scheduler/most-allocated/favours-full-nodes", ScorePair, when=(both_by(MOST), same_pod, one_is_fuller))
def most_favours_full_nodes(pair: ScorePair) -> Judgement:
    """Of two nodes that one with more requested scores no lower, and higher where it is much."""
    return _favours(pair)


@checker("scheduler/least-allocated/favours-empty-nodes", ScorePair, when=(both_by(LEAST), same_pod, one_is_fuller))
def least_favours_empty_nodes(pair: ScorePair) -> Judgement:
    """Of two nodes that one with less requested scores no lower, and higher where it is much."""
    return _favours(pair)


@checker(
    "scheduler/requested-to-capacity-ratio/reverses-with-the-shape",
    ScorePair,
    when=(both_by(RATIO), within_what_there_is, shape_is_simple, same_pod, one_is_fuller),
)
def reverses_with_the_shape(pair: ScorePair) -> Judgement:
    """A shape that rises from end to end favours nodes with much requested, one that falls those with little."""
    return _favours(pair)


@checker(
    "scheduler/score/counts-the-pod-itself",
    ScorePair,
    when=(same_node_for_two_pods, within_what_there_is, shape_is_simple, one_is_fuller),
)
def counts_the_pod_itself(pair: ScorePair) -> Judgement:
    """What the pod asks for is added to what is requested on the node."""
    return _favours(pair)


divided_otherwise = Guard[ScorePair](
    "the pods on the node do not request as much together, or are as many",
    lambda pair: len(pair.first.used) != len(pair.second.used) and same_pod.holds(pair) and pair.same_requests,
)
written_otherwise = Guard[ScorePair](
    "the pods do not request as much as those before, or by containers of the same kinds",
    lambda pair: (
        len(pair.first.used) == len(pair.second.used)
        and (pair.first.used, pair.first.pod) != (pair.second.used, pair.second.pod)
        and pair.same_requests
    ),
)


@checker("scheduler/score/counts-every-pod", ScorePair, when=(divided_otherwise,))
def counts_every_pod(pair: ScorePair) -> Judgement:
    """What is requested is added up over the pods on the node: the score does not hang on how many they are."""
    return violated(
        pair.first.score == pair.second.score,
        "the same requests score otherwise where they are those of more pods, or of fewer",
        got=f"{pair.first.score} with {len(pair.first.used)} pods, {pair.second.score} with {len(pair.second.used)}",
        allowed="the same score",
    )


@checker("scheduler/score/counts-effective-requests", ScorePair, when=(written_otherwise,))
def counts_effective_requests(pair: ScorePair) -> Judgement:
    """A pod counts for its effective request: the score does not hang on which containers, or overhead, make it up."""
    return violated(
        pair.first.score == pair.second.score,
        "the same requests score otherwise where containers of other kinds, or overhead, ask for them",
        got=f"{pair.first.score}, then {pair.second.score} of {_utilization(pair.second)}",
        allowed="the same score",
    )


@checker(
    "scheduler/score/counts-extended-resources",
    ScorePair,
    when=(both_by(MOST), only_extended_resources_differ, one_is_fuller),
)
def counts_extended_resources(pair: ScorePair) -> Judgement:
    """An extended resource takes part when the strategy lists it; asked of nodes that differ in nothing else."""
    return _favours(pair)


def _favours(pair: ScorePair) -> Judgement:
    """Compare two nodes of which one has more requested of each resource."""
    strategy = pair.first.strategy
    rising = strategy.shape == _RISING if strategy.kind == RATIO else strategy.kind == MOST
    emptier, fuller = pair.ordered() or (pair.first, pair.second)
    gain = (fuller.score or 0) - (emptier.score or 0)
    clear = fuller.mean_utilization - emptier.mean_utilization >= _CLEAR
    return violated(
        (gain if rising else -gain) >= (1 if clear else 0),
        f"the {'emptier' if rising else 'fuller'} node scores {'as high' if clear else 'higher'}",
        got=f"{emptier.score} with {_utilization(emptier)}, {fuller.score} with {_utilization(fuller)}",
        allowed=f"the {'fuller' if rising else 'emptier'} one above" if clear else "no such order",
    )


def _means(pair: ScorePair) -> tuple[Fraction, Fraction]:
    return pair.first.mean_utilization, pair.second.mean_utilization


@checker("scheduler/most-allocated/weighs-resources", ScorePair, when=(both_by(MOST), weighed_otherwise))
def most_weighs_resources(pair: ScorePair) -> Judgement:
    """More weight of the resource of which more is requested: a higher score."""
    left, right, means = pair.first, pair.second, _means(pair)
    rises = means[1] > means[0]
    return violated(
        ((right.score or 0) > (left.score or 0)) == rises and left.score != right.score,
        "the weights of the resources do not count",
        got=f"{left.score} by {_weights(left)}, {right.score} by {_weights(right)}, of {_utilization(left)}",
        allowed=f"the {'second' if rises else 'first'} above",
    )


@checker("scheduler/score/missing-weight-is-one", ScorePair, when=(both_by(RATIO), leaves_out("weight")))
def missing_weight_is_one(pair: ScorePair) -> Judgement:
    """The weight of a resource is optional and then 1, says the section of RequestedToCapacityRatio."""
    return _scores_the_same(pair, "weight")


@checker(
    "scheduler/score/missing-weight-is-one-everywhere",
    ScorePair,
    when=(both_by_another_than_ratio, leaves_out("weight")),
)
def missing_weight_is_one_everywhere(pair: ScorePair) -> Judgement:
    """The same of the other strategies."""
    return _scores_the_same(pair, "weight")


@checker("scheduler/score/defaults-to-cpu-and-memory", ScorePair, when=(both_by(RATIO), leaves_out("resources")))
def defaults_to_cpu_and_memory(pair: ScorePair) -> Judgement:
    """The resources are optional and then cpu and memory, alike, says the section of RequestedToCapacityRatio."""
    return _scores_the_same(pair, "resources")


@checker(
    "scheduler/score/defaults-to-cpu-and-memory-everywhere",
    ScorePair,
    when=(both_by_another_than_ratio, leaves_out("resources")),
)
def defaults_to_cpu_and_memory_everywhere(pair: ScorePair) -> Judgement:
    """The same of the other strategies."""
    return _scores_the_same(pair, "resources")


def _scores_the_same(pair: ScorePair, left_out: str) -> Judgement:
    """Compare the scores of one node by one strategy, written once with and once without what is optional."""
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
