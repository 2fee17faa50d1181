"""Whatever a target answers to a case that is written by hand, the case says it of the target, not of the suite."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from asked_in_full import DEEP
from collected_suite import CollectedSuite
from noise import ODD_METHODS, method_of
from numa_conformance.asking.examples.index import asked_by, index_of_tests, surfaces_of_tests
from numa_conformance.chapters import REQUIREMENTS
from numa_conformance.wire.messages import METHODS

SEEDS = 100 if DEEP else len(ODD_METHODS)
"""Each method in turn."""
SEARCHED = 100
"""By default searches are asked by one in so many seeds, which is the first: each takes a second."""
PART = 1 if DEEP else 3
"""Of what an answer to a method shows, a seed asks one requirement in so many."""
BY_HAND = "not test_every_step and not test_searches"
HOW = {"example": ("exact" if DEEP else "documented", BY_HAND), "search": ("documented", "not test_every_step")}
"""The level at which each way of asking is tried, and what keeps other cases out."""

LEFT_OUT = "exact/histories/" if DEEP else "exact/"
"""What needs long: whole conversations, which are tried elsewhere, and on most days what is compared to the id."""


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    collected = CollectedSuite(tmp_path_factory.mktemp("suite"))
    yield collected
    collected.close()


def requirements_of(method: str, how: str) -> list[str]:
    """Return what is asked in a way where an answer to this method shows."""
    surface = METHODS[method].surface
    asked = [name for name in REQUIREMENTS if how in asked_by(name) and not name.startswith(LEFT_OUT)]
    return [name for name in asked if not surfaces_of_tests()[name] or surface in surfaces_of_tests()[name]]


@pytest.mark.parametrize("seed", range(SEEDS))
def test_an_odd_answer_is_never_an_error_of_the_suite(suite, seed, tmp_path):
    for how, (level, keyword) in HOW.items():
        requirements = requirements_of(method_of(seed), how)[seed % PART :: PART]
        if requirements and (DEEP or how == "example" or seed % SEARCHED == 0):
            code, printed = suite.ask(f"noise:odd_{seed}", level, requirements, tmp_path, keyword)
            cases = json.loads((tmp_path / "report.json").read_text())["cases"]
            ended = Counter(case["verdict"] for case in cases)
            assert code in (0, 1, 3), printed
            assert not ended["error"], printed


def test_each_way_of_asking_is_tried_with_odd_answers():
    tried = {(how, name) for method in ODD_METHODS for how in HOW for name in requirements_of(method, how)}
    there = {(how, name) for name in index_of_tests() for how in HOW if how in asked_by(name)}
    assert {name for _, name in there - tried if not name.startswith(LEFT_OUT)} == set()
