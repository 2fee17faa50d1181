"""How nodes are scored for a pod, whatever the strategy: page Resource Bin Packing."""

from collections.abc import Callable, Sequence
from typing import Any

from ...judging.chapter import Chapter, Judgement, applies, exists, recommended_by, rests_on, violated
from ...judging.scored import MOST, RATIO, ScoredNode, ScorePair, WholePair, is_extended
from .conditions import by, favours, simple, utilization

chapter = Chapter(since="1.22")

ELSEWHERE = "The sentence is in the section of RequestedToCapacityRatio."


def of_the_section(node: ScoredNode, everywhere: bool) -> None:
    """Go on where the strategy is the section's, or for what is recommended ``everywhere`` another."""
    applies((node.strategy.kind == RATIO) != everywhere, f"the strategy is {'' if everywhere else 'not '}{RATIO}")


@chapter.requires("scheduler/score/stays-in-range", "scheduler/least-allocated")
@recommended_by(
    "bin-packing/shape/hundred-scores-ten",
    beyond="The page shows scores from 0 to 10; the range from 0 to 100 is the scheduler's.",
)
def stays_in_range(node: ScoredNode) -> Judgement:
    """Scores are whole numbers from 0 to 100."""
    score = exists(node.score, "no score is reported")
    return violated(0 <= score <= 100, "the score is out of range", got=score, allowed="0 to 100")


@chapter.requires("scheduler/score/takes-sound-strategies", "scheduler/filter")
@rests_on(
    "bin-packing/most-allocated/configuration", "bin-packing/ratio/configuration", "bin-packing/head/two-strategies"
)
def takes_sound_strategies(node: ScoredNode) -> Judgement:
    """A strategy as the page describes it is taken."""
    applies(node.strategy.sound, "the strategy is not as the page has it")
    return violated(node.refused is None, "a sound strategy is refused", got=node.refused or "", allowed="a score")


@chapter.twin(
    "scheduler/score/refuses-negative-weights-everywhere",
    "MostAllocated and LeastAllocated refuse a negative weight.",
    "scheduler/most-allocated",
    flag="everywhere",
    beyond=ELSEWHERE,
)
@chapter.requires("scheduler/score/refuses-negative-weights", "scheduler/requested-to-capacity-ratio")
@rests_on("bin-packing/shape/no-negative-weight")
def refuses_negative_weights(node: ScoredNode, everywhere: bool = False) -> Judgement:
    """A negative weight is refused."""
    of_the_section(node, everywhere)
    applies(any(weight < 0 for _, weight in node.strategy.weights), "no weight is negative")
    return violated(node.refused is not None, "a negative weight is accepted", got=node.score, allowed="a refusal")


@chapter.requires("scheduler/score/counts-the-pod-itself", "scheduler/most-allocated")
@rests_on("bin-packing/example/requested-and-used")
def counts_the_pod_itself(pair: ScorePair) -> Judgement:
    """What the pod asks for is added to what is requested on the node."""
    first, second = pair.first, pair.second
    applies(first.room == second.room and first.used == second.used, "the nodes differ")
    applies(first.pod != second.pod, "the pod is the same")
    simple(pair)
    return favours(pair)


@chapter.requires("scheduler/score/counts-every-pod")
@rests_on("bin-packing/example/requested-and-used")
def counts_every_pod(pair: ScorePair) -> Judgement:
    """What is requested on the node counts alike, whether one pod or several request it."""
    first, second = pair.first, pair.second
    applies(len(first.used) != len(second.used), "as many pods are on the node")
    applies(first.pod == second.pod and pair.same_requests, "the pods do not request as much together")
    why = "the same requests score otherwise where they are those of more pods, or of fewer"
    scores = f"{pair.scores[0]} with {len(first.used)} pods, {pair.scores[1]} with {len(second.used)}"
    return _are_the_same(pair, why, scores)


@chapter.requires("scheduler/score/counts-effective-requests")
@rests_on(
    "bin-packing/example/requested-and-used",
    "init-containers/resources/effective-request",
    "sidecars/resources/count-beside-apps",
    "sidecars/resources/overhead",
)
def counts_effective_requests(pair: ScorePair) -> Judgement:
    """A pod counts for its effective request with its overhead, whichever of its containers ask for it."""
    first, second = pair.first, pair.second
    applies(len(first.used) == len(second.used), "more pods, or fewer, are on the node")
    applies((first.used, first.pod) != (second.used, second.pod), "the pods are the same")
    applies(pair.same_requests, "the pods do not request as much as those before")
    why = "the same requests score otherwise where containers of other kinds, or overhead, ask for them"
    return _are_the_same(pair, why, f"{pair.scores[0]}, then {pair.scores[1]} of {utilization(second)}")


@chapter.requires("scheduler/score/counts-resources-as-a-whole", "node/pod-level-resources", since="1.34")
@rests_on("pod-level/head/takes-precedence", "bin-packing/example/requested-and-used")
def counts_resources_as_a_whole(whole: WholePair) -> Judgement:
    """A pod with resources as a whole counts for these, whatever its containers request."""
    applies(whole.pair.same_requests, "the pods do not request as much as those before")
    first, second = whole.pair.scores
    return _are_the_same(whole.pair, "the same requests score otherwise as a whole", f"{first}, then {second}")


@chapter.requires("scheduler/score/counts-extended-resources", "scheduler/most-allocated")
@rests_on("bin-packing/shape/extended-resources")
def counts_extended_resources(pair: ScorePair) -> Judgement:
    """Extended resources take part in the score when the strategy lists them."""
    by(pair.first, MOST)
    left, right = pair.first.utilization, pair.second.utilization
    same = all(left[name] == right.get(name) for name in left if not is_extended(name))
    applies(same, "the nodes differ in more than extended resources")
    return favours(pair)


@chapter.twin(
    "scheduler/score/missing-weight-is-one-everywhere",
    "MostAllocated and LeastAllocated count a resource without a weight with 1.",
    "scheduler/most-allocated",
    flag="everywhere",
    beyond=ELSEWHERE,
)
@chapter.requires("scheduler/score/missing-weight-is-one", "scheduler/requested-to-capacity-ratio")
@rests_on("bin-packing/shape/weight-default")
def missing_weight_is_one(pair: ScorePair, everywhere: bool = False) -> Judgement:
    """A resource without a weight has weight 1."""
    of_the_section(pair.first, everywhere)
    return _scores_the_same(pair, "weight", lambda resources: all("weight" in each for each in resources))


@chapter.twin(
    "scheduler/score/defaults-to-cpu-and-memory-everywhere",
    "MostAllocated and LeastAllocated without resources score by cpu and memory alike.",
    "scheduler/most-allocated",
    flag="everywhere",
    beyond=ELSEWHERE,
)
@chapter.requires("scheduler/score/defaults-to-cpu-and-memory", "scheduler/requested-to-capacity-ratio")
@rests_on("bin-packing/shape/resources-default")
def defaults_to_cpu_and_memory(pair: ScorePair, everywhere: bool = False) -> Judgement:
    """A strategy that lists no resources scores by cpu and memory, both with weight 1."""
    of_the_section(pair.first, everywhere)
    return _scores_the_same(pair, "resources", bool)


def _scores_the_same(pair: ScorePair, optional: str, names: Callable[[Sequence[Any]], bool]) -> Judgement:
    """Compare the scores of one node by one strategy, written once with and once without what is optional."""
    applies(pair.same_strategy and pair.same_node, "the strategies, nodes or pods differ in more")
    written = [names(node.written.get("resources") or ()) for node in (pair.first, pair.second)]
    applies(written[0] != written[1], f"both strategies name {optional}, or neither does")
    scores = f"{pair.scores[0]} and {pair.scores[1]}"
    return _are_the_same(pair, f"the score differs where {optional} is left out", scores)


def _are_the_same(pair: ScorePair, why: str, scores: str) -> Judgement:
    return violated(pair.scores[0] == pair.scores[1], why, got=scores, allowed="the same score")
