"""Scorers of nodes that do not obey the page, each in one step: by its example and by sweeps they are found out."""

from __future__ import annotations

from fractions import Fraction

import pytest

from chapters.test_scores import MOST, RATIO, SHAPED, CutsTheMean, Scorer, scenarios
from numa_conformance.wire.history.quantities import amount
from planted import breaks


class ForgetsTheOthers(Scorer):
    def together(self, own, used):
        return own


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


class ForgetsTheWhole(Scorer):
    def requested(self, pod, name):
        return super().requested({"spec": {**pod["spec"], "resources": {}}}, name)


class AddsTheWhole(ForgetsTheWhole):
    def requested(self, pod, name):
        whole = pod["spec"].get("resources", {}).get("requests", {}).get(name, "0")
        return super().requested(pod, name) + amount(whole)


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


class OverflowsOnFullNodes(Scorer):
    def rounded(self, mean):
        return -1 if mean == 0 else super().rounded(mean)


class TellsOthers(Scorer):
    """Tells of each resource another score than it counts."""

    def __call__(self, scenario, params):
        answer = super().__call__(scenario, params)
        return {**answer, **({"scores": dict.fromkeys(self.weights, 11)} if "scores" in answer else {})}


PLANTED = [
    (CutsTheMean, f"{SHAPED}rounds-to-the-nearest"),
    (ForgetsTheOthers, "scheduler/most-allocated/favours-full-nodes"),
    (ForgetsTheOthers, SHAPED + "follows-the-shape"),
    (TakesNoWeightForNone, "scheduler/score/missing-weight-is-one"),
    (TakesNoWeightForNone, "scheduler/score/missing-weight-is-one-everywhere"),
    (TakesNoWeightForNone, "scheduler/score/defaults-to-cpu-and-memory-everywhere"),
    (AddsAllContainers, SHAPED + "follows-the-shape"),
    (AddsAllContainers, "scheduler/score/counts-effective-requests"),
    (ForgetsInitContainers, "scheduler/score/counts-effective-requests"),
    (ForgetsOverhead, "scheduler/filter/refuses-what-has-no-room"),
    *((ForgetsTheWhole, f"scheduler/{area}/counts-resources-as-a-whole") for area in ("filter", "score")),
    *((AddsTheWhole, f"scheduler/{area}/counts-resources-as-a-whole") for area in ("filter", "score")),
    (ForgetsInitContainers, SHAPED + "follows-the-shape"),
    (JumpsBetweenPoints, SHAPED + "follows-the-shape"),
    (DrawsOneLine, SHAPED + "follows-the-shape"),
    (TurnsTheShapeRound, SHAPED + "reverses-with-the-shape"),
    (RunsBeyondTheEnds, SHAPED + "follows-the-shape"),
    (DropsWhatScoresNone, SHAPED + "weighs-resources"),
    (DividesByTheNumber, SHAPED + "worked-example"),
    (DividesByTheNumber, "scheduler/most-allocated/scores-the-mean-utilization"),
    (SquaresUtilization, "scheduler/most-allocated/scores-the-mean-utilization"),
    (AcceptsAll, "scheduler/score/refuses-negative-weights-everywhere"),
    (AcceptsAll, SHAPED + "refuses-a-bad-shape"),
    (RefusesShapesThatFall, "scheduler/score/takes-sound-strategies"),
    (FitsWhatIsEqualNot, "scheduler/filter/refuses-what-has-no-room"),
    (RefusesOvercommittedNodes, "scheduler/filter/refuses-what-has-no-room"),
    (OverflowsOnFullNodes, "scheduler/score/stays-in-range"),
    (TellsOthers, SHAPED + "scores-each-resource"),
]
"""Wrong ones, and a requirement that each breaks; mutants of ``tests/mutants`` do otherwise."""


@pytest.mark.parametrize(("wrong", "requirement"), PLANTED)
def test_a_scorer_that_does_not_is_found_out(wrong, requirement):
    assert breaks(requirement, scenarios(), wrong())
