"""``--numa-known-failures`` that name requirements and cases; ``--numa-features``; profiles of one surface."""

import pytest

from numa_conformance.cli import main
from numa_conformance.sources.versions import DEFAULT

DEVICES = ("--numa-target", "mutants:lets_devices_decide_the_class")
QOS = "qos/best-effort-has-none"
ENTRY = "- {%s, reason: it is so, link: https://example.com/1}\n"


def test_what_is_written_covers_what_failed_and_no_more(suite, pytester, report):
    asked = (*DEVICES, "--numa-requirement", QOS, "--numa-budget", "100%")
    assert suite(*asked, "--numa-report", "out").ret == 1
    known = pytester.path / "known.yaml"
    with pytest.raises(SystemExit, match=r"^0$"):
        main(["report", "known-failures", str(pytester.path / "out"), str(known), "--reason", "r", "--link", "l"])
    assert suite(*asked, "--numa-known-failures", "known.yaml").ret == 0
    known.write_text(known.read_text().replace("::test_", "::test_another_", 1))
    assert suite(*asked, "--numa-known-failures", "known.yaml", "--numa-report", "new").ret == 1
    assert "failed" in {case["verdict"] for case in report("new")["cases"]}
    assert any("the suite has no case" in problem for problem in report("new")["problems"])


def test_another_machine_is_a_new_failure(suite, pytester):
    case = f"histories/test_histories::test_every_step[{QOS}]"
    whole = ("--numa-budget", "100%")
    pytester.path.joinpath("known.yaml").write_text(ENTRY % f"case: '{case}', machines: [another]")
    result = suite(*DEVICES, "--numa-case", case, "--numa-known-failures", "known.yaml", *whole)
    assert result.ret == 1
    result.stdout.fnmatch_lines([f"NOT MET: {QOS}*"])
    pytester.path.joinpath("known.yaml").write_text(ENTRY % f"case: '{case}', machines: [one-cpu]")
    assert suite(*DEVICES, "--numa-case", case, "--numa-known-failures", "known.yaml", *whole).ret == 0
    pytester.path.joinpath("known.yaml").write_text(ENTRY % f"case: '{case}', machines: all")
    assert suite(*DEVICES, "--numa-case", case, "--numa-known-failures", "known.yaml", *whole).ret == 0


def test_a_stale_entry_fails_a_narrowed_run_and_one_that_is_not_asked_is_told(suite, pytester):
    pytester.path.joinpath("known.yaml").write_text(
        ENTRY % f"requirement: {QOS}" + ENTRY % "requirement: host/finds-the-online-cpus"
    )
    result = suite("--numa-requirement", QOS, "--numa-known-failures", "known.yaml")
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            f"problem: known failure {QOS}: it is met now; remove the entry",
            "note: known failures that were not asked in this run (not selected): host/finds-the-online-cpus",
        ]
    )


@pytest.mark.parametrize("written", [["--numa-features=-scheduler/filter"], ["-o", "numa_features=-scheduler/filter"]])
def test_a_feature_is_left_out(suite, report, written):
    assert suite(*written, "--numa-profile", "scheduler", "--numa-report", "out").ret == 0
    told = report()
    assert (told["verdict"], told["problems"]) == ("partial", [])
    assert "scheduler/filter" not in told["target"]["features"]


ONE_SURFACE = """
from numa_conformance.reference.target import ReferenceTarget

class Target(ReferenceTarget):
    surface, features = None, []

    def __init__(self):
        super().__init__("documented")

    def describe(self, request):
        described = super().describe(request)
        return type(described)("small", "1", "2", [self.surface], self.features)

class Pick(Target):
    surface, features = "pick", ["cpu-manager/static", "cpu-manager/full-pcpus-only"]

class Score(Target):
    surface, features = "score", ["scheduler/most-allocated"]
"""


@pytest.mark.parametrize(("surface", "chosen"), [("pick", "full-pcpus-only"), ("score", "most-allocated")])
def test_a_target_of_one_surface_can_be_conformant(suite, pytester, report, surface, chosen):
    pytester.makepyfile(small=ONE_SURFACE)
    assert suite("--numa-target", f"small:{surface.title()}", "--numa-report", "out", "--numa-budget", "25%").ret == 0
    told = report()
    assert (told["verdict"], told["profile"]) == ("conformant", f"{surface}@{DEFAULT}")
    assert told["claim"].endswith(f"Kubernetes {DEFAULT}, profile {surface} with {chosen}.")
    assert f" ({surface}), documented" in (pytester.path / "out" / "badge.svg").read_text()
