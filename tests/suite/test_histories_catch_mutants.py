"""Faults inside algorithms show in generated conversations, without a test that knows of them."""

from functools import partial

import pytest

from directly import broken_by
from mutants.inside import INSIDE, ONLY_RECOMMENDED
from mutants.inside.patched import shows_in


@pytest.mark.parametrize("name", sorted(INSIDE))
def test_a_fault_inside_an_algorithm_is_found(name):
    strength = "SHOULD" if name in ONLY_RECOMMENDED else "MUST"
    assert broken_by(INSIDE[name], strength=strength, wanted=partial(shows_in, name)) is not None


def test_there_are_many():
    assert len(INSIDE) >= 60
