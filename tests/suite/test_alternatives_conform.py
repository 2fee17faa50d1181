"""Allocators that differ from the reference and break no sentence of the pages meet every requirement."""

import pytest

from alternatives import ALTERNATIVES
from asked_in_full import DEEP
from directly import broken_by

NAMES = sorted(ALTERNATIVES)
PART = 4 if DEEP else 4 * len(NAMES)
"""Of the scenarios one in so many is asked, of each alternative others; all take half a minute for each."""


@pytest.mark.parametrize("name", NAMES)
def test_an_alternative_is_conformant(name):
    assert broken_by(ALTERNATIVES[name], part=slice(NAMES.index(name) % PART, None, PART)) is None


def test_there_are_many():
    assert len(ALTERNATIVES) >= 25
