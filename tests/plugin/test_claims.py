"""What is claimed for a target: nothing where it crashed, where nothing passed, or where the run ended early."""

import pytest

from asked_in_full import deep
from numa_conformance.report.reading import read_report

DIES = """
from numa_conformance.reference.target import ReferenceTarget

class Dies(ReferenceTarget):
    def score(self, request):
        {does}

def make():
    return Dies(level="documented")
"""
RECOMMENDED = "scheduler/least-allocated/favours-empty-nodes"


@pytest.mark.parametrize(("does", "verdict"), [("raise SystemExit(1)", "crashed"), ("return 7", "bad reply")])
def test_a_crash_where_only_a_recommendation_is_asked_is_a_crash(suite, pytester, report, does, verdict):
    pytester.path.joinpath("dies.py").write_text(DIES.format(does=does))
    result = suite("--numa-target", "dies:make", "--numa-requirement", RECOMMENDED, "--numa-report", "out")
    assert result.ret == 1
    assert verdict in {case["verdict"] for case in report()["cases"]}
    assert report()["verdict"] == "not conformant"
    assert "conforms" not in result.stdout.str()


def test_a_crash_is_told_also_where_the_first_requirement_that_is_asked_never_meets_it(suite, pytester, report):
    pytester.path.joinpath("dies.py").write_text(DIES.format(does="raise SystemExit(1)"))
    asked = ("--numa-requirement", "qos/*", "--numa-requirement", "scheduler/*", "--numa-budget", "1%")
    result = suite("--numa-target", "dies:make", *asked, "--numa-report", "out")
    assert result.ret == 1
    assert report()["counts"]["crashed"] == 1
    assert report()["counts"]["failed"] == 0
    assert "conforms" not in result.stdout.str()


ENDS = """
def pytest_runtest_logfinish(nodeid, seen=[]):
    seen.append(nodeid)
    if len(seen) == 2:
        raise KeyboardInterrupt
"""


def test_a_run_that_is_interrupted_claims_nothing(suite, pytester, report):
    pytester.makepyfile(ends=ENDS)
    result = suite("-p", "ends", "--numa-requirement", "qos/*", "--numa-report", "out")
    assert result.ret == 2
    assert (report()["verdict"], report()["complete"]) == ("partial", False)
    assert "conforms" not in result.stdout.str()
    assert "nothing is claimed" in read_report(pytester.path / "out").claim


def test_a_run_that_a_test_of_ones_own_ends_claims_nothing(suite, pytester, report):
    first = "def pytest_collection_modifyitems(items):\n    items.reverse()\n"
    pytester.makepyfile(first=first, test_own="def test_own():\n    assert 0\n")
    result = suite("test_own.py", "-x", "-p", "first", "--numa-profile", "plugin", "--numa-report", "out")
    assert (result.ret, report()["complete"]) == (1, False)
    assert "conforms" not in result.stdout.str()


PARTS = """
from msgspec import to_builtins
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.wire import Unsupported

class Parts(ReferenceTarget):
    def describe(self, request):
        return {{**to_builtins(super().describe(request)), "surfaces": ["pick"], "features": ["cpu-manager/static"]}}

    def pick(self, request):
        if {where}:
            raise Unsupported("NUMA nodes of which I know nothing")
        return super().pick(request)

def make():
    return Parts(level="documented")
"""


@pytest.mark.parametrize(
    ("where", "verdict"),
    [("{cpu['numa'] for cpu in request.machine['cpus']} != {0}", "partial"), ("True", "not tested")],
)
def test_machines_outside_of_what_a_target_supports_are_named_once_and_no_failure(
    suite, pytester, report, where, verdict
):
    pytester.path.joinpath("parts.py").write_text(PARTS.format(where=where))
    asked = ("--numa-requirement", "cpu-manager/static/gives-free-cpus-only", "--numa-budget", "1%")
    result = suite("--numa-target", "parts:make", *asked, "--numa-report", "out")
    assert result.ret == (5 if verdict == "not tested" else 0)
    assert report()["verdict"] == verdict
    (note,) = (each for each in report()["notes"] if each.startswith("outside of what the target supports: "))
    assert note.endswith(": NUMA nodes of which I know nothing")


CHANGES = """
import itertools, os
from msgspec import structs
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.wire import Unsupported

TIMES = itertools.count()

class Changes(ReferenceTarget):
    def describe(self, request):
        told = super().describe(request)
        return structs.replace(told, {field}) if {when} else told

    def node_start(self, request):
        if "full-pcpus-only" in request.kubelet.get("cpuManagerPolicyOptions", {{}}):
            raise Unsupported("I do not feel like it")
        return super().node_start(request)

def make():
    return Changes(level="documented")
"""
LESS = "surfaces=told.surfaces[:-1], features=told.features[:3]"


@pytest.mark.parametrize(
    ("field", "when", "workers", "told"),
    [
        ("kubernetes_version='1.36'", "next(TIMES)", 0, "kubernetes_version '1.36' in place of '1.37'"),
        pytest.param(LESS, "os.environ.get('PYTEST_XDIST_WORKER')", 2, "surfaces without score; *", marks=deep),
    ],
)
def test_a_target_that_describes_itself_otherwise_later_or_to_a_worker_is_told_and_claims_nothing(
    suite, pytester, report, monkeypatch, field, when, workers, told
):
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)  # where a worker runs this test itself
    pytester.path.joinpath("changes.py").write_text(CHANGES.format(field=field, when=when))
    more = ("-n", str(workers)) if workers else ()
    asked = ("--numa-requirement", "scheduler/score/*", "--numa-budget", "1%", *more)
    result = suite("--numa-target", "changes:make", *asked, "--numa-report", "out")
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [f"problem: the target contradicts itself: describe reports otherwise when it is asked again: {told}"]
    )
    assert "conforms" not in result.stdout.str()
    assert report()["verdict"] == "partial"
    assert report()["counts"]["passed"] > 0
    assert "nothing is claimed" in read_report(pytester.path / "out").claim


def test_what_a_target_supports_under_no_configuration_of_a_feature_is_told_and_not_claimed(suite, pytester, report):
    pytester.path.joinpath("changes.py").write_text(CHANGES.format(field="", when="False"))
    asked = ("--numa-requirement", "cpu-manager/full-pcpus-only/*", "--numa-budget", "2%")
    result = suite("--numa-target", "changes:make", *asked, "--numa-machine", "uneven-nodes", "--numa-report", "out")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["note: outside of what the target supports: uneven-nodes*: I do not feel like it"])
    assert report()["verdict"] == "partial"
    assert report()["counts"]["not claimed"] == 3
