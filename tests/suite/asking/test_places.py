"""What is remembered of where requirements show is true, and spares a small budget its search."""

import pytest

from asked_in_full import deep
from directly import Directly
from numa_conformance.protocol import ReferenceTarget
from numa_conformance.protocol.features import FEATURES
from numa_conformance.suite.asking.drive import drive
from numa_conformance.suite.asking.groups import GROUPS, JUDGED
from numa_conformance.suite.asking.places import place_of, places
from numa_conformance.suite.checkers.verdicts import judge


@pytest.fixture(scope="module")
def scenarios():
    client = Directly(ReferenceTarget("documented"))
    there = {}
    for group in GROUPS.values():
        for scenario in group.scenarios(frozenset(FEATURES), 0):
            there.setdefault((scenario.generator, scenario.cell, scenario.machine.name), scenario)
    return {place: judge(drive(there[place], client, "1.37")[0]).asked for place in set(places().values()) & set(there)}


@deep
def test_each_place_shows_its_requirements(scenarios):
    """``python -m remembered_places`` in the folder ``tests`` looks for them anew."""
    shown = {name for name, place in places().items() if name in scenarios.get(place, ())}
    assert sorted(set(places()) - shown) == []


def test_few_scenarios_show_nearly_all():
    assert set(places()) <= set(JUDGED)
    assert len(set(places().values())) < 60 < 180 < len(places())


def test_of_others_nothing_is_known():
    assert place_of("qos/no-such-thing") is None
