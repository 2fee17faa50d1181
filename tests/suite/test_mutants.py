"""Every mutant is caught by the tests of each requirement it is said to break, and every requirement has a mutant."""

import json
import subprocess
import sys

import pytest

from numa_conformance.suite.mutants import MUTANTS
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
    quiet = ["-q", "--tb=no", "-p", "no:cacheprovider"]
    named = ["--numa-level", mutant.level, "--numa-target", f"numa_conformance.suite.mutants:{name}"]
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "--numa-conformance",
            *quiet,
            *named,
            "--numa-report",
            str(tmp_path),
            *selected,
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 1, run.stdout[-3000:] + run.stderr[-2000:]
    cases = json.loads((tmp_path / "report.json").read_text())["cases"]
    failed = {one for case in cases if case["verdict"] == "failed" for one in case["requirements"]}
    assert sorted(set(mutant.breaks) - failed) == []
    assert [case["id"] for case in cases if case["verdict"] == "error"] == []
