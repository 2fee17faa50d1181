"""Scorers of nodes that obey the page each in another way: none is judged wrong by its example and by sweeps."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import ceil, floor

import pytest

from numa_conformance.asking.generators.score_sweeps import examples_of_scores, score_sweep
from numa_conformance.wire.history.quantities import amount
from planted import judged, mixed

RATIO, MOST, LEAST = "RequestedToCapacityRatio", "MostAllocated", "LeastAllocated"
SHAPED = "scheduler/requested-to-capacity-ratio/"


class Scorer:
    """Scores as the page does, to 10; the other strategies to 100. Others, legal and wrong ones, change a step."""

    top = 10

    def __call__(self, _scenario, params):
        strategy = params["strategy"]
        listed = strategy.get("resources") or [{"name": "cpu"}, {"name": "memory"}]
        self.weights = {each["name"]: self.weight(each) for each in listed}
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

    def together(self, own, used):
        return own + used

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
        as_a_whole = pod["spec"].get("resources", {}).get("requests", {})
        return (amount(as_a_whole[name]) if name in as_a_whole else most) + amount(
            (pod["spec"].get("overhead") or {}).get(name, "0")
        )

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
        names |= set(params["pod"]["spec"].get("resources", {}).get("requests", ()))
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
            "cpu" not in own.get("resources", {}).get("requests", {}) for own in (*self.containers(pod), pod["spec"])
        )
        return super().requested(pod, name) + (Fraction(1, 10) if silent and self.kind else 0)

    kind = ""

    def lacks(self, params, room, name):
        self.kind, kind = "", self.kind
        lacks = super().lacks(params, room, name)
        self.kind = kind
        return lacks


class CountsInitContainersAlone(Scorer):
    """Counts each init container without the sidecars before it, as the pages that tell of both do."""

    def requested(self, pod, name):
        alone = [
            super(CountsInitContainersAlone, self).requested({"spec": {**pod["spec"], **containers}}, name)
            for containers in ({"initContainers": self.sidecars(pod)}, *self.inits(pod))
        ]
        return max(alone)

    def sidecars(self, pod):
        return [each for each in pod["spec"].get("initContainers") or () if each.get("restartPolicy") == "Always"]

    def inits(self, pod):
        every = pod["spec"].get("initContainers") or ()
        return [{"initContainers": [], "containers": [each]} for each in every if each not in self.sidecars(pod)]


NOT_FOLLOWED = {SHAPED + "rounds-to-the-nearest"}
"""What is recommended alone, where the mean is cut."""


@cache
def scenarios():
    return mixed([*examples_of_scores(), *score_sweep()])


@pytest.mark.parametrize(
    "legal", [Scorer, ScoresToHundred, CutsTheMean, KeepsFractions, CountsDefaults, CountsInitContainersAlone]
)
def test_a_scorer_that_obeys_the_page_passes(legal):
    verdicts = judged(scenarios(), legal())
    assert {each.requirement for each in verdicts.broken} == (NOT_FOLLOWED if legal is CutsTheMean else set())
    assert len(verdicts.tests) == 29
