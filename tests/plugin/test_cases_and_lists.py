"""``--numa-case`` and ``--numa-list``: one case of the suite, and what would be asked."""

import json

import pytest

from asked_in_full import deep
from numa_conformance.sources.versions import DEFAULT

BEST = "histories/test_histories::test_every_step[qos/best-effort-has-none]"
LESS = "host/test_reconcile::test_a_cgroup_that_comes_late_gets_its_cpuset"
WRITTEN = "host/test_reconcile::test_cpusets_reach_the_cgroups"


@deep
def test_named_cases_are_run_and_no_others(suite, report):
    result = suite("--numa-case", LESS, "--numa-case", f"{WRITTEN}[1-cgroupfs]", "--numa-report", "out", "-n", "2")
    assert result.ret == 0
    assert [case["id"] for case in report()["cases"]] == [LESS, f"{WRITTEN}[1-cgroupfs]"]
    assert report()["verdict"] == "partial"


@deep
def test_a_test_is_named_with_all_its_cases(suite, report):
    assert suite("--numa-case", WRITTEN, "--numa-report", "out").ret == 0
    ways = ("1-cgroupfs", "1-systemd", "2-cgroupfs", "2-systemd")
    assert [case["id"] for case in report()["cases"]] == [f"{WRITTEN}[{way}]" for way in ways]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (LESS[:-3], f"the suite has no case '{LESS[:-3]}' (accepted: --numa-list shows them); did you mean '{LESS}'?"),
        (f"{WRITTEN}[3-cgroupfs]", f"did you mean '{WRITTEN}["),
        ("exact/test_scores::test_nodes_score_as_kube_scheduler_scores_them", "asked at level exact only"),
    ],
)
def test_a_case_that_is_not_there_is_wrong_usage(suite, name, said):
    result = suite("--numa-case", name)
    assert (result.ret, said in result.stderr.str(), "VERDICT" in result.stdout.str()) == (4, True, False)


def test_conversations_are_judged_by_what_is_documented_at_that_level_alone(suite):
    result = suite("--numa-level", "exact", "--numa-case", BEST)
    assert (result.ret, "asked at level documented only" in result.stderr.str()) == (4, True)


@pytest.mark.parametrize(
    ("machine", "verdicts"), [("t1-one-socket-smt2", {"not claimed"}), ("t3-two-numa-per-socket", {"passed"})]
)
def test_a_case_on_a_machine_of_its_own_is_asked_where_that_is_chosen(suite, report, machine, verdicts):
    suite("--numa-machine", machine, "--numa-case", WRITTEN, "--numa-report", "out")
    assert {case["verdict"] for case in report()["cases"]} == verdicts


@deep
def test_a_machine_that_is_named_narrows_conversations_and_one_is_left_out(suite):
    listed = ("--numa-requirement", "cpu-manager/static/packs-whole-cores", "--numa-list=json")
    only = json.loads(suite("--numa-machine", "t4-four-uncores", *listed).stdout.str())
    but = json.loads(suite("--numa-machine=-t4-four-uncores", *listed).stdout.str())
    for group in only["conversations"]:
        assert {name.partition(",")[0].partition(" with ")[0] for name in group["machines"]} == {"t4-four-uncores"}
    for group in but["conversations"]:
        assert len(group["machines"]) > 20
        assert not any(name.startswith("t4-four-uncores") for name in group["machines"])


REFUSES = """
from numa_conformance.reference.target import ReferenceTarget

class Refuses(ReferenceTarget):
    def describe(self, request):
        described = super().describe(request)
        return type(described)("small", "1", "2", ["pick"], ["cpu-manager/static"])

    def pick(self, request):
        raise RuntimeError("nothing is to be asked")
"""


def test_a_list_tells_what_would_be_asked_and_asks_nothing(suite, pytester):
    pytester.makepyfile(refuses=REFUSES)
    asked = ["--numa-target", "refuses:Refuses", "--numa-profile", "all", "--numa-list"]
    result = suite(*asked)
    assert result.ret == 0
    assert result.outlines[0] == f"small 1: level documented, profile all@{DEFAULT}"
    result.stdout.fnmatch_lines(
        [
            "cpu-manager/static/packs-whole-cores (MUST)",
            "  On an empty machine a request of whole cores*",
            "  https://*",
            "  asked by: histories",
            "  machines: *",
            "  - histories/test_histories::test_every_step?cpu-manager/static/packs-whole-cores?",
            "histories picks: * on * machines (surface pick): *",
            "* requirements, * of them claimed; * cases; * histories. Nothing was asked.",
        ]
    )
    assert "  not claimed: scheduler/least-allocated, the surface score" in result.outlines


def test_a_list_for_programs_is_json_and_nothing_else(suite):
    result = suite("--numa-list=json", "--numa-requirement", "qos/*", "-k", "best", "-n", "2")
    told = json.loads(result.stdout.str())
    assert (result.ret, told["level"], told["profile"]) == (0, "documented", f"all@{DEFAULT}")
    assert [case["id"] for case in told["cases"]] == [BEST]
    best = next(each for each in told["requirements"] if each["id"] == "qos/best-effort-has-none")
    assert (best["claimed"], best["missing"], best["cases"]) == (True, [], [BEST])
    assert best["text"].endswith(".")
