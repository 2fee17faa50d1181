"""``--numa-profile``, and what makes a run lose the profile's name."""

import pytest

from asked_in_full import deep
from numa_conformance.sources.versions import DEFAULT

CLOSEST = "topology-manager/prefer-closest-numa-nodes/takes-the-closer-set"


@pytest.mark.parametrize(("profile", "version"), [("scheduler", str(DEFAULT)), ("scheduler@1.27", "1.27")])
def test_a_profile_asks_for_its_features_only_and_is_named_in_the_claim(suite, report, profile, version):
    result = suite("--numa-profile", profile, "--numa-report", "out")
    assert result.ret == 0
    told = report()
    assert {case["area"] for case in told["cases"]} - {"protocol"} == {"scheduler"}
    assert (told["verdict"], told["profile"]) == ("conformant", f"scheduler@{version}")
    profile = "scheduler with pod-level-resources" if version == str(DEFAULT) else "scheduler"
    assert told["claim"].endswith(f"conforms to the documented behaviour of Kubernetes {version}, profile {profile}.")


@deep
def test_a_version_leaves_out_what_does_not_hold_in_it(suite, report):
    written = ("-k", "not test_every_step")
    assert suite("--numa-profile", "topology@1.27", *written, "--numa-report", "out").ret == 0
    told = report()
    assert told["target"]["kubernetes"] == "1.27"
    assert CLOSEST not in {name for case in told["cases"] for name in case["requirements"]}
    assert suite("--numa-profile", "topology@1.28", "--numa-requirement", CLOSEST).ret == 0


def test_a_narrowed_run_loses_the_name(suite, report):
    result = suite("--numa-profile", "cpu", "--numa-requirement", "cpu-manager/none/*", "--numa-report", "out")
    assert result.ret == 0
    assert (report()["verdict"], report()["profile"]) == ("partial", "")
    result.stdout.fnmatch_lines(["VERDICT: PARTIAL (level documented; * cases: * passed*"])


@deep
def test_a_run_that_stops_at_the_first_failure_says_what_it_left_out(suite, report):
    target = "mutants:lets_devices_decide_the_class"
    result = suite("-x", "--numa-no-shrink", "--numa-target", target, "--numa-profile", "cpu", "--numa-report", "out")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["problem: * planned cases came to no verdict: *"])
    assert report()["profile"] == ""


DIES = """
import os, signal
from numa_conformance.reference.target import ReferenceTarget

class Dies(ReferenceTarget):
    def classify(self, request):
        os.kill(os.getpid(), signal.SIGKILL)
"""


@deep
def test_a_case_whose_worker_dies_is_missing_and_said_to_be(suite, pytester, report):
    pytester.makepyfile(dies=DIES)
    result = suite(
        "--numa-target", "dies:Dies", "--numa-requirement", "qos/*", "-n", "1", "--max-worker-restart", "0",
        "--numa-report", "out",
    )  # fmt: skip
    assert result.ret != 0
    assert any("came to no verdict" in problem for problem in report()["problems"])
    assert report()["verdict"] != "conformant"


@pytest.mark.parametrize(
    ("profile", "said"), [("schedular", "did you mean 'scheduler'"), ("cpu@1.2", "accepted: 1.27 to 1.37")]
)
def test_unknown_profiles_are_wrong_usage(suite, profile, said):
    result = suite("--numa-profile", profile)
    assert result.ret == 4
    assert said in result.stderr.str()
