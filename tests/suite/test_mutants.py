"""Every mutant is caught by the tests of each requirement it is said to break; every requirement is seen to break."""

import json

import pytest

from asked_in_full import DEEP
from collected_suite import CollectedSuite
from mutants import MUTANTS
from mutants.__main__ import IN_PAIRS
from numa_conformance.asking.examples.index import index_of_tests
from numa_conformance.chapters import OF_TARGETS, REQUIREMENTS
from numa_conformance.judging.verdicts import ANSWERED
from shown_by import shown

GENERATED = "histories/test_histories.py::test_every_step"
"""The case for generated conversations, of each requirement that they show."""
PART = "100%" if DEEP else "8%"
SEEN_TO_BREAK = {name for mutant in MUTANTS.values() for name in mutant.breaks} | IN_PAIRS


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    collected = CollectedSuite(tmp_path_factory.mktemp("suite"))
    yield collected
    collected.close()


def test_every_requirement_is_seen_to_break():
    assert sorted(OF_TARGETS.keys() - SEEN_TO_BREAK) == []


def test_only_known_requirements_are_broken():
    assert sorted(SEEN_TO_BREAK - REQUIREMENTS.keys()) == []


@pytest.mark.parametrize("name", sorted(MUTANTS))
def test_a_mutant_is_caught(suite, name, tmp_path):
    """By a conversation that showed it before, else by cases written for it, else, and in the deep profile, by all."""
    mutant = MUTANTS[name]
    left = set(mutant.breaks) - shown(name, mutant)
    written = set() if DEEP else {each for each in left if index_of_tests()[each] != (GENERATED,)}
    if written:
        left -= failed(suite, mutant, written, tmp_path, keyword=f"not {GENERATED.rpartition(':')[2]}")
    if left:
        assert left - failed(suite, mutant, left, tmp_path) == set()


def failed(suite, mutant, requirements, folder, keyword=""):
    """Return the requirements that cases of the suite find broken, each in the last version that has it."""
    last = {REQUIREMENTS[name].until or "" for name in requirements}
    by_version = {until: {name for name in requirements if (REQUIREMENTS[name].until or "") == until} for until in last}
    return set().union(*(_failed(suite, mutant, *one, folder, keyword) for one in by_version.items()))


def _failed(suite, mutant, version, requirements, folder, keyword):
    code, printed = suite.ask(
        f"mutants:{mutant.name}", mutant.level, sorted(requirements), folder, keyword, version, PART
    )
    cases = json.loads((folder / "report.json").read_text())["cases"]
    assert [case["id"] for case in cases if case["verdict"] == "error"] == []
    told = {"failed", "not followed"} | ({"crashed"} if ANSWERED in requirements else set())
    found = {requirement for case in cases if case["verdict"] in told for requirement in case["requirements"]}
    must = any(REQUIREMENTS[requirement].strength == "MUST" for requirement in found & requirements)
    assert code == (1 if must else 0), printed
    return found
