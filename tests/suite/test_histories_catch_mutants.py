"""Faults inside algorithms show in generated conversations, without a test that knows of them."""

from functools import partial

import pytest

from directly import broken_by
from mutants import INSIDE
from numa_conformance.chapters import REQUIREMENTS
from shown_by import shown

LIVES = ("small world", "walk")
OPTIONS = ("distribute-cpus-across-numa", "distribute-cpus-across-cores", "prefer-align-cpus-by-uncorecache")


@pytest.mark.parametrize("name", sorted(INSIDE))
def test_a_fault_inside_an_algorithm_is_found(name):
    """First where it showed before; else in all scenarios in which it can, as in the deep profile."""
    mutant = INSIDE[name]
    if any(REQUIREMENTS[each].strength == mutant.strength for each in shown(name, mutant)):
        return
    groups = ("worlds", "picks", "merges", "lives", "relations", "starts")
    assert broken_by(mutant, strength=mutant.strength, wanted=partial(shows_in, mutant), groups=groups) is not None


def shows_in(mutant, scenario):
    """Tell whether a fault can show in a scenario: one of the reference only where its room has something to do."""
    owner, _, _ = mutant.inside[0]
    room = getattr(owner, "__module__", None) or owner.__name__
    if room.startswith("small"):
        return True
    if ".device." in room:
        return scenario.generator in LIVES and bool(scenario.machine.devices)
    if ".memory." in room:
        return "memory Static" in scenario.cell or scenario.cell == "reserved memory"
    if ".topology." in room and scenario.generator == "sweep":
        return scenario.cell.startswith("merge ")
    option = next((option for option in OPTIONS if option.replace("-", "_") in room), None)
    if option:
        return option in scenario.cell
    if room.endswith((".packed", ".accumulator")):
        return True
    generators = (*LIVES, "start") if ".node." in room else LIVES
    return scenario.generator in generators and scenario.cell != "policy none"


def test_there_are_many():
    assert len(INSIDE) >= 60
