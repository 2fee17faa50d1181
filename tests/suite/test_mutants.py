"""Every mutant is caught by the tests of each requirement it is said to break, and every requirement has a mutant."""

import json

import pytest

from forked_pytest import run_pytest
from mutants import MUTANTS
from numa_conformance.suite.requirements import REQUIREMENTS


def test_every_requirement_has_a_mutant():
    broken = {name for one in MUTANTS.values() for name in one.breaks}
    assert sorted(set(REQUIREMENTS) - broken) == []


def test_mutants_break_known_requirements():
    assert sorted({name for one in MUTANTS.values() for name in one.breaks} - set(REQUIREMENTS)) == []


@pytest.mark.parametrize("name", sorted(MUTANTS))
def test_a_mutant_is_caught(name, tmp_path):
    mutant = MUTANTS[name]
    selected = [part for requirement in mutant.breaks for part in ("--numa-requirement", requirement)]
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    named = ["--numa-level", mutant.level, "--numa-target", f"mutants:{name}", *selected]
    quiet = ["-q", "--tb=no", "-p", "no:cacheprovider"]
    run = run_pytest(tmp_path, "--numa-conformance", *quiet, *named, "--numa-report", ".")
    assert run.ret == 1, run.outlines + run.errlines
    cases = json.loads((tmp_path / "report.json").read_text())["cases"]
    failed = {one for case in cases if case["verdict"] == "failed" for one in case["requirements"]}
    assert sorted(set(mutant.breaks) - failed) == []
    assert [case["id"] for case in cases if case["verdict"] == "error"] == []
