"""How much of a group is asked."""

import dataclasses
from itertools import count

import pytest

from directly import Directly
from numa_conformance.machine import load_machine
from numa_conformance.protocol.reference import ReferenceTarget
from numa_conformance.suite.asking.asking import Asking, Budget, ask_the_rest, part_of
from numa_conformance.suite.generators.scenario import Scenario, ask_all

MACHINE = load_machine("one-cpu")
SCENARIOS = [Scenario("sweep", str(number), MACHINE, lambda: ask_all([])) for number in range(50)]


def cells(budget, clock=lambda: 0.0):
    return [scenario.cell for scenario in part_of(SCENARIOS, Budget.parse(budget), clock)]


def test_all_is_asked_in_its_order():
    assert cells("") == [scenario.cell for scenario in SCENARIOS]


@pytest.mark.parametrize(("budget", "asked"), [("10%", 5), ("3%", 2), ("0.1%", 1)])
def test_a_part_is_taken_from_all_over_and_is_the_same_each_time(budget, asked):
    part = cells(budget)
    assert len(set(part)) == asked
    assert part == cells(budget)
    assert asked == 1 or part != [scenario.cell for scenario in SCENARIOS[:asked]]


@pytest.mark.parametrize(("budget", "asked"), [("8s", 7), ("0.001s", 1)])
def test_seconds_are_spent_and_something_is_asked(budget, asked):
    assert len(cells(budget, count().__next__)) == asked


def test_a_part_begins_with_scenarios_that_bring_settings_of_their_own():
    settings = ["a, b", "a", "b", "c+a", "d"]
    scenarios = [dataclasses.replace(SCENARIOS[0], cell=cell) for cell in settings * 20]
    few = [scenario.cell for scenario in part_of(scenarios, Budget.parse("4%"))]
    assert set("abcd") == set("".join(few)) & set("abcd")
    assert len(few) == 4


class TestGoingOn:
    """Groups of pods to classify: one scenario in fifty has an init container, which another requirement needs."""

    RARE = "qos/init-containers-count"

    def group(self, cell="classify init-containers-count", budget="2%", clock=lambda: 0.0):
        plain = {"containers": [{"name": "c"}]}
        rare = {**plain, "initContainers": [{"name": "i", "resources": {"requests": {"cpu": "1"}}}]}
        questions = {cell: rare, **{f"classify {number}": plain for number in range(49)}}
        scenarios = [
            Scenario("sweep", name, MACHINE, lambda spec=spec: ask_all([("classify", {"pod": pod(spec)})]))
            for name, spec in questions.items()
        ]
        client = Directly(ReferenceTarget())
        return Asking(scenarios, client, "1.37", budget=Budget.parse(budget), clock=clock)

    def test_what_no_share_asked_is_asked_beyond_it_where_a_cell_names_it_first(self):
        group = self.group()
        assert group.spend().verdicts.asked[self.RARE] == 0
        ask_the_rest({self.RARE: [group]})
        assert (group.outcome.verdicts.asked[self.RARE], group.outcome.driven) == (1, 2)

    def test_what_another_group_asked_is_not_looked_for(self):
        asked, other = self.group(budget="100%"), self.group()
        groups = [asked, other]
        for group in groups:
            group.spend()
        ask_the_rest({self.RARE: groups})
        assert [group.outcome.driven for group in groups] == [50, 1]

    def test_what_nothing_asks_ends_with_the_scenarios(self):
        group = self.group()
        ask_the_rest({"qos/no-such-thing": [group]})
        assert group.outcome.driven == 50

    def test_a_time_is_exceeded_three_times_at_most(self):
        group = self.group(budget="4s", clock=count().__next__)
        assert group.spend().driven == 4
        ask_the_rest({"qos/no-such-thing": [group]})
        assert group.outcome.driven == 12


def pod(spec):
    return {"metadata": {"name": "p", "uid": "p"}, "spec": spec}
