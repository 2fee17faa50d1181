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
PART = 1 if DEEP else 3
"""Of what an answer to a method shows, a seed asks one requirement in so many."""
LEVEL = "exact" if DEEP else "documented"

LEFT_OUT = "exact/histories/" if DEEP else "exact/"
"""What needs long: whole conversations, which are tried elsewhere, and on most days what is compared to the id."""


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    collected = CollectedSuite(tmp_path_factory.mktemp("suite"))
    yield collected
    collected.close()


def requirements_of(method: str) -> list[str]:
    """Return what examples ask where an answer to this method shows."""
    surface = METHODS[method].surface
    asked = [name for name in REQUIREMENTS if "example" in asked_by(name) and not name.startswith(LEFT_OUT)]
    return [name for name in asked if not surfaces_of_tests()[name] or surface in surfaces_of_tests()[name]]


@pytest.mark.parametrize("seed", range(SEEDS))
def test_an_odd_answer_is_never_an_error_of_the_suite(suite, seed, tmp_path):
    requirements = requirements_of(method_of(seed))[seed % PART :: PART]
    if requirements:
        code, printed = suite.ask(f"noise:odd_{seed}", LEVEL, requirements, tmp_path, "not test_every_step")
        cases = json.loads((tmp_path / "report.json").read_text())["cases"]
        ended = Counter(case["verdict"] for case in cases)
        assert code in (0, 1, 3), printed
        assert not ended["error"], printed


def test_each_example_is_tried_with_odd_answers():
    tried = {name for method in ODD_METHODS for name in requirements_of(method)}
    there = {name for name in index_of_tests() if "example" in asked_by(name)}
    assert {name for name in there - tried if not name.startswith(LEFT_OUT)} == set()
