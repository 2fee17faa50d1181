"""How much of a group is asked."""

import dataclasses
from itertools import count

import pytest

from numa_conformance.machine import load_machine
from numa_conformance.suite.asking import Budget, part_of
from numa_conformance.suite.drive import Scenario, ask_all

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
