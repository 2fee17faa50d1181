"""Every mutant is caught by the tests of each requirement it is said to break, and every requirement has a mutant."""

import json

import pytest

from collected_suite import CollectedSuite
from mutants import MUTANTS
from numa_conformance.suite.requirements import REQUIREMENTS


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    collected = CollectedSuite(tmp_path_factory.mktemp("suite"))
    yield collected
    collected.close()


def test_every_requirement_has_a_mutant():
    broken = {name for mutant in MUTANTS.values() for name in mutant.breaks}
    assert sorted(set(REQUIREMENTS) - broken) == []


def test_mutants_break_known_requirements():
    assert sorted({name for mutant in MUTANTS.values() for name in mutant.breaks} - set(REQUIREMENTS)) == []


@pytest.mark.parametrize("name", sorted(MUTANTS))
def test_a_mutant_is_caught(suite, name, tmp_path):
    mutant = MUTANTS[name]
    code, printed = suite.ask(f"mutants:{name}", mutant.level, mutant.breaks, tmp_path)
    only_recommended = all(REQUIREMENTS[requirement].strength == "SHOULD" for requirement in mutant.breaks)
    assert code == (0 if only_recommended else 1), printed
    cases = json.loads((tmp_path / "report.json").read_text())["cases"]
    told = ("failed", "not followed")
    failed = {requirement for case in cases if case["verdict"] in told for requirement in case["requirements"]}
    assert sorted(set(mutant.breaks) - failed) == []
    assert [case["id"] for case in cases if case["verdict"] == "error"] == []
