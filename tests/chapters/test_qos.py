"""Classifiers, right and wrong ones, judged by what they say of the pages' pods and of small ones."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import pytest

from numa_conformance.asking.generators.pods import EXAMPLES, examples_of_pods, pod_sweep
from numa_conformance.judging.pods import PodSpec
from numa_conformance.wire.history.quantities import amount
from planted import breaks, judged, mixed


class Classifier:
    """Classifies as the pages say; others, legal and wrong ones, change a step."""

    counted = ("cpu", "memory")
    defaults = True
    kinds = ("containers", "initContainers")

    def __call__(self, _scenario, params):
        spec = params["pod"]["spec"]
        every = [(kind, own) for kind in ("initContainers", "containers") for own in spec.get(kind) or ()]
        read = {own["name"]: (kind, own, *self.sides(own)) for kind, own in every}
        qos = self.qos([sides for kind, _, *sides in read.values() if kind in self.kinds])
        cpus = {name: self.exclusive(qos, *sides) for name, (_, _, *sides) in read.items()}
        return {"qos": qos, "container_cpus": cpus, "pod_cpus": self.together(every, cpus)}

    def sides(self, own):
        resources = own.get("resources") or {}
        requests, limits = (
            {name: self.number(text) for name, text in (resources.get(side) or {}).items()}
            for side in ("requests", "limits")
        )
        return ({**limits, **requests} if self.defaults else requests), limits

    def number(self, text):
        return amount(text)

    def qos(self, containers):
        kept = [
            [{name: side[name] for name in self.counted if side.get(name)} for side in sides] for sides in containers
        ]
        if not any(side for sides in kept for side in sides):
            return "BestEffort"
        return "Guaranteed" if self.equal(kept) else "Burstable"

    def equal(self, kept):
        return all(len(limits) == len(self.counted) and requests == limits for requests, limits in kept)

    def exclusive(self, qos, requests, _limits):
        cpu = requests.get("cpu", Fraction(0))
        return int(cpu) if qos == "Guaranteed" and cpu == int(cpu) else 0

    def together(self, every, cpus):
        running = most = 0
        for kind, own in every:
            most = max(most, running + cpus[own["name"]])
            running += 0 if kind == "initContainers" and own.get("restartPolicy") != "Always" else cpus[own["name"]]
        return most


class LeavesZeroOut(Classifier):
    """Legal: a container that asks for no CPU of its own is not listed."""

    def __call__(self, scenario, params):
        answer = super().__call__(scenario, params)
        return {**answer, "container_cpus": {name: count for name, count in answer["container_cpus"].items() if count}}


class CountsZero(Classifier):
    """Legal: a limit of 0 is a limit. No page says otherwise."""

    def qos(self, containers):
        kept = [[{name: side[name] for name in self.counted if name in side} for side in sides] for sides in containers]
        if not any(side for sides in kept for side in sides):
            return "BestEffort"
        return "Guaranteed" if self.equal(kept) else "Burstable"


class TotalsIntegralPodsOnly(Classifier):
    """Legal: a pod one of whose containers asks for a fraction asks for no exclusive CPUs as a whole."""

    def together(self, every, cpus):
        fractions = any(self.sides(own)[0].get("cpu", 0) != cpus[own["name"]] for _, own in every)
        return 0 if fractions else super().together(every, cpus)


class DefaultsAllOrNothing(Classifier):
    def sides(self, own):
        requests, limits = super().sides(own)
        given = {name: self.number(text) for name, text in (own.get("resources", {}).get("requests") or {}).items()}
        return (given or requests), limits


class DefaultsTheOtherWay(Classifier):
    def sides(self, own):
        requests, limits = super().sides(own)
        return requests, {**requests, **limits}


class NeedsOneEqualContainer(Classifier):
    def equal(self, kept):
        return any(len(limits) == 2 and requests == limits for requests, limits in kept)


class ForgetsMemory(Classifier):
    def equal(self, kept):
        return all(limits.get("cpu") and requests.get("cpu") == limits.get("cpu") for requests, limits in kept)


class ComparesText(Classifier):
    def number(self, text):
        value = amount(text)
        return value if text in ("0", "") else value + Fraction(len(text), 10**15)

    def exclusive(self, qos, requests, _limits):
        cpu = Fraction(round(requests.get("cpu", 0), 9))
        return int(cpu) if qos == "Guaranteed" and cpu == int(cpu) else 0


class ServesBurstable(Classifier):
    def exclusive(self, qos, requests, limits):
        return super().exclusive("BestEffort" if qos == "BestEffort" else "Guaranteed", requests, limits)


class AddsInitContainersUp(Classifier):
    def together(self, every, cpus):
        return sum(cpus.values())


class TakesTheLargestInit(Classifier):
    """Counts a sidecar as an init container."""

    def together(self, every, cpus):
        init = [cpus[own["name"]] for kind, own in every if kind == "initContainers"]
        return max([*init, sum(cpus[own["name"]] for kind, own in every if kind == "containers")])


class AddsSidecarsToAppsOnly(Classifier):
    """Forgets that an init container runs beside the sidecars before it."""

    def together(self, every, cpus):
        init = [own for kind, own in every if kind == "initContainers"]
        sidecars = sum(cpus[own["name"]] for own in init if own.get("restartPolicy") == "Always")
        apps = sum(cpus[own["name"]] for kind, own in every if kind == "containers")
        return max([apps + sidecars, *(cpus[own["name"]] for own in init)])


@cache
def scenarios():
    return mixed([*examples_of_pods(), *pod_sweep(as_a_whole=False, lots=100)])


@pytest.mark.parametrize("legal", [Classifier, LeavesZeroOut, CountsZero, TotalsIntegralPodsOnly])
def test_a_classifier_that_obeys_the_pages_passes(legal):
    verdicts = judged(scenarios(), legal())
    assert not verdicts.broken
    assert len(verdicts.tests) == 9


def test_the_pages_examples_are_of_the_classes_that_the_pages_say():
    said = {name: PodSpec.of({"spec": spec}) for name, spec in EXAMPLES.items()}
    assert {name: (pod.qos, pod.exclusive) for name, pod in said.items()} == {
        "Node Resource Managers 1": ("BestEffort", 0),
        "Node Resource Managers 2": ("Burstable", 0),
        "Node Resource Managers 3": ("Burstable", 0),
        "Node Resource Managers 4": ("Guaranteed", 2),
        "Node Resource Managers 5": ("Guaranteed", 0),
        "Node Resource Managers 6": ("Guaranteed", 2),
        "Topology Manager 3": ("Guaranteed", 2),
        "Topology Manager 4": ("Guaranteed", 0),
        "Topology Manager 5": ("BestEffort", 0),
        "Quality of Service Guaranteed": ("Guaranteed", 0),
        "Quality of Service two containers": ("Burstable", 0),
    }


PLANTED = [
    (DefaultsAllOrNothing, "qos/requests-default-to-limits"),
    (DefaultsTheOtherWay, "qos/burstable-has-some-request"),
    (NeedsOneEqualContainer, "qos/guaranteed-needs-equal-limits-everywhere"),
    (ForgetsMemory, "qos/guaranteed-needs-equal-limits-everywhere"),
    (ComparesText, "qos/guaranteed-needs-equal-limits-everywhere"),
    (ServesBurstable, "qos/only-integral-cpus-are-exclusive"),
    (AddsInitContainersUp, "qos/pod-total-is-the-larger-of-init-and-apps"),
    (TakesTheLargestInit, "qos/pod-total-is-the-larger-of-init-and-apps"),
    (AddsSidecarsToAppsOnly, "qos/pod-total-is-the-larger-of-init-and-apps"),
]
"""Wrong ones, and a requirement that each breaks; mutants of ``tests/mutants`` do otherwise."""


@pytest.mark.parametrize(("wrong", "requirement"), PLANTED)
def test_a_classifier_that_does_not_is_found_out(wrong, requirement):
    assert breaks(requirement, scenarios(), wrong())
