"""NodeResourcesFit scoring."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from numa_conformance.protocol import Client
from numa_conformance.protocol.messages.score import Score, Scored, ScoreRefused
from numa_conformance.suite.examples.questions import Questions
from numa_conformance.suite.generators.workloads import container, pod

pytestmark = pytest.mark.surfaces("score")
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


EXAMPLE_POD = requests("p", **{FOO: "2", "memory": "256Mi", "cpu": "2"})
EXAMPLE_NODES = (
    ({FOO: "4", "memory": "1Gi", "cpu": "8"}, {FOO: "1", "memory": "256Mi", "cpu": "1"}),
    ({FOO: "8", "memory": "1Gi", "cpu": "8"}, {FOO: "2", "memory": "512Mi", "cpu": "6"}),
)
"""Allocatable and used amounts of the two nodes of the page."""


class Scorer(Questions):
    """Asks the target for scores."""

    def reply(
        self, strategy: dict[str, Any], used: str, wanted: str = "1", *, node: str = "8"
    ) -> Scored | ScoreRefused:
        """Score a node of ``node`` CPUs of which ``used`` are requested, for a pod that wants some."""
        allocatable = {"cpu": node, "memory": "8Gi", "pods": "110"}
        pods = [requests("used", cpu=used, memory="1Gi")]
        return self.ask(Score(strategy, allocatable, pods, requests("p", cpu=wanted, memory="1Gi")))

    def score(self, strategy: dict[str, Any], used: str, wanted: str = "1") -> int:
        """Return the score."""
        return self._told(self.reply(strategy, used, wanted))

    def score_of(self, strategy: dict[str, Any], allocatable: dict[str, str], used: dict[str, str]) -> int:
        """Score a node of the worked example for its pod."""
        room = {**allocatable, "pods": "110"}
        return self._told(self.ask(Score(strategy, room, [requests("used", **used)], EXAMPLE_POD)))

    def scored(self, reply: Scored | ScoreRefused) -> Scored:
        """Return the reply, which must be no refusal."""
        if isinstance(reply, ScoreRefused):
            raise self.finding("the arguments are refused", got=reply.message, allowed="they are not")
        return reply

    def refused(self, reply: Scored | ScoreRefused, what: str) -> None:
        """Raise a finding unless the arguments are refused."""
        self.check(isinstance(reply, ScoreRefused), f"{what} is accepted", msgspec.to_builtins(reply), "refused")

    def _told(self, reply: Scored | ScoreRefused) -> int:
        score = self.scored(reply).score
        self.check(score is not None, "there is no score", score, "a score")
        return score or 0


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
        return scorer.score({**ratio(RISING), "resources": resources}, "6")

    cpu, memory = weighed(9, 1), weighed(1, 9)
    scorer.check(cpu > memory, "the weight of a resource changes nothing", (cpu, memory), "cpu above memory")


@requirement("scheduler/requested-to-capacity-ratio/follows-the-shape")
@pytest.mark.parametrize(("used", "percent"), [("1", 50), ("5", 50), ("7", 0)])
def test_the_shape_is_followed_between_its_points(scorer: Scorer, used: str, percent: int) -> None:
    """Scores are compared with that of the peak: the page scores up to 10, kube-scheduler up to 100."""
    tent = ratio([{"utilization": at, "score": value} for at, value in ((0, 0), (50, 10), (100, 0))], ("cpu", 1))
    peak, got = scorer.score(tent, "3"), scorer.score(tent, used)
    scorer.check(peak in (10, 100), "half full is the peak of the shape", peak, "10 or 100")
    scorer.check(abs(100 * got - percent * peak) <= peak, f"{used} + 1 of 8 CPUs", got, f"{percent} % of {peak}")


@requirement("scheduler/requested-to-capacity-ratio/reverses-with-the-shape")
def test_a_falling_shape_favours_empty_nodes(scorer: Scorer) -> None:
    rising = [scorer.score(ratio(RISING, ("cpu", 1)), used) for used in ("1", "6")]
    falling = [scorer.score(ratio(FALLING, ("cpu", 1)), used) for used in ("1", "6")]
    scorer.check(rising[0] < rising[1], "a rising shape favours the emptier node", rising, "rising")
    scorer.check(falling[0] > falling[1], "a falling shape favours the fuller node", falling, "falling")


@requirement("scheduler/requested-to-capacity-ratio/worked-example")
def test_the_worked_example(scorer: Scorer) -> None:
    """The page gives 5 and 7 on a scale to 10; kube-scheduler scores the same nodes 60 and 69 of 100."""
    scores = [scorer.score_of(ratio(RISING, (FOO, 5), ("memory", 1), ("cpu", 3)), *node) for node in EXAMPLE_NODES]
    scorer.check(
        scores == [5, 7] or (50 <= scores[0] <= 65 and 65 <= scores[1] <= 75),
        "the nodes of the worked example score differently",
        scores,
        "5 and 7 of 10 as on the page (kube-scheduler: 60 and 69 of 100)",
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
    reply = scorer.reply(ratio(shape, ("cpu", 1)), "1")
    scorer.refused(reply, "a bad shape")


@requirement("scheduler/score/counts-the-pod-itself")
def test_a_larger_pod_fills_the_node_more(scorer: Scorer) -> None:
    small, large = (scorer.score({"type": "MostAllocated"}, "1", wanted) for wanted in ("1", "6"))
    scorer.check(small < large, "what the pod asks for changes nothing", (small, large), "the larger pod above")


@requirement("scheduler/score/counts-extended-resources")
def test_extended_resources_count(scorer: Scorer) -> None:
    strategy = {"type": "MostAllocated", "resources": [{"name": FOO, "weight": 3}, {"name": "cpu", "weight": 1}]}
    room = {FOO: "8", "memory": "1Gi", "cpu": "8"}
    few, many = (scorer.score_of(strategy, room, {FOO: used, "cpu": "1"}) for used in ("1", "5"))
    scorer.check(few < many, f"{FOO} requested on the node changes nothing", (few, many), "more of it scores higher")


@requirement("scheduler/score/defaults-to-cpu-and-memory")
def test_cpu_and_memory_count_when_nothing_is_listed(scorer: Scorer) -> None:
    listed = ratio(RISING, ("cpu", 1), ("memory", 1))
    got, same = scorer.score({**listed, "resources": []}, "6"), scorer.score(listed, "6")
    scorer.check(got == same, "the default differs from cpu and memory with weight 1", got, same)


@requirement("scheduler/score/missing-weight-is-one")
def test_a_missing_weight_is_one(scorer: Scorer) -> None:
    def weighed(**cpu: int) -> int:
        resources = [{"name": "cpu", **cpu}, {"name": "memory", "weight": 3}]
        return scorer.score({**ratio(RISING), "resources": resources}, "6")

    got, same = weighed(), weighed(weight=1)
    scorer.check(got == same, "a missing weight differs from weight 1", got, same)


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param("RequestedToCapacityRatio", marks=requirement("scheduler/score/refuses-negative-weights")),
        *(
            pytest.param(kind, marks=requirement("scheduler/score/refuses-negative-weights-everywhere"))
            for kind in ("LeastAllocated", "MostAllocated")
        ),
    ],
)
def test_refuses_negative_weights(scorer: Scorer, kind: str) -> None:
    reply = scorer.reply({**ratio(RISING, ("cpu", -1)), "type": kind}, "1")
    scorer.refused(reply, "a negative weight")


@requirement("scheduler/filter/names-what-is-insufficient")
@pytest.mark.parametrize(
    ("used", "wanted", "missing"),
    [
        ({"cpu": "6"}, {"cpu": "2"}, []),
        ({"cpu": "6"}, {"cpu": "2001m"}, ["cpu"]),
        ({"memory": "3Gi"}, {"memory": "1025Mi"}, ["memory"]),
        ({FOO: "1"}, {FOO: "2"}, [FOO]),
        ({"cpu": "7", FOO: "2"}, {"cpu": "2", FOO: "1", "memory": "1Gi"}, ["cpu", FOO]),
        ({}, {"example.com/none-here": "1"}, ["example.com/none-here"]),
        ({}, {}, []),
    ],
    ids=lambda value: "+".join(value) or "nothing",
)
def test_what_a_node_lacks_is_named(
    scorer: Scorer, used: dict[str, str], wanted: dict[str, str], missing: list[str]
) -> None:
    room = {"cpu": "8", "memory": "4Gi", FOO: "2", "pods": "110"}
    pods = [requests("used", **used)]
    reply = scorer.scored(scorer.ask(Score({"type": "LeastAllocated"}, room, pods, requests("p", **wanted))))
    named = [name for name in ("cpu", "memory", FOO, "example.com/none-here") if name in " ".join(reply.insufficient)]
    scorer.check(sorted(named) == sorted(missing), "what is insufficient is named wrongly", reply.insufficient, missing)
    scorer.check(bool(reply.insufficient) == bool(missing), "the pod fits or does not", reply.insufficient, missing)
