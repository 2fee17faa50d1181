"""Every requirement has a case, and every case has a requirement.

That conversations ask what they are to show, each requirement at least once, is asserted by the suite where all of it
is run: in the deep profile here, and by ``tox run -e conformance``.
"""

import json

import pytest

from asked_in_full import DEEP
from forked_pytest import run_pytest
from mutants.strength.asking import RECORDED
from numa_conformance.asking.examples.index import index_of_tests
from numa_conformance.asking.groups import judged
from numa_conformance.chapters import OF_TARGETS, REQUIREMENTS
from numa_conformance.comparing.recorded import read_vectors
from numa_conformance.comparing.recorded.needs import features_needed
from numa_conformance.wire.features import FEATURES, PROMISES

RUN = ("passed", "not followed")
STEPS = () if DEEP else judged()
"""Requirements whose case of generated conversations is not run here."""
EACH_ONCE = ("--numa-level", "documented", *(() if DEEP else ("-k", "not test_every_step")))
EXACT = ("--numa-level", "exact", *(() if DEEP else ("--numa-requirement", "exact/*")))
WHOLE = "conformant" if DEEP else "partial"


def runs():
    """Yield what is asked, and the verdict: all of the newest version, and what ended before it of its last version."""
    yield EACH_ONCE, WHOLE
    yield EXACT, WHOLE
    ended = {one.until: [] for one in REQUIREMENTS.values() if one.until}
    for name, one in REQUIREMENTS.items():
        if one.until and name not in STEPS:
            ended[one.until].append(f"--numa-requirement={name}")
    for version, asked in ended.items():
        if asked:
            yield ("--numa-profile", f"all@{version}", *asked), "partial"


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    found = []
    for asked, verdict in runs():
        folder = tmp_path_factory.mktemp("run")
        (folder / "pytest.ini").write_text("[pytest]\n")
        run = run_pytest(folder, "--numa-conformance", *asked, "--numa-report", ".")
        assert run.ret == 0, run.outlines + run.errlines
        report = json.loads((folder / "report.json").read_text())
        assert report["verdict"] == verdict
        found += report["cases"]
    return found


def test_every_requirement_has_a_case_that_is_run(cases):
    """But for what daemons promise on pages of their own: the reference does not, and tests of checkers ask others."""
    tested = {name for case in cases if case["verdict"] in RUN for name in case["requirements"]}
    promised = {name for name, each in REQUIREMENTS.items() if PROMISES.keys() & set(each.features)}
    assert sorted(set(OF_TARGETS) - tested - set(STEPS) - promised) == []


def test_the_index_of_tests_is_what_runs(cases):
    ran = {name: {"histories/test_histories::test_every_step"} for name in STEPS}
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
