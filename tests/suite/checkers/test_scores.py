"""Scorers of nodes, right and wrong ones, judged by the page's example and by sweeps."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import ceil, floor

import pytest

from numa_conformance.suite.generators.score_sweeps import examples_of_scores, score_sweep
from numa_conformance.suite.history.quantities import amount
from planted import breaks, judged, mixed

RATIO, MOST, LEAST = "RequestedToCapacityRatio", "MostAllocated", "LeastAllocated"
SHAPED = "scheduler/requested-to-capacity-ratio/"


class Scorer:
    """Scores as the page does, to 10; the other strategies to 100. Wrong ones change a step."""

    top = 10

    def __call__(self, _scenario, params):
        strategy = params["strategy"]
        listed = strategy.get("resources") or [{"name": "cpu"}, {"name": "memory"}]
        self.weights = {one["name"]: self.weight(one) for one in listed}
        self.shape = [
            (p["utilization"], p["score"]) for p in (strategy.get("requestedToCapacityRatio") or {}).get("shape", ())
        ]
        if self.refuses(strategy):
            return {"result": "refused", "message": "no"}
        self.kind = strategy["type"]
        room = {name: amount(text) for name, text in params["allocatable"].items()}
        scores = {}
        for name in self.weights:
            own, used = self.requested(params["pod"], name), sum(self.requested(pod, name) for pod in params["pods"])
            if room.get(name) and (own or "/" not in name):
                scores[name] = self.resource(self.together(own, used), room[name])
        answer = {"result": "scored", "score": self.mean(scores), "insufficient": self.insufficient(params, room)}
        return (
            answer
            if self.kind != RATIO
            else {**answer, "scores": {name: float(value) for name, value in scores.items()}}
        )

    def weight(self, resource):
        return resource.get("weight", 1)

    def refuses(self, strategy):
        rising = all(left[0] < right[0] for left, right in zip(self.shape, self.shape[1:], strict=False))
        inside = all(0 <= at <= 100 and 0 <= score <= 10 for at, score in self.shape)
        shaped = bool(self.shape) == (strategy["type"] == RATIO)
        return not (rising and inside and shaped) or min(self.weights.values()) < 0

    def requested(self, pod, name):
        running = most = 0
        for key in ("initContainers", "containers"):
            for container in pod["spec"].get(key) or ():
                own = amount((container.get("resources", {}).get("requests") or {}).get(name, "0"))
                most = max(most, running + own)
                running += 0 if key == "initContainers" and container.get("restartPolicy") != "Always" else own
        return most + amount((pod["spec"].get("overhead") or {}).get(name, "0"))

    def together(self, own, used):
        return own + used

    def resource(self, requested, capacity):
        utilization = min(Fraction(requested) * 100 / capacity, Fraction(100))
        if self.kind == MOST:
            return floor(utilization)
        if self.kind == LEAST:
            return 100 - ceil(utilization)
        return floor(self.raw(utilization))

    def raw(self, utilization):
        before = self.shape[0]
        for point in self.shape:
            if utilization <= point[0]:
                if point is before:
                    return Fraction(point[1])
                return before[1] + (utilization - before[0]) / (point[0] - before[0]) * (point[1] - before[1])
            before = point
        return Fraction(before[1])

    def mean(self, scores):
        weights = sum(self.weights[name] for name in scores)
        return self.rounded(
            Fraction(sum(score * self.weights[name] for name, score in scores.items())) / (weights or 1)
        )

    def rounded(self, mean):
        return floor(mean + Fraction(1, 2)) if self.kind == RATIO else floor(mean)

    def insufficient(self, params, room):
        names = {
            name for container in self.containers(params["pod"]) for name in container["resources"].get("requests", {})
        }
        names |= set(params["pod"]["spec"].get("overhead") or ())
        return [f"Insufficient {name}" for name in sorted(names) if self.lacks(params, room, name)]

    def containers(self, pod):
        return [
            {"resources": {}, **own} for key in ("initContainers", "containers") for own in pod["spec"].get(key) or ()
        ]

    def lacks(self, params, room, name):
        own, used = self.requested(params["pod"], name), sum(self.requested(pod, name) for pod in params["pods"])
        return own > 0 and own > room.get(name, 0) - used


class ScoresToHundred(Scorer):
    """Legal: kube-scheduler's scale, with its whole percents."""

    top = 100

    def raw(self, utilization):
        return super().raw(Fraction(floor(utilization))) * 10


class CutsTheMean(Scorer):
    """Legal: the page writes floor brackets."""

    def rounded(self, mean):
        return floor(mean)


class KeepsFractions(Scorer):
    """Legal: rounds once, at the end."""

    def resource(self, requested, capacity):
        utilization = min(Fraction(requested) * 100 / capacity, Fraction(100))
        if self.kind == MOST:
            return utilization
        return 100 - utilization if self.kind == LEAST else self.raw(utilization)

    def rounded(self, mean):
        return round(mean)


class CountsDefaults(Scorer):
    """Legal: what requests no cpu counts 100m."""

    def requested(self, pod, name):
        silent = name == "cpu" and all(
            "cpu" not in own["resources"].get("requests", {}) for own in self.containers(pod)
        )
        return super().requested(pod, name) + (Fraction(1, 10) if silent and self.kind else 0)

    kind = ""

    def lacks(self, params, room, name):
        self.kind, kind = "", self.kind
        lacks = super().lacks(params, room, name)
        self.kind = kind
        return lacks


class ForgetsThePod(Scorer):
    def together(self, own, used):
        return used


class ForgetsTheOthers(Scorer):
    def together(self, own, used):
        return own


class ForgetsWeights(Scorer):
    def weight(self, resource):
        return 1


class TakesNoWeightForNone(Scorer):
    def weight(self, resource):
        return resource.get("weight", 0)


class AddsAllContainers(Scorer):
    def requested(self, pod, name):
        return sum(amount(own["resources"].get("requests", {}).get(name, "0")) for own in self.containers(pod))


class ForgetsOverhead(Scorer):
    def requested(self, pod, name):
        return super().requested({"spec": {**pod["spec"], "overhead": {}}}, name)


class ForgetsInitContainers(Scorer):
    def requested(self, pod, name):
        init = [own for own in pod["spec"].get("initContainers") or () if own.get("restartPolicy") == "Always"]
        return super().requested({"spec": {**pod["spec"], "initContainers": init}}, name)


class JumpsBetweenPoints(Scorer):
    def raw(self, utilization):
        return max((point for point in self.shape if point[0] <= utilization), default=self.shape[0])[1]


class DrawsOneLine(Scorer):
    """Looks at the ends of the shape alone."""

    def raw(self, utilization):
        self.shape = [self.shape[0], self.shape[-1]] if len(self.shape) > 1 else self.shape
        return super().raw(utilization)


class TurnsTheShapeRound(Scorer):
    def raw(self, utilization):
        return super().raw(100 - utilization)


class RunsBeyondTheEnds(Scorer):
    def raw(self, utilization):
        (left, low), (right, high) = self.shape[0], self.shape[-1]
        if left <= utilization <= right or left == right:
            return super().raw(utilization)
        return max(Fraction(0), min(Fraction(10), low + (utilization - left) / (right - left) * (high - low)))


class DropsWhatScoresNone(Scorer):
    """What kube-scheduler does: a resource whose score is 0 leaves the mean."""

    def mean(self, scores):
        return super().mean({name: score for name, score in scores.items() if score or self.kind != RATIO})


class DividesByTheNumber(Scorer):
    def mean(self, scores):
        total = sum(score * self.weights[name] for name, score in scores.items())
        return min(100, self.rounded(Fraction(total) / max(1, len(scores))))


class FavoursTheOthers(Scorer):
    def resource(self, requested, capacity):
        self.kind, kind = {MOST: LEAST, LEAST: MOST}.get(self.kind, self.kind), self.kind
        score = super().resource(requested, capacity)
        self.kind = kind
        return score


class ForgetsExtendedResources(Scorer):
    def mean(self, scores):
        return super().mean({name: score for name, score in scores.items() if "/" not in name})


class SquaresUtilization(Scorer):
    def resource(self, requested, capacity):
        score = super().resource(requested, capacity)
        return score * score // 100 if self.kind == MOST else score


class AcceptsAll(Scorer):
    def refuses(self, strategy):
        return not self.shape and strategy["type"] == RATIO

    def mean(self, scores):
        return max(0, min(100, super().mean(scores))) if sum(self.weights.values()) > 0 else 0


class RefusesShapesThatFall(Scorer):
    def refuses(self, strategy):
        return super().refuses(strategy) or [score for _, score in self.shape] != sorted(
            score for _, score in self.shape
        )


class FitsWhatIsEqualNot(Scorer):
    def lacks(self, params, room, name):
        own, used = self.requested(params["pod"], name), sum(self.requested(pod, name) for pod in params["pods"])
        return own > 0 and own >= room.get(name, 0) - used


class RefusesOvercommittedNodes(Scorer):
    def lacks(self, params, room, name):
        used = sum(self.requested(pod, name) for pod in params["pods"])
        return self.requested(params["pod"], name) + used > room.get(name, 0)


class NamesTheFirst(Scorer):
    def insufficient(self, params, room):
        return super().insufficient(params, room)[:1]


class OverflowsOnFullNodes(Scorer):
    def rounded(self, mean):
        return -1 if mean == 0 else super().rounded(mean)


class TellsOthers(Scorer):
    """Tells of each resource another score than it counts."""

    def __call__(self, scenario, params):
        answer = super().__call__(scenario, params)
        return {**answer, **({"scores": dict.fromkeys(self.weights, 11)} if "scores" in answer else {})}


NOT_FOLLOWED = {f"{SHAPED}rounds-to-the-nearest"}
"""What is recommended alone, where the mean is cut."""


@cache
def scenarios():
    return mixed([*examples_of_scores(), *score_sweep()])


@pytest.mark.parametrize("legal", [Scorer, ScoresToHundred, CutsTheMean, KeepsFractions, CountsDefaults])
def test_a_scorer_that_obeys_the_page_passes(legal):
    verdicts = judged(scenarios(), legal())
    assert {each.requirement for each in verdicts.broken} == (NOT_FOLLOWED if legal is CutsTheMean else set())
    assert len(verdicts.asked) == 27


PLANTED = [
    (CutsTheMean, f"{SHAPED}rounds-to-the-nearest"),
    (ForgetsThePod, "scheduler/score/counts-the-pod-itself"),
    (ForgetsTheOthers, "scheduler/most-allocated/favours-full-nodes"),
    (ForgetsTheOthers, SHAPED + "follows-the-shape"),
    (ForgetsWeights, "scheduler/most-allocated/weighs-resources"),
    (ForgetsWeights, SHAPED + "weighs-resources"),
    (TakesNoWeightForNone, "scheduler/score/missing-weight-is-one"),
    (TakesNoWeightForNone, "scheduler/score/missing-weight-is-one-everywhere"),
    (TakesNoWeightForNone, "scheduler/score/defaults-to-cpu-and-memory-everywhere"),
    (AddsAllContainers, SHAPED + "follows-the-shape"),
    (AddsAllContainers, "scheduler/score/counts-effective-requests"),
    (ForgetsOverhead, "scheduler/score/counts-effective-requests"),
    (ForgetsInitContainers, "scheduler/score/counts-effective-requests"),
    (ForgetsOverhead, "scheduler/filter/refuses-what-has-no-room"),
    (ForgetsInitContainers, SHAPED + "follows-the-shape"),
    (JumpsBetweenPoints, SHAPED + "follows-the-shape"),
    (DrawsOneLine, SHAPED + "follows-the-shape"),
    (TurnsTheShapeRound, SHAPED + "reverses-with-the-shape"),
    (RunsBeyondTheEnds, SHAPED + "follows-the-shape"),
    (DropsWhatScoresNone, SHAPED + "weighs-resources"),
    (DividesByTheNumber, SHAPED + "worked-example"),
    (DividesByTheNumber, "scheduler/most-allocated/scores-the-mean-utilization"),
    (FavoursTheOthers, "scheduler/least-allocated/favours-empty-nodes"),
    (ForgetsExtendedResources, "scheduler/score/counts-extended-resources"),
    (SquaresUtilization, "scheduler/most-allocated/scores-the-mean-utilization"),
    (AcceptsAll, "scheduler/score/refuses-negative-weights"),
    (AcceptsAll, "scheduler/score/refuses-negative-weights-everywhere"),
    (AcceptsAll, SHAPED + "refuses-a-bad-shape"),
    (RefusesShapesThatFall, "scheduler/score/takes-sound-strategies"),
    (FitsWhatIsEqualNot, "scheduler/filter/refuses-what-has-no-room"),
    (RefusesOvercommittedNodes, "scheduler/filter/refuses-what-has-no-room"),
    (NamesTheFirst, "scheduler/filter/names-what-is-insufficient"),
    (OverflowsOnFullNodes, "scheduler/score/stays-in-range"),
    (TellsOthers, SHAPED + "scores-each-resource"),
]
"""Wrong ones, and a requirement that each breaks."""


@pytest.mark.parametrize(("wrong", "requirement"), PLANTED)
def test_a_scorer_that_does_not_is_found_out(wrong, requirement):
    assert breaks(requirement, scenarios(), wrong())
