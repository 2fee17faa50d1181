"""Strategy RequestedToCapacityRatio: page Resource Bin Packing, which has a formula for it and a worked example."""

from ...judging.chapter import Chapter, Judgement, applies, exists, recommended_by, rests_on, violated
from ...judging.scored import RATIO, ScoredNode, ScorePair
from .conditions import RISING, by, decided, favours, simple, utilization

chapter = Chapter("scheduler/requested-to-capacity-ratio", since="1.22")


@chapter.requires("scheduler/requested-to-capacity-ratio/refuses-a-bad-shape")
@recommended_by(
    "scheduler-reference/shape/ranges",
    beyond="The reference gives the ranges; what becomes of other shapes it does not say.",
)
def refuses_a_bad_shape(node: ScoredNode) -> Judgement:
    """A shape whose utilization does not increase, or whose scores lie outside 0 to 10, is refused."""
    by(node, RATIO)
    applies(not node.strategy.sound, "the strategy is sound")
    applies(all(0 < weight <= 100 for _, weight in node.strategy.weights), "its weights are not sound")
    return violated(node.refused is not None, "a bad shape is accepted", got=node.score, allowed="a refusal")


@chapter.requires("scheduler/requested-to-capacity-ratio/follows-the-shape")
@rests_on(
    "bin-packing/ratio/shape",
    "bin-packing/shape/zero-scores-zero",
    "bin-packing/shape/hundred-scores-ten",
    "bin-packing/head/two-strategies",
)
def follows_the_shape(node: ScoredNode) -> Judgement:
    """RequestedToCapacityRatio scores a resource by the configured points of utilization and score, linear
    between them.
    """
    score = decided(node, RATIO)
    applies(len(node.strategy.weights) == 1, "several resources are weighed")
    return _scores_by_the_formula(node, score)


@chapter.requires("scheduler/requested-to-capacity-ratio/weighs-resources")
@rests_on("bin-packing/example/weighted-mean", "bin-packing/ratio/weights")
def weighs_resources(node: ScoredNode) -> Judgement:
    """A node's score is the mean of its resources' scores by their weights, those that score 0 included."""
    score = decided(node, RATIO)
    applies(len(node.strategy.weights) > 1, "one resource is weighed")
    return _scores_by_the_formula(node, score)


@chapter.requires("scheduler/requested-to-capacity-ratio/rounds-to-the-nearest")
@recommended_by(
    "bin-packing/example/node-2",
    "bin-packing/example/weighted-mean",
    beyond="The page's second node has a mean of 6.9 and scores 7; how means are rounded it does not say in words.",
)
def rounds_to_the_nearest(node: ScoredNode) -> Judgement:
    """The weighted mean of any list of resources is rounded to the nearest whole number."""
    score = decided(node, RATIO)
    applies(len(node.strategy.weights) > 1, "one resource is weighed")
    return _is_within(node, score, node.nearest_range(), "the score is not the nearest to the mean of")


@chapter.requires("scheduler/requested-to-capacity-ratio/worked-example")
@rests_on(
    "bin-packing/example/node-1",
    "bin-packing/example/node-2",
    "bin-packing/ratio/weights",
    "bin-packing/example/weighted-mean",
)
def works_the_example(node: ScoredNode) -> Judgement:
    """The worked example of the page scores its nodes 5 and 7 of 10, or the same on the scale from 0 to 100."""
    score = decided(node, RATIO)
    applies(node.strategy.shape == RISING, "the shape is not that of the page's example")
    example = ("intel.com/foo", 5), ("memory", 1), ("cpu", 3)
    applies(node.strategy.weights == example, "the weights are not those of the page's example")
    return _scores_by_the_formula(node, score)


def _scores_by_the_formula(node: ScoredNode, score: int) -> Judgement:
    return _is_within(node, score, node.ratio_range(), "the score is not that of")


def _is_within(node: ScoredNode, score: int, allowed: tuple[int, int], why: str) -> Judgement:
    low, high = allowed
    text = f"{low} to {high} of {node.top}" if low < high else f"{low} of {node.top}"
    return violated(low <= score <= high, f"{why} {utilization(node)}", got=score, allowed=text)


@chapter.requires("scheduler/requested-to-capacity-ratio/scores-each-resource")
@rests_on(
    "bin-packing/example/floor",
    "bin-packing/example/node-1-extended",
    "bin-packing/example/node-1-memory",
    "bin-packing/example/node-1-cpu",
    "bin-packing/example/node-2-extended",
    "bin-packing/example/node-2-memory",
    "bin-packing/example/node-2-cpu",
)
def scores_each_resource(node: ScoredNode) -> Judgement:
    """The score of each resource, where it is reported, is the shape's at its utilization."""
    by(node, RATIO)
    applies(node.is_decided, "no answer says what the node has and gives")
    scores = exists(node.scores, "the score of each resource is not reported")
    ranges = {
        name: tuple(map(float, node.strategy.raw_range(value, node.top))) for name, value in node.utilization.items()
    }
    wrong = [name for name, (low, high) in ranges.items() if not low <= scores.get(name, 0) <= high]
    return violated(
        not wrong,
        f"{', '.join(wrong)} scored otherwise than by the shape",
        got=", ".join(f"{name} {score:g}" for name, score in scores.items()),
        allowed=", ".join(f"{name} {low:g}" + f" to {high:g}" * (low < high) for name, (low, high) in ranges.items()),
    )


@chapter.requires("scheduler/requested-to-capacity-ratio/reverses-with-the-shape")
@rests_on("bin-packing/shape/reversed")
def reverses_with_the_shape(pair: ScorePair) -> Judgement:
    """A falling shape favours nodes with little requested, a rising shape nodes with much."""
    by(pair.first, RATIO)
    simple(pair)
    applies(pair.first.pod == pair.second.pod, "two pods are scored")
    return favours(pair)
