"""Every requirement has a case, and every case has a requirement."""

import json
from pathlib import Path

import pytest

from forked_pytest import run_pytest
from numa_conformance.protocol.features import FEATURES
from numa_conformance.suite.recorded import read_vectors
from numa_conformance.suite.recorded.needs import features_needed
from numa_conformance.suite.requirements import REQUIREMENTS
from numa_conformance.suite.tests_index import index_of_tests

RUN = ("passed", "not followed")
RECORDED = Path(__file__).parents[2] / "conformance" / "exact" / "recorded"


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    found = []
    for level in ("documented", "exact"):
        folder = tmp_path_factory.mktemp(level)
        (folder / "pytest.ini").write_text("[pytest]\n")
        run = run_pytest(folder, "--numa-conformance", "--numa-level", level, "--numa-report", ".", timeout=300)
        assert run.ret == 0, run.outlines + run.errlines
        report = json.loads((folder / "report.json").read_text())
        assert report["verdict"] == "conformant"
        found += report["cases"]
    return found


def test_every_requirement_has_a_case_that_is_run(cases):
    tested = {name for case in cases if case["verdict"] in RUN for name in case["requirements"]}
    assert sorted(set(REQUIREMENTS) - tested) == []


def test_the_index_of_tests_is_what_runs(cases):
    ran = {}
    for case in cases:
        for name in case["requirements"]:
            ran.setdefault(name, set()).add(case["id"].split("[")[0])
    indexed = {name: {test.replace(".py", "") for test in tests} for name, tests in index_of_tests().items()}
    assert indexed == ran


def test_every_feature_is_tested():
    """By a requirement, or by decisions of the kubelet that exercise it."""
    by_requirement = {name for one in REQUIREMENTS.values() for name in one.features}
    by_decision = {name for one in read_vectors([RECORDED]) for name in features_needed(one.kind, one.body)}
    assert sorted(set(FEATURES) - by_requirement - by_decision) == []


def test_every_case_has_a_requirement(cases):
    assert [case["id"] for case in cases if not case["requirements"]] == []
