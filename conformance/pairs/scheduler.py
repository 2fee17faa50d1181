"""Nodes that are scored wrongly, and rightly: of 10 CPUs, 10 bytes of memory and 10 extended resources each."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from numa_conformance.asking.generators import score_sweeps, workloads
from numa_conformance.chapters.pairs import twin
from numa_conformance.chapters.scheduler import filter, ratio, scores, strategies
from numa_conformance.chapters.scheduler.conditions import FALLING, RISING
from numa_conformance.judging.pods import PodSpec
from numa_conformance.judging.scored import LEAST, MOST, RATIO, ScoredNode, ScorePair, Strategy, WholePair

ROOM = {"cpu": 10, "memory": 10, "intel.com/foo": 10, "pods": 10}


def pod(init: int = 0, whole: int = 0, **amounts: int) -> PodSpec:
    """Describe a pod by what its container requests; ``init``, ``whole``: CPUs of an init container, of the pod."""
    of = {name.replace("foo", "intel.com/foo"): str(amount) for name, amount in amounts.items()}
    first = [workloads.container("init", requests={"cpu": str(init)})] if init else []
    described = workloads.pod("p", [workloads.container("c", requests=of)], first)
    if whole:
        described["spec"]["resources"] = {"requests": {"cpu": str(whole)}}
    return PodSpec.of(described)


def scored(
    strategy: Mapping[str, Any],
    score: int | None,
    wanted: PodSpec,
    *used: PodSpec,
    room: Mapping[str, int] = ROOM,
    **more: Any,
) -> ScoredNode:
    """Describe a score, to 10 by a shape, to 100 otherwise, of a node on which pods are."""
    amounts = {name: Fraction(amount) for name, amount in room.items()}
    answer = {"insufficient": (), "refused": None, "top": 10 if strategy["type"] == RATIO else 100, **more}
    return ScoredNode(strategy, Strategy.of(strategy), amounts, used, wanted, score, **answer)


def refused(strategy: Mapping[str, Any]) -> ScoredNode:
    """Describe a strategy that is refused."""
    return scored(strategy, None, TWO, refused="no")


def both(first: ScoredNode, second: ScoredNode) -> ScorePair:
    """Describe two nodes that are scored one after the other."""
    return ScorePair(first, second, (first.score or 0, second.score or 0))


TWO, FOUR, SIX = (pod(cpu=cpus) for cpus in (2, 4, 6))
FOUR_AS_A_WHOLE, ELEVEN_AS_A_WHOLE = (pod(whole=cpus, cpu=1) for cpus in (4, 11))
MANY, FEW = score_sweeps.strategy(MOST, cpu=1), score_sweeps.strategy(LEAST, cpu=1)
SHAPED, REVERSED = (score_sweeps.strategy(RATIO, shape, cpu=1) for shape in (RISING, FALLING))
BAD_SHAPE = score_sweeps.strategy(RATIO, ((0, 0), (0, 10)), cpu=1)
NEGATIVE, NEGATIVE_ELSEWHERE = score_sweeps.strategy(RATIO, RISING, cpu=-1), score_sweeps.strategy(MOST, cpu=-1)


def left_out(kind: str, resources: list[dict[str, Any]], first: int, second: int) -> ScorePair:
    """Score by CPUs and memory alike, with weights, and then with what these resources leave out."""
    full = score_sweeps.strategy(kind, RISING if kind == RATIO else None, cpu=1, memory=1)
    wanted = pod(cpu=2, memory=4)
    return both(scored(full, first, wanted), scored({**full, "resources": resources}, second, wanted))


NO_WEIGHTS = [{"name": "cpu"}, {"name": "memory"}]


def weighed(first: int, second: int) -> ScorePair:
    """Score by more weight of memory, then of CPUs, of which more is requested."""
    wanted = pod(cpu=8, memory=2)
    by_memory, by_cpu = (score_sweeps.strategy(MOST, cpu=cpu, memory=4 - cpu) for cpu in (1, 3))
    return both(scored(by_memory, first, wanted), scored(by_cpu, second, wanted))


def extended(score: int) -> ScorePair:
    """Score for a pod with two extended resources and for one with six, of which the first scores 20."""
    by_both = score_sweeps.strategy(MOST, cpu=1, foo=1)
    return both(scored(by_both, 20, pod(cpu=2, foo=2)), scored(by_both, score, pod(cpu=2, foo=6)))


def of_two(score: int) -> ScoredNode:
    """Score by CPUs, of which 2 are requested, and twice as much weight of memory, of which 4 are."""
    return scored(score_sweeps.strategy(RATIO, RISING, cpu=1, memory=2), score, pod(cpu=2, memory=4))


def of_the_page(score: int) -> ScoredNode:
    """Score the first node of the page's example."""
    room = {"intel.com/foo": 4, "memory": 1024, "cpu": 8, "pods": 10}
    strategy = score_sweeps.strategy(RATIO, RISING, foo=5, memory=1, cpu=3)
    return scored(strategy, score, pod(foo=2, memory=256, cpu=2), pod(foo=1, memory=256, cpu=1), room=room)


def short(*insufficient: str) -> ScoredNode:
    """Ask for more CPUs and memory than a node has left."""
    return scored(MANY, 100, pod(cpu=6, memory=6), pod(cpu=8, memory=8), insufficient=insufficient)


PAIRS = {
    filter.refuses_what_has_no_room: (short(), short("Insufficient cpu")),
    filter.names_what_is_insufficient: (short("Insufficient cpu"), short("Insufficient cpu", "Insufficient memory")),
    filter.counts_resources_as_a_whole: (
        scored(MANY, 100, ELEVEN_AS_A_WHOLE),
        scored(MANY, 100, ELEVEN_AS_A_WHOLE, insufficient=("Insufficient cpu",)),
    ),
    scores.stays_in_range: (scored(MANY, 101, TWO), scored(MANY, 100, TWO)),
    scores.takes_sound_strategies: (refused(MANY), scored(MANY, 20, TWO)),
    scores.refuses_negative_weights: (scored(NEGATIVE, 0, TWO), refused(NEGATIVE)),
    twin(scores.refuses_negative_weights): (scored(NEGATIVE_ELSEWHERE, 0, TWO), refused(NEGATIVE_ELSEWHERE)),
    scores.counts_the_pod_itself: (
        both(scored(MANY, 40, TWO, FOUR), scored(MANY, 40, SIX, FOUR)),
        both(scored(MANY, 60, TWO, FOUR), scored(MANY, 100, SIX, FOUR)),
    ),
    scores.counts_every_pod: (
        both(scored(MANY, 60, TWO, FOUR), scored(MANY, 40, TWO, TWO, TWO)),
        both(scored(MANY, 60, TWO, FOUR), scored(MANY, 60, TWO, TWO, TWO)),
    ),
    scores.counts_effective_requests: (
        both(scored(MANY, 40, TWO, TWO), scored(MANY, 50, TWO, pod(init=1, cpu=2))),
        both(scored(MANY, 40, TWO, TWO), scored(MANY, 40, TWO, pod(init=1, cpu=2))),
    ),
    scores.counts_resources_as_a_whole: (
        WholePair(both(scored(MANY, 60, TWO, FOUR), scored(MANY, 30, TWO, FOUR_AS_A_WHOLE))),
        WholePair(both(scored(MANY, 60, TWO, FOUR), scored(MANY, 60, TWO, FOUR_AS_A_WHOLE))),
    ),
    scores.counts_extended_resources: (extended(20), extended(40)),
    scores.missing_weight_is_one: (left_out(RATIO, NO_WEIGHTS, 3, 0), left_out(RATIO, NO_WEIGHTS, 3, 3)),
    twin(scores.missing_weight_is_one): (left_out(MOST, NO_WEIGHTS, 30, 0), left_out(MOST, NO_WEIGHTS, 30, 30)),
    scores.defaults_to_cpu_and_memory: (left_out(RATIO, [], 3, 2), left_out(RATIO, [], 3, 3)),
    twin(scores.defaults_to_cpu_and_memory): (left_out(LEAST, [], 70, 80), left_out(LEAST, [], 70, 70)),
    ratio.refuses_a_bad_shape: (scored(BAD_SHAPE, 10, TWO), refused(BAD_SHAPE)),
    ratio.follows_the_shape: (scored(SHAPED, 6, FOUR), scored(SHAPED, 4, FOUR)),
    ratio.weighs_resources: (of_two(2), of_two(3)),
    ratio.rounds_to_the_nearest: (of_two(4), of_two(3)),
    ratio.works_the_example: (of_the_page(7), of_the_page(5)),
    ratio.scores_each_resource: (
        scored(SHAPED, 4, FOUR, scores={"cpu": 6}),
        scored(SHAPED, 4, FOUR, scores={"cpu": 4}),
    ),
    ratio.reverses_with_the_shape: (
        both(scored(REVERSED, 2, TWO), scored(REVERSED, 6, TWO, FOUR)),
        both(scored(REVERSED, 8, TWO), scored(REVERSED, 4, TWO, FOUR)),
    ),
    strategies.most_scores_the_mean: (scored(MANY, 60, FOUR), scored(MANY, 40, FOUR)),
    strategies.most_favours_full_nodes: (
        both(scored(MANY, 80, TWO), scored(MANY, 40, TWO, FOUR)),
        both(scored(MANY, 20, TWO), scored(MANY, 60, TWO, FOUR)),
    ),
    strategies.least_favours_empty_nodes: (
        both(scored(FEW, 20, TWO), scored(FEW, 60, TWO, FOUR)),
        both(scored(FEW, 80, TWO), scored(FEW, 40, TWO, FOUR)),
    ),
    strategies.most_weighs_resources: (weighed(50, 50), weighed(35, 65)),
}
