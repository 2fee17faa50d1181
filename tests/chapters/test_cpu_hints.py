"""Hinters of NUMA nodes, right and wrong ones, judged by the walk's picture and by sweeps."""

from __future__ import annotations

from functools import cache
from itertools import chain, combinations

import pytest

from numa_conformance.asking.generators.allocation_states import ALL
from numa_conformance.asking.generators.allocations import examples_of_hints, hint_sweep
from numa_conformance.cpuset import CpuSet, iter_bits
from numa_conformance.judging.pods import PodSpec
from numa_conformance.judging.subjects import subjects
from numa_conformance.machine import load_machine
from planted import asked, breaks, judged, mixed

HINTS = "cpu-manager/hints/"


class Hinter:
    """Hints as the walk says; others, legal and wrong ones, change a step."""

    def __call__(self, scenario, params):
        written = params["kubelet"].get("cpuManagerPolicyOptions", {})
        self.machine, self.options = scenario.machine, frozenset(name for name in written if written[name] == "true")
        self.pod, state = PodSpec.of(params["pod"]), params["state"]
        self.reserved = CpuSet.parse(params["kubelet"].get("reservedSystemCPUs", "")).bits
        self.free = CpuSet.parse(state["default"]).bits & ~self.reserved
        self.reusable = CpuSet.parse(state["reusable"].get(self.pod.uid, "")).bits
        name = params["container"]
        number = self.number(name)
        if params["kubelet"].get("cpuManagerPolicy") != "static" or not number:
            return self.silent()
        held = (state["assignments"].get(self.pod.uid) or {}).get(name)
        if held is not None:
            held = CpuSet.parse(held).bits
            return {"hints": {"cpu": self.held(held, number)}}
        return {"hints": {"cpu": self.generate(self.free, self.reusable, number)}}

    def number(self, name):
        return self.pod.exclusive if name is None else self.pod.by_name[name].exclusive

    def silent(self):
        return {}

    def held(self, held, number):
        return self.generate(held, 0, number) if held.bit_count() == number else []

    def generate(self, free, reusable, number):
        sets = [own for own in self.sets() if self.fits(own, free, reusable, number)]
        width = min((len(own) for own in self.sets() if self.capacity(own) >= number), default=99)
        return [{"nodes": list(own), "preferred": self.prefers(own, width, sets)} for own in sets]

    def sets(self):
        nodes = [node for node, cpus in self.machine.numa_bits.items() if cpus]
        return [own for size in range(1, len(nodes) + 1) for own in combinations(nodes, size)]

    def cpus(self, nodes):
        return sum(self.machine.numa_bits[node] for node in nodes)

    def capacity(self, nodes):
        return self.cpus(nodes).bit_count()

    def fits(self, nodes, free, reusable, number):
        if reusable & ~self.cpus(nodes):
            return False
        return ((free | reusable) & self.cpus(nodes)).bit_count() >= number

    def prefers(self, nodes, width, _sets):
        return len(nodes) == width


class GivesTheDefaultHint(Hinter):
    """Legal: the default hint is told, as the page words it."""

    def silent(self):
        return {"hints": {"cpu": [{"nodes": None, "preferred": True}]}}


class CountsReservedOut(Hinter):
    """Legal: what is reserved can never be given."""

    def capacity(self, nodes):
        return (self.cpus(nodes) & ~self.reserved).bit_count()


class CountsWholeCores(Hinter):
    """Legal: under full-pcpus-only a set of NUMA nodes that cannot give whole cores is no hint."""

    def fits(self, nodes, free, reusable, number):
        if "full-pcpus-only" in self.options and free & self.free == free:
            room = free | reusable
            free = sum(core for core in self.machine.core_bits if core & room == core)
            return not reusable & ~self.cpus(nodes) and (free & self.cpus(nodes)).bit_count() >= number
        return super().fits(nodes, free, reusable, number)


class KeepsReusableSetsFree(Hinter):
    """Legal: sets that hold some of the reusable CPUs and enough others; only the walk drops them."""

    def fits(self, nodes, free, reusable, number):
        return ((free | reusable) & self.cpus(nodes)).bit_count() >= number


class SaysNothingOfTheImpossible(Hinter):
    """Legal: no hint at all."""

    def generate(self, free, reusable, number):
        return super().generate(free, reusable, number) or [{"nodes": None, "preferred": False}]


class ComparesWithFreeCpus(Hinter):
    """Prefers the narrowest of the sets that fit now."""

    def prefers(self, nodes, _width, sets):
        return len(nodes) == min(map(len, sets))


class PrefersOne(Hinter):
    def prefers(self, nodes, width, sets):
        return nodes == sets[0] and len(nodes) == width


class OffersTheNarrowestOnly(Hinter):
    def generate(self, free, reusable, number):
        return [hint for hint in super().generate(free, reusable, number) if hint["preferred"]]


class OffersOne(Hinter):
    def generate(self, free, reusable, number):
        return super().generate(free, reusable, number)[:1]


class CountsReservedIn(Hinter):
    def fits(self, nodes, free, reusable, number):
        return super().fits(nodes, free | self.reserved, reusable, number)


class NeedsOneMore(Hinter):
    def fits(self, nodes, free, reusable, number):
        return super().fits(nodes, free, reusable, number + 1)


class NeedsOneLess(Hinter):
    def fits(self, nodes, free, reusable, number):
        return super().fits(nodes, free, reusable, number - 1)


class AsksEachNode(Hinter):
    """Every NUMA node of a set must have a free CPU."""

    def fits(self, nodes, free, reusable, number):
        each = all((free | reusable) & self.machine.numa_bits[node] for node in nodes)
        return each and super().fits(nodes, free, reusable, number)


class ForgetsReusable(Hinter):
    def generate(self, free, reusable, number):
        return super().generate(free, 0, number)


class ForgetsHeld(Hinter):
    def held(self, held, number):
        return self.generate(self.free, self.reusable, number)


class KeepsHeldOfAnyNumber(Hinter):
    def held(self, held, number):
        return self.generate(held, 0, min(number, held.bit_count()))


class RefusesToShare(Hinter):
    def silent(self):
        return {"hints": {"cpu": []}}


class AsksForAppsOnly(Hinter):
    def number(self, name):
        return sum(own.exclusive for own in self.pod.apps) if name is None else super().number(name)


class AddsAllContainers(Hinter):
    def number(self, name):
        return sum(own.exclusive for own in self.pod.containers) if name is None else super().number(name)


class SkipsTheLastNode(Hinter):
    def sets(self):
        every = super().sets()
        return [own for own in every if every[-1][-1] not in own] or every


class StopsAtPairs(Hinter):
    def sets(self):
        every = super().sets()
        return [own for own in every if len(own) <= 2]


class NamesPlaces(Hinter):
    """Numbers the NUMA nodes itself."""

    def generate(self, free, reusable, number):
        places = {node: place for place, node in enumerate(self.machine.numa_ids)}
        hints = super().generate(free, reusable, number)
        return [{**hint, "nodes": [places[node] for node in hint["nodes"]]} for hint in hints]


MACHINES = [load_machine(name) for name in ("t3-two-numa-per-socket", "sparse-ids", "uneven-nodes", "snc2-small")]


@cache
def scenarios():
    return mixed([*examples_of_hints(ALL), *chain(*(hint_sweep(ALL, MACHINES, seed) for seed in range(3)))])


@pytest.mark.parametrize(
    "legal", [Hinter, GivesTheDefaultHint, CountsReservedOut, CountsWholeCores, SaysNothingOfTheImpossible]
)
def test_a_hinter_that_obeys_the_pages_passes(legal):
    verdicts = judged(scenarios(), legal())
    assert not verdicts.broken
    assert len(verdicts.tests) == 12


def test_sets_without_reusable_cpus_break_no_more_than_a_recommendation():
    verdicts = judged(scenarios(), KeepsReusableSetsFree())
    assert {one.requirement for one in verdicts.broken} == {HINTS + "covers-reusable-cpus"}


def test_the_picture_is_answered_as_the_walk_says():
    history = asked(next(examples_of_hints(ALL)), Hinter())
    picture = next(subject for number, subject in subjects(history) if number == 0)
    assert (picture.count, list(iter_bits(picture.free)), picture.widths) == (2, [0, 2, 3, 5], {1})
    assert {(tuple(iter_bits(hint.nodes)), hint.preferred) for hint in picture.offered} == {
        ((1,), True),
        ((0, 1), False),
        ((0, 2), False),
        ((1, 2), False),
        ((0, 1, 2), False),
    }


def test_pods_as_a_whole_are_asked_of_who_claims_their_scope():
    scope = {"topology-manager/scope/pod"}
    for claimed, expected in ((ALL, {"c0", None}), (ALL - scope, {"c0"})):
        scenarios = [*examples_of_hints(claimed), *hint_sweep(claimed, MACHINES)]
        names = {params["container"] for scenario in scenarios for _, params in scenario.script()}
        assert {None if name is None else "c0" for name in names} == expected


PLANTED = [
    (ComparesWithFreeCpus, HINTS + "preferred-is-narrowest"),
    (PrefersOne, HINTS + "preferred-is-narrowest"),
    (OffersTheNarrowestOnly, HINTS + "offers-every-set-that-fits"),
    (OffersOne, HINTS + "offers-every-narrowest-set"),
    (CountsReservedIn, HINTS + "every-hint-can-hold-the-request"),
    (NeedsOneMore, HINTS + "offers-every-narrowest-set"),
    (NeedsOneLess, HINTS + "every-hint-can-hold-the-request"),
    (NeedsOneLess, HINTS + "none-where-too-few-are-free"),
    (AsksEachNode, HINTS + "offers-every-set-that-fits"),
    (ForgetsReusable, HINTS + "init-cpus-are-reusable"),
    (ForgetsReusable, HINTS + "covers-reusable-cpus"),
    (ForgetsHeld, HINTS + "held-cpus-give-the-same"),
    (KeepsHeldOfAnyNumber, HINTS + "none-for-held-cpus-of-another-number"),
    (RefusesToShare, HINTS + "none-without-exclusive-cpus"),
    (AsksForAppsOnly, HINTS + "every-hint-can-hold-the-request"),
    (AddsAllContainers, HINTS + "offers-every-narrowest-set"),
    (SkipsTheLastNode, HINTS + "offers-every-narrowest-set"),
    (StopsAtPairs, HINTS + "offers-every-set-that-fits"),
    (NamesPlaces, HINTS + "every-hint-can-hold-the-request"),
]
"""Wrong ones, and a requirement that each breaks; mutants of ``tests/mutants`` do otherwise."""


@pytest.mark.parametrize(("wrong", "requirement"), PLANTED)
def test_a_hinter_that_does_not_is_found_out(wrong, requirement):
    assert breaks(requirement, scenarios(), wrong())
