"""What is remembered of where requirements show is true, and spares a small budget its search."""

import pytest

from asked_in_full import deep
from measured import hint
from numa_conformance.asking.groups import GROUPS, judged
from numa_conformance.asking.rarest import all_places, places_of
from remembered_places import CLAIMS, shown_at

PLACES = {place for places in all_places().values() for place in places}


@pytest.mark.parametrize("whose", CLAIMS)
@deep
def test_each_place_shows_its_requirements(whose):
    shown = {place: asked for place, (_, asked) in shown_at(*CLAIMS[whose]).items() if place in PLACES}
    judged = set().union(*shown.values())
    known = {name: places for name, places in all_places().items() if name in judged}
    hint("places", [name for name, places in known.items() if not any(name in shown.get(at, ()) for at in places)])


@pytest.mark.parametrize(("whose", "most", "least"), [("all", 90, 240), ("a kubelet's", 60, 120)])
def test_few_scenarios_show_nearly_all(whose, most, least):
    _, surfaces, claimed, *_ = CLAIMS[whose]
    there = {
        (scenario.generator, scenario.cell, scenario.machine.name)
        for group in GROUPS.values()
        if group.surface in surfaces
        for scenario in group.scenarios(claimed, 0)
    }
    known = {name: set(places) & there for name, places in all_places().items()}
    assert known.keys() <= set(judged()), "cd tests && python -m measured places"
    assert len(set().union(*known.values())) < most
    assert sum(map(bool, known.values())) > least, "cd tests && python -m measured places"


def test_of_others_nothing_is_known():
    assert places_of("qos/no-such-thing") == ()


def test_what_is_stale_is_a_hint_of_what_to_do():
    hint("places", [])
    with pytest.raises(pytest.skip.Exception, match=r"2 are measured otherwise now: .* measured places"):
        hint("places", ["a", "b"])
