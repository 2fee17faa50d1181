"""Every mutant is caught by the tests of each requirement it is said to break; every requirement is seen to break."""

import json

import pytest

from collected_suite import CollectedSuite
from mutants import MUTANTS
from numa_conformance.suite.judging import ANSWERED
from numa_conformance.suite.requirements import REQUIREMENTS
from shown_by import shown
from wrong_answers import WRITTEN

SEEN_TO_BREAK = {name for mutant in MUTANTS.values() for name in mutant.breaks}.union(*WRITTEN.values())


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    collected = CollectedSuite(tmp_path_factory.mktemp("suite"))
    yield collected
    collected.close()


def test_every_requirement_is_seen_to_break():
    assert sorted(REQUIREMENTS.keys() - SEEN_TO_BREAK) == []


def test_only_known_requirements_are_broken():
    assert sorted(SEEN_TO_BREAK - REQUIREMENTS.keys()) == []


@pytest.mark.parametrize("name", sorted(MUTANTS))
def test_a_mutant_is_caught(suite, name, tmp_path):
    """By a conversation that showed it before; what none shows, and all in the deep profile, by the suite's cases."""
    mutant = MUTANTS[name]
    breaks = tuple(sorted(set(mutant.breaks) - shown(name, mutant)))
    if not breaks:
        return
    code, printed = suite.ask(f"mutants:{name}", mutant.level, breaks, tmp_path)
    only_recommended = all(REQUIREMENTS[requirement].strength == "SHOULD" for requirement in breaks)
    assert code == (0 if only_recommended else 1), printed
    cases = json.loads((tmp_path / "report.json").read_text())["cases"]
    told = {"failed", "not followed"} | ({"crashed"} if ANSWERED in breaks else set())
    failed = {requirement for case in cases if case["verdict"] in told for requirement in case["requirements"]}
    assert sorted(set(breaks) - failed) == []
    assert [case["id"] for case in cases if case["verdict"] == "error"] == []
