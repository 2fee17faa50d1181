"""How nodes are scored for a pod: the plugin NodeResourcesFit.

The sentences are on the page Resource Bin Packing, whose formula is for RequestedToCapacityRatio; of the other
strategies it says which nodes they favour, not by how much.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

from ..judge.chapter import Chapter, Judgement, applies, violated
from ..judge.scored import LEAST, MOST, RATIO, ScoredNode, ScorePair, is_extended

chapter = Chapter(since="1.22")

_CLEAR = 20
"""Percent by which utilizations differ, on the weighted mean, where no way of rounding makes scores equal."""
_EXAMPLE = (("intel.com/foo", 5), ("memory", 1), ("cpu", 3))
_RISING, _FALLING = ((0, 0), (100, 10)), ((0, 10), (100, 0))


def by(node: ScoredNode, strategy: str) -> None:
    """Return the guard that nodes are scored by a strategy."""
    applies(node.strategy.kind == strategy, f"the strategy is not {strategy}")


def _only_extended_resources_differ(pair: ScorePair) -> bool:
    left, right = pair.first.utilization, pair.second.utilization
    return all(left[name] == right.get(name) for name in left if not is_extended(name))


def both_by(pair: ScorePair, strategy: str) -> None:
    """Return the guard that a pair is scored by a strategy."""
    applies(pair.first.strategy.kind == strategy, f"the strategy is not {strategy}")


def shape_is_simple(pair: ScorePair) -> None:
    applies(
        pair.first.strategy.kind != RATIO or pair.first.strategy.shape in (_RISING, _FALLING),
        "the shape neither rises nor falls from end to end",
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


def leaves_out(pair: ScorePair, what: str) -> None:
    """Return the guard that one strategy of a pair leaves out what the other names."""
    applies(
        pair.same_strategy and pair.same_node and _tells(pair.first, what) != _tells(pair.second, what),
        f"both strategies name {what}, or differ in more",
    )


@chapter.requires(
    "scheduler/score/stays-in-range",
    "scheduler/least-allocated",
    on=ScoredNode,
    rests_on=("bin-packing/shape/hundred-scores-ten",),
    strength="SHOULD",
    beyond="The page shows scores from 0 to 10; the range from 0 to 100 is the scheduler's.",
)
def stays_in_range(node: ScoredNode) -> Judgement:
    """Scores are whole numbers from 0 to 100.

    A whole number within the range of scores.
    """
    applies(node.score is not None, "no score is told")
    return violated(0 <= (node.score or 0) <= 100, "the score is out of range", got=node.score, allowed="0 to 100")


@chapter.requires(
    "scheduler/score/takes-sound-strategies",
    "scheduler/filter",
    on=ScoredNode,
    rests_on=(
        "bin-packing/most-allocated/configuration",
        "bin-packing/ratio/configuration",
        "bin-packing/head/two-strategies",
    ),
)
def takes_sound_strategies(node: ScoredNode) -> Judgement:
    """A strategy as the page describes it is taken."""
    applies(node.strategy.sound, "the strategy is not as the page has it")
    return violated(node.refused is None, "a sound strategy is refused", got=node.refused or "", allowed="a score")


@chapter.requires(
    "scheduler/score/refuses-negative-weights",
    "scheduler/requested-to-capacity-ratio",
    on=ScoredNode,
    rests_on=("bin-packing/shape/no-negative-weight",),
)
def refuses_negative_weights(node: ScoredNode) -> Judgement:
    """A negative weight is refused.

    The weight of a resource of RequestedToCapacityRatio cannot be negative.
    """
    by(node, RATIO)
    applies(any(weight < 0 for _, weight in node.strategy.weights), "no weight is negative")
    return _is_refused(node, "a negative weight")


@chapter.requires(
    "scheduler/score/refuses-negative-weights-everywhere",
    "scheduler/most-allocated",
    on=ScoredNode,
    rests_on=("bin-packing/shape/no-negative-weight",),
    strength="SHOULD",
    beyond="The sentence stands in the section of RequestedToCapacityRatio.",
)
def refuses_negative_weights_everywhere(node: ScoredNode) -> Judgement:
    """MostAllocated and LeastAllocated refuse a negative weight.

    The same of the other strategies, in whose section the sentence does not stand.
    """
    applies(node.strategy.kind != RATIO, "the strategy is RequestedToCapacityRatio")
    applies(any(weight < 0 for _, weight in node.strategy.weights), "no weight is negative")
    return _is_refused(node, "a negative weight")


@chapter.requires(
    "scheduler/requested-to-capacity-ratio/refuses-a-bad-shape",
    "scheduler/requested-to-capacity-ratio",
    on=ScoredNode,
    rests_on=("scheduler-reference/shape/ranges",),
    strength="SHOULD",
    beyond="The reference gives the ranges; what becomes of other shapes it does not say.",
)
def refuses_a_bad_shape(node: ScoredNode) -> Judgement:
    """A shape whose utilization does not increase, or whose scores lie outside 0 to 10, is refused.

    Points without rising utilization, out of range, or none at all are refused, as the API reference has it.
    """
    by(node, RATIO)
    applies(
        not node.strategy.sound and all(0 < weight <= 100 for _, weight in node.strategy.weights),
        "the strategy is sound, or its weights are not",
    )
    return _is_refused(node, "a bad shape")


def _is_refused(node: ScoredNode, what: str) -> Judgement:
    return violated(node.refused is not None, f"{what} is accepted", got=node.score, allowed="a refusal")


def formula(subject: ScoredNode) -> None:
    by(subject, RATIO)
    applies(subject.is_decided, "it is not told what the node has and gives")
    applies(subject.score is not None, "no score is told")


@chapter.requires(
    "scheduler/requested-to-capacity-ratio/follows-the-shape",
    "scheduler/requested-to-capacity-ratio",
    on=ScoredNode,
    rests_on=(
        "bin-packing/ratio/shape",
        "bin-packing/shape/zero-scores-zero",
        "bin-packing/shape/hundred-scores-ten",
        "bin-packing/head/two-strategies",
    ),
)
def follows_the_shape(node: ScoredNode) -> Judgement:
    """RequestedToCapacityRatio scores a resource by the configured points of utilization and score, linear
    between them.

    What is requested with the pod, in percent of what the node has, scored by the points; of one resource.
    """
    formula(node)
    applies(len(node.strategy.weights) == 1, "several resources are weighed")
    return _scores_by_the_formula(node)


@chapter.requires(
    "scheduler/requested-to-capacity-ratio/weighs-resources",
    "scheduler/requested-to-capacity-ratio",
    on=ScoredNode,
    rests_on=("bin-packing/example/weighted-mean", "bin-packing/ratio/weights"),
)
def weighs_resources(node: ScoredNode) -> Judgement:
    """A node's score is the mean of its resources' scores by their weights, those that score 0 included."""
    formula(node)
    applies(len(node.strategy.weights) > 1, "one resource is weighed")
    return _scores_by_the_formula(node)


@chapter.requires(
    "scheduler/requested-to-capacity-ratio/rounds-to-the-nearest",
    "scheduler/requested-to-capacity-ratio",
    on=ScoredNode,
    rests_on=("bin-packing/example/node-2", "bin-packing/example/weighted-mean"),
    strength="SHOULD",
    beyond="The page's second node has a mean of 6.9 and scores 7; how means are rounded it does not say in words.",
)
def rounds_to_the_nearest(node: ScoredNode) -> Judgement:
    """The weighted mean of any list of resources is rounded to the nearest whole number.

    The page's second node has a mean of 6.9 and scores 7: the nearest whole number.
    """
    formula(node)
    applies(len(node.strategy.weights) > 1, "one resource is weighed")
    return _is_within(node, node.nearest_range(), f"the score is not the nearest to the mean of {_utilization(node)}")


@chapter.requires(
    "scheduler/requested-to-capacity-ratio/worked-example",
    "scheduler/requested-to-capacity-ratio",
    on=ScoredNode,
    rests_on=(
        "bin-packing/example/node-1",
        "bin-packing/example/node-2",
        "bin-packing/ratio/weights",
        "bin-packing/example/weighted-mean",
    ),
)
def works_the_example(node: ScoredNode) -> Judgement:
    """The worked example of the page scores its nodes 5 and 7 of 10, or the same on the scale from 0 to 100."""
    formula(node)
    applies(
        node.strategy.weights == _EXAMPLE and node.strategy.shape == _RISING,
        "weights and shape are not those of the page's example",
    )
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


@chapter.requires(
    "scheduler/requested-to-capacity-ratio/scores-each-resource",
    "scheduler/requested-to-capacity-ratio",
    on=ScoredNode,
    rests_on=(
        "bin-packing/example/floor",
        "bin-packing/example/node-1-extended",
        "bin-packing/example/node-1-memory",
        "bin-packing/example/node-1-cpu",
        "bin-packing/example/node-2-extended",
        "bin-packing/example/node-2-memory",
        "bin-packing/example/node-2-cpu",
    ),
)
def scores_each_resource(node: ScoredNode) -> Judgement:
    """The score of each resource, where it is told, is the shape's at its utilization."""
    by(node, RATIO)
    applies(node.is_decided, "it is not told what the node has and gives")
    applies(node.scores is not None, "the score of each resource is not told")
    scores = node.scores or {}
    ranges = {name: node.strategy.raw_range(value, node.top) for name, value in node.utilization.items()}
    wrong = [name for name, (low, high) in ranges.items() if not float(low) <= scores.get(name, 0) <= float(high)]
    return violated(
        not wrong,
        f"{', '.join(wrong)} scored otherwise than by the shape",
        got=scores,
        allowed={name: f"{float(low):g} to {float(high):g}" for name, (low, high) in ranges.items()},
    )


@chapter.requires(
    "scheduler/most-allocated/scores-the-mean-utilization",
    "scheduler/most-allocated",
    on=ScoredNode,
    rests_on=("bin-packing/most-allocated/weights",),
    strength="SHOULD",
    beyond="The page of today says so below its example; earlier ones say that higher allocation is favoured.",
)
def most_scores_the_mean(node: ScoredNode) -> Judgement:
    """MostAllocated scores a node by the weighted mean of its resources' utilization.

    Nodes are scored by the weighted average utilization of the resources, says the page of today.
    """
    by(node, MOST)
    applies(node.is_decided, "it is not told what the node has and gives")
    applies(node.score is not None, "no score is told")
    unit = 100 // node.top
    low = node.strategy.mean({name: Fraction(value // 10 * 10) for name, value in node.utilization.items()}) / unit
    high = node.strategy.mean(node.utilization) / unit
    return violated(
        floor(low) <= (node.score or 0) <= ceil(high),
        f"the score is not the mean of {_utilization(node)}",
        got=node.score,
        allowed=f"{floor(low)} to {ceil(high)} of {node.top}",
    )


@chapter.requires(
    "scheduler/most-allocated/favours-full-nodes",
    "scheduler/most-allocated",
    on=ScorePair,
    rests_on=("bin-packing/most-allocated/favours-full-nodes", "bin-packing/head/two-strategies"),
)
def most_favours_full_nodes(pair: ScorePair) -> Judgement:
    """MostAllocated scores a node higher the more of its resources is requested.

    Of two nodes that one with more requested scores no lower, and higher where it is much.
    """
    both_by(pair, MOST)
    applies(pair.first.pod == pair.second.pod, "two pods are scored")
    applies(pair.ordered() is not None, "neither node has more requested of each resource")
    return _favours(pair)


@chapter.requires(
    "scheduler/least-allocated/favours-empty-nodes",
    "scheduler/least-allocated",
    on=ScorePair,
    rests_on=("scheduler-configuration/plugins/three-strategies", "scheduler-reference/strategy/least-allocated"),
    strength="SHOULD",
)
def least_favours_empty_nodes(pair: ScorePair) -> Judgement:
    """LeastAllocated scores a node higher the less of its resources is requested.

    Of two nodes that one with less requested scores no lower, and higher where it is much.
    """
    both_by(pair, LEAST)
    applies(pair.first.pod == pair.second.pod, "two pods are scored")
    applies(pair.ordered() is not None, "neither node has more requested of each resource")
    return _favours(pair)


@chapter.requires(
    "scheduler/requested-to-capacity-ratio/reverses-with-the-shape",
    "scheduler/requested-to-capacity-ratio",
    on=ScorePair,
    rests_on=("bin-packing/shape/reversed",),
)
def reverses_with_the_shape(pair: ScorePair) -> Judgement:
    """A falling shape favours nodes with little requested, a rising shape nodes with much."""
    both_by(pair, RATIO)
    applies(pair.first.is_decided and pair.second.is_decided, "more is requested than the node has")
    shape_is_simple(pair)
    applies(pair.first.pod == pair.second.pod, "two pods are scored")
    applies(pair.ordered() is not None, "neither node has more requested of each resource")
    return _favours(pair)


@chapter.requires(
    "scheduler/score/counts-the-pod-itself",
    "scheduler/most-allocated",
    on=ScorePair,
    rests_on=("bin-packing/example/requested-and-used",),
)
def counts_the_pod_itself(pair: ScorePair) -> Judgement:
    """What the pod asks for is added to what is requested on the node."""
    applies(
        pair.first.room == pair.second.room
        and pair.first.used == pair.second.used
        and pair.first.pod != pair.second.pod,
        "the nodes differ, or the pod is the same",
    )
    applies(pair.first.is_decided and pair.second.is_decided, "more is requested than the node has")
    shape_is_simple(pair)
    applies(pair.ordered() is not None, "neither node has more requested of each resource")
    return _favours(pair)


@chapter.requires(
    "scheduler/score/counts-every-pod", on=ScorePair, rests_on=("bin-packing/example/requested-and-used",)
)
def counts_every_pod(pair: ScorePair) -> Judgement:
    """What is requested on the node counts alike, whether one pod or several request it.

    What is requested is added up over the pods on the node: the score does not hang on how many they are.
    """
    applies(
        len(pair.first.used) != len(pair.second.used) and pair.first.pod == pair.second.pod and pair.same_requests,
        "the pods on the node do not request as much together, or are as many",
    )
    return violated(
        pair.first.score == pair.second.score,
        "the same requests score otherwise where they are those of more pods, or of fewer",
        got=f"{pair.first.score} with {len(pair.first.used)} pods, {pair.second.score} with {len(pair.second.used)}",
        allowed="the same score",
    )


@chapter.requires(
    "scheduler/score/counts-effective-requests",
    on=ScorePair,
    rests_on=(
        "bin-packing/example/requested-and-used",
        "init-containers/resources/effective-request",
        "sidecars/resources/count-beside-apps",
        "sidecars/resources/overhead",
    ),
)
def counts_effective_requests(pair: ScorePair) -> Judgement:
    """A pod counts for its effective request with its overhead, whichever of its containers ask for it."""
    applies(
        len(pair.first.used) == len(pair.second.used)
        and (pair.first.used, pair.first.pod) != (pair.second.used, pair.second.pod)
        and pair.same_requests,
        "the pods do not request as much as those before, or by containers of the same kinds",
    )
    return violated(
        pair.first.score == pair.second.score,
        "the same requests score otherwise where containers of other kinds, or overhead, ask for them",
        got=f"{pair.first.score}, then {pair.second.score} of {_utilization(pair.second)}",
        allowed="the same score",
    )


@chapter.requires(
    "scheduler/score/counts-extended-resources",
    "scheduler/most-allocated",
    on=ScorePair,
    rests_on=("bin-packing/shape/extended-resources",),
)
def counts_extended_resources(pair: ScorePair) -> Judgement:
    """Extended resources take part in the score when the strategy lists them.

    An extended resource takes part when the strategy lists it; asked of nodes that differ in nothing else.
    """
    both_by(pair, MOST)
    applies(_only_extended_resources_differ(pair), "the nodes differ in more than extended resources")
    applies(pair.ordered() is not None, "neither node has more requested of each resource")
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


@chapter.requires(
    "scheduler/most-allocated/weighs-resources",
    "scheduler/most-allocated",
    on=ScorePair,
    rests_on=(
        "bin-packing/most-allocated/weights",
        "bin-packing/example/weighted-mean",
        "scheduler-reference/resources/weight",
    ),
)
def most_weighs_resources(pair: ScorePair) -> Judgement:
    """The score is the mean of the resources' scores, weighted as configured.

    More weight of the resource of which more is requested: a higher score.
    """
    both_by(pair, MOST)
    applies(
        _weighed_otherwise(pair),
        "more differs than the weights of two resources, or one weight, or it makes little difference",
    )
    left, right, means = pair.first, pair.second, _means(pair)
    rises = means[1] > means[0]
    return violated(
        ((right.score or 0) > (left.score or 0)) == rises and left.score != right.score,
        "the weights of the resources do not count",
        got=f"{left.score} by {_weights(left)}, {right.score} by {_weights(right)}, of {_utilization(left)}",
        allowed=f"the {'second' if rises else 'first'} above",
    )


@chapter.requires(
    "scheduler/score/missing-weight-is-one",
    "scheduler/requested-to-capacity-ratio",
    on=ScorePair,
    rests_on=("bin-packing/shape/weight-default",),
)
def missing_weight_is_one(pair: ScorePair) -> Judgement:
    """A resource without a weight has weight 1.

    The weight of a resource is optional and then 1, says the section of RequestedToCapacityRatio.
    """
    both_by(pair, RATIO)
    leaves_out(pair, "weight")
    return _scores_the_same(pair, "weight")


@chapter.requires(
    "scheduler/score/missing-weight-is-one-everywhere",
    "scheduler/most-allocated",
    on=ScorePair,
    rests_on=("bin-packing/shape/weight-default",),
    strength="SHOULD",
    beyond="The sentence stands in the section of RequestedToCapacityRatio.",
)
def missing_weight_is_one_everywhere(pair: ScorePair) -> Judgement:
    """MostAllocated and LeastAllocated count a resource without a weight with 1.

    The same of the other strategies.
    """
    applies(pair.first.strategy.kind != RATIO, "the strategy is RequestedToCapacityRatio")
    leaves_out(pair, "weight")
    return _scores_the_same(pair, "weight")


@chapter.requires(
    "scheduler/score/defaults-to-cpu-and-memory",
    "scheduler/requested-to-capacity-ratio",
    on=ScorePair,
    rests_on=("bin-packing/shape/resources-default",),
)
def defaults_to_cpu_and_memory(pair: ScorePair) -> Judgement:
    """A strategy that lists no resources scores by cpu and memory, both with weight 1.

    The resources are optional and then cpu and memory, alike, says the section of RequestedToCapacityRatio.
    """
    both_by(pair, RATIO)
    leaves_out(pair, "resources")
    return _scores_the_same(pair, "resources")


@chapter.requires(
    "scheduler/score/defaults-to-cpu-and-memory-everywhere",
    "scheduler/most-allocated",
    on=ScorePair,
    rests_on=("bin-packing/shape/resources-default",),
    strength="SHOULD",
    beyond="The sentence stands in the section of RequestedToCapacityRatio.",
)
def defaults_to_cpu_and_memory_everywhere(pair: ScorePair) -> Judgement:
    """MostAllocated and LeastAllocated without resources score by cpu and memory alike.

    The same of the other strategies.
    """
    applies(pair.first.strategy.kind != RATIO, "the strategy is RequestedToCapacityRatio")
    leaves_out(pair, "resources")
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
