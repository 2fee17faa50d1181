"""NodeResourcesFit scoring."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from numa_conformance.suite.findings import Finding
from numa_conformance.suite.workloads import container, pod
from numa_conformance.target import Client, wire

requirement = pytest.mark.requirement

FOO = "intel.com/foo"
RISING = [{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}]
FALLING = [{"utilization": 0, "score": 10}, {"utilization": 100, "score": 0}]


def requests(name: str, **amounts: str) -> dict[str, Any]:
    """Describe a pod that requests amounts."""
    return pod(name, [container("c", requests=amounts)])


def ratio(shape: Sequence[dict[str, int]], *resources: tuple[str, int]) -> dict[str, Any]:
    """Return the strategy RequestedToCapacityRatio with a shape and weighted resources."""
    weighted = [{"name": name, "weight": weight} for name, weight in resources]
    return {
        "type": "RequestedToCapacityRatio",
        "resources": weighted,
        "requestedToCapacityRatio": {"shape": list(shape)},
    }


class Scorer:
    """Asks the target for scores."""

    def __init__(self, target: Client, requirements: Sequence[str]) -> None:
        """Take the target and the requirements of the test."""
        self._target = target
        self._requirements = tuple(requirements)

    def ask(self, strategy: dict[str, Any], used: str, wanted: str = "1", *, node: str = "8") -> wire.ScoreReply:
        """Score a node of ``node`` CPUs of which ``used`` are requested, for a pod that wants some."""
        allocatable = {"cpu": node, "memory": "8Gi", "pods": "110"}
        pods = [requests("used", cpu=used, memory="1Gi")]
        reply = self._target.ask(wire.Score(strategy, allocatable, pods, requests("p", cpu=wanted, memory="1Gi")))
        assert isinstance(reply, wire.ScoreReply)
        return reply

    def score(self, strategy: dict[str, Any], used: str, wanted: str = "1") -> int:
        """Return the score."""
        score = self.ask(strategy, used, wanted).score
        self.check(score is not None, "there is no score", score, "a score")
        return score or 0

    def check(self, holds: object, why: str, got: object, allowed: object) -> None:
        """Raise a finding unless ``holds``."""
        __tracebackhide__ = True
        if not holds:
            raise Finding(self._requirements, why, got=got, allowed=allowed)


@pytest.fixture
def scorer(target: Client, requirements: tuple[str, ...]) -> Scorer:
    return Scorer(target, requirements)


@requirement("scheduler/least-allocated/favours-empty-nodes")
def test_least_allocated_favours_the_empty_node(scorer: Scorer) -> None:
    empty, full = (scorer.score({"type": "LeastAllocated"}, used) for used in ("1", "6"))
    scorer.check(empty > full, "the fuller node scores as high", (empty, full), "empty above full")


@requirement("scheduler/most-allocated/favours-full-nodes")
def test_most_allocated_favours_the_full_node(scorer: Scorer) -> None:
    empty, full = (scorer.score({"type": "MostAllocated"}, used) for used in ("1", "6"))
    scorer.check(empty < full, "the emptier node scores as high", (empty, full), "full above empty")


@requirement("scheduler/most-allocated/weighs-resources")
def test_weights_decide(scorer: Scorer) -> None:
    def weighed(cpu: int, memory: int) -> int:
        resources = [{"name": "cpu", "weight": cpu}, {"name": "memory", "weight": memory}]
        return scorer.score({"type": "MostAllocated", "resources": resources}, "6")

    cpu, memory = weighed(9, 1), weighed(1, 9)
    scorer.check(cpu > memory, "the weight of a resource changes nothing", (cpu, memory), "cpu above memory")


@requirement("scheduler/requested-to-capacity-ratio/follows-the-shape")
@pytest.mark.parametrize(("used", "score"), [("1", 50), ("3", 100), ("5", 50), ("7", 0)])
def test_the_shape_is_followed_between_its_points(scorer: Scorer, used: str, score: int) -> None:
    tent = [{"utilization": at, "score": value} for at, value in ((0, 0), (50, 10), (100, 0))]
    got = scorer.score(ratio(tent, ("cpu", 1)), used)
    scorer.check(abs(got - score) <= 1, f"{used} + 1 of 8 CPUs", got, f"about {score}")


@requirement("scheduler/requested-to-capacity-ratio/reverses-with-the-shape")
def test_a_falling_shape_favours_empty_nodes(scorer: Scorer) -> None:
    rising = [scorer.score(ratio(RISING, ("cpu", 1)), used) for used in ("1", "6")]
    falling = [scorer.score(ratio(FALLING, ("cpu", 1)), used) for used in ("1", "6")]
    scorer.check(rising[0] < rising[1], "a rising shape favours the emptier node", rising, "rising")
    scorer.check(falling[0] > falling[1], "a falling shape favours the fuller node", falling, "falling")


@requirement("scheduler/requested-to-capacity-ratio/worked-example")
def test_the_worked_example(scorer: Scorer, target: Client) -> None:
    """The page gives 5 and 7 on a scale to 10; on the real scale to 100 these are 60 and 69."""
    strategy = ratio(RISING, (FOO, 5), ("memory", 1), ("cpu", 3))
    wanted = requests("p", **{FOO: "2", "memory": "256Mi", "cpu": "2"})
    nodes = (
        ({FOO: "4", "memory": "1Gi", "cpu": "8", "pods": "110"}, {FOO: "1", "memory": "256Mi", "cpu": "1"}),
        ({FOO: "8", "memory": "1Gi", "cpu": "8", "pods": "110"}, {FOO: "2", "memory": "512Mi", "cpu": "6"}),
    )
    scores = []
    for allocatable, used in nodes:
        reply = target.ask(wire.Score(strategy, allocatable, [requests("used", **used)], wanted))
        scores.append(reply.score)
    first, second = scores
    scorer.check(first < second, "the first node scores as high as the second", scores, "5 and 7 of 10")
    scorer.check(
        50 <= first <= 65 and 62 <= second <= 75, "the scores are not those of the page", scores, "5 and 7 of 10"
    )


@requirement("scheduler/score/stays-in-range")
@pytest.mark.parametrize("used", ["0", "8", "20"])
@pytest.mark.parametrize("strategy", ["LeastAllocated", "MostAllocated"])
def test_scores_stay_in_range(scorer: Scorer, strategy: str, used: str) -> None:
    got = scorer.score({"type": strategy}, used)
    scorer.check(0 <= got <= 100, "the score is out of range", got, "0 to 100")


@requirement("scheduler/requested-to-capacity-ratio/refuses-a-bad-shape")
@pytest.mark.parametrize(
    "shape",
    [
        [{"utilization": 50, "score": 1}, {"utilization": 10, "score": 5}],
        [{"utilization": 0, "score": 11}],
        [{"utilization": 101, "score": 1}],
        [],
    ],
    ids=["not-increasing", "score-too-high", "utilization-too-high", "empty"],
)
def test_refuses_a_bad_shape(scorer: Scorer, shape: list[dict[str, int]]) -> None:
    reply = scorer.ask(ratio(shape, ("cpu", 1)), "1")
    scorer.check(reply.construction_error, "a bad shape is accepted", reply.score, "refused")
