"""Faults inside algorithms show in generated conversations, without a test that knows of them."""

from functools import partial

import pytest

from directly import broken_by
from mutants.inside import INSIDE, ONLY_RECOMMENDED
from mutants.inside.patched import shows_in
from numa_conformance.suite.chapters import REQUIREMENTS
from shown_by import shown


@pytest.mark.parametrize("name", sorted(INSIDE))
def test_a_fault_inside_an_algorithm_is_found(name):
    """First where it showed before; else in all scenarios in which it can, as in the deep profile."""
    strength = "SHOULD" if name in ONLY_RECOMMENDED else "MUST"
    if any(REQUIREMENTS[each].strength == strength for each in shown(name, INSIDE[name])):
        return
    groups = ("picks", "merges", "lives", "relations", "starts")
    assert broken_by(INSIDE[name], strength=strength, wanted=partial(shows_in, name), groups=groups) is not None


def test_there_are_many():
    assert len(INSIDE) >= 60
