import json

import msgspec
import pytest

from numa_conformance.chapters import REQUIREMENTS
from numa_conformance.errors import UsageError
from numa_conformance.report.html import html_page
from numa_conformance.report.reading import read_report
from numa_conformance.report.text import summary_lines, unmet_blocks
from numa_conformance.report.writers import write_reports
from report.runs import OTHER, REQUIREMENT, SCENARIO, case, failing_run, run


@pytest.mark.parametrize(
    ("cases", "narrowed", "verdict"),
    [
        ([case(1)], False, "conformant"),
        ([case(1)], True, "partial"),
        ([case(1), case(2, "not claimed")], False, "partial"),
        ([case(1), case(2, "expected failure")], False, "partial"),
        ([case(1), case(2, "failed")], False, "not conformant"),
        ([case(1), case(2, "timed out")], True, "not conformant"),
        ([case(1), case(2, "crashed")], True, "not conformant"),
        ([case(1), case(2, "error")], False, "not judged"),
        ([case(1, "failed"), case(2, "error")], False, "not judged"),
        ([case(1, "not claimed"), case(2, "error")], True, "not judged"),
        ([case(1, "not claimed")], False, "not tested"),
        ([], False, "not tested"),
    ],
)
def test_the_verdict_follows_from_the_cases(cases, narrowed, verdict):
    assert run(*cases, narrowed=narrowed).verdict == verdict


def test_of_a_target_that_claims_nothing_it_is_said_that_it_claims_nothing():
    claim = run(case(1, "not claimed"), narrowed=False, features=[]).claim
    assert claim == "No case was run, so nothing can be said of mine 1: it claims no feature."


def test_what_is_claimed_and_was_not_asked_is_noted():
    unasked = case(2, "not claimed", "qos/best-effort-has-none", details="not asked within the budget")
    assert run(case(1), unasked).notes == [
        "no profile was tested whole, as these are claimed and were not tested: qos/best-effort-has-none"
    ]


def test_where_most_is_not_claimed_the_next_claim_is_named():
    wanted = ["cpu-manager/static/packs-whole-cores", "cpu-manager/static/serves-what-is-free", "memory-manager/none/x"]
    wanted[2] = next(name for name in REQUIREMENTS if name.startswith("memory-manager/static/"))
    unclaimed = [case(number, "not claimed", name) for number, name in enumerate(wanted, 2)]
    summary = run(case(1, requirement="qos/best-effort-has-none"), *unclaimed, narrowed=False, features=["node/qos"])
    said = "3 of 4 cases need what is not claimed; claim cpu-manager/static next, and 2 more are asked"
    assert said in summary.notes
    assert not any("next" in note for note in run(case(1), *unclaimed, narrowed=True).notes)


def test_every_case_is_counted_once():
    summary = failing_run()
    assert summary.planned == sum(summary.counts.values()) == 5


def test_the_order_of_cases_does_not_change_the_report():
    assert run(case(1), case(2)) == run(case(2), case(1))


def test_a_claimed_feature_without_a_case_is_a_problem():
    untested = run(case(1), narrowed=False, features=["cpu-manager/none"])
    assert untested.problems == ["feature cpu-manager/none is claimed and no case was run for it"]
    assert (untested.verdict, untested.profile) == ("partial", "")


@pytest.mark.parametrize(("verdict", "is_told"), [("not claimed", True), ("passed", False)])
def test_a_feature_of_which_no_machine_is_supported_is_a_problem(verdict, is_told):
    other = case(2, verdict, "cpu-manager/none/gives-no-exclusive-cpus")
    summary = run(case(1), other, narrowed=False, features=["cpu-manager/none"], outside={"four NUMA nodes": ["four"]})
    why = "the target supports no machine on which it is asked"
    assert summary.problems == [f"feature cpu-manager/none is claimed, and not tested: {why}"] * is_told


def test_a_feature_that_cannot_be_asked_alone_is_noted():
    not_asked = case(2, "not claimed", "cpu-manager/none/gives-no-exclusive-cpus")
    summary = run(case(1), not_asked, narrowed=False, features=["cpu-manager/none"])
    assert summary.notes == [
        "feature cpu-manager/none is claimed, and not tested: each case needs another that is not claimed"
    ]
    assert not any("cpu-manager/none" in problem for problem in summary.problems)


def test_what_is_written_reads_back(tmp_path):
    write_reports(failing_run(), tmp_path)
    assert read_report(tmp_path) == read_report(tmp_path / "report.json") == failing_run()


def test_scenarios_of_an_earlier_run_do_not_stay(tmp_path):
    write_reports(failing_run(), tmp_path)
    assert len(list(tmp_path.glob("scenario-*.json"))) == 1
    write_reports(run(case(1)), tmp_path)
    assert list(tmp_path.glob("scenario-*.json")) == []


@pytest.mark.parametrize(("text", "said"), [(None, "cannot be read"), ("{}", "is no report"), ("garbage", "is no")])
def test_what_is_no_report_is_refused_by_name(tmp_path, text, said):
    path = tmp_path / "report.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(UsageError, match=said) as caught:
        read_report(path)
    assert str(path) in str(caught.value)


def test_a_verdict_that_is_none_of_ours_is_refused(tmp_path):
    write_reports(run(case(1)), tmp_path)
    path = tmp_path / "report.json"
    path.write_text(path.read_text().replace('"verdict": "passed"', '"verdict": "fine"'))
    with pytest.raises(UsageError, match="is no report"):
        read_report(path)


def test_verdict_and_claim_of_a_report_from_elsewhere_are_drawn_anew(tmp_path):
    write_reports(run(case(1), case(2, "failed")), tmp_path)
    file = tmp_path / "report.json"
    told = json.loads(file.read_text())
    told |= {"verdict": "conformant", "claim": "mine is best"}
    file.write_text(json.dumps(told))
    read = read_report(tmp_path)
    assert read.verdict == "not conformant"
    assert "does not conform" in read.claim


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (lambda told: told["cases"].pop(), "counts 1 cases as failed, and has 0"),
        (lambda told: told["counts"].pop("failed"), "counts 0 cases as failed, and has 1"),
        (lambda told: told["counts"].update(lucky=1), "counts 1 cases as lucky, and has 0"),
        (
            lambda told: told["cases"][1].update(verdict="passed"),
            "1 cases as passed, and has 2; 1 cases as failed, and",
        ),
    ],
)
def test_a_report_whose_counts_are_of_other_cases_is_refused(tmp_path, changed, said):
    write_reports(run(case(1), case(2, "failed"), profile="all", narrowed=False), tmp_path)
    file = tmp_path / "report.json"
    told = json.loads(file.read_text())
    changed(told)
    file.write_text(json.dumps(told))
    with pytest.raises(UsageError, match=said):
        read_report(tmp_path)


@pytest.mark.parametrize(
    "scenario",
    [
        {"kind": "question"},
        {"kind": "question", "params": []},
        {**SCENARIO, "steps": [{}]},
        {**SCENARIO, "answered": 7},
        {**SCENARIO, "steps": [{"op": "admit", "pod": {"metadata": []}}]},
        {**SCENARIO, "answered": [{"result": "admitted", "containers": [1]}]},
    ],
)
def test_a_scenario_from_elsewhere_that_cannot_be_drawn_is_not(scenario):
    assert "<svg" not in html_page(run(case(1, "failed", scenario=scenario))).replace('<svg class="mark"', "")


def test_a_report_that_is_no_text_is_refused(tmp_path):
    (tmp_path / "report.json").write_bytes(b'{"target": "\xff\xfe"}')
    with pytest.raises(UsageError, match="is no report of this suite"):
        read_report(tmp_path)


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be written"):
        write_reports(failing_run(), tmp_path / "file" / "out")


def test_a_planned_case_without_a_verdict_is_told_and_takes_the_profile_away():
    whole = run(case(1), planned=[case(1).id], narrowed=False)
    assert (whole.verdict, whole.profile) == ("conformant", "all@1.32")
    cut = run(case(1), planned=[case(1).id, case(2).id], narrowed=False)
    assert (cut.verdict, cut.profile) == ("partial", "")
    assert cut.problems == [
        "1 planned cases came to no verdict: host/test_reconcile::test_cpusets_reach_the_cgroups[2]"
    ]


def test_nothing_is_claimed_where_there_is_a_problem():
    alone = run(case(1), narrowed=False, features=["cpu-manager/none"])
    assert alone.problems
    assert alone.claim == "There is a problem, so nothing is claimed for mine 1."


def test_the_claim_names_the_profile():
    none = case(2, requirement="cpu-manager/none/gives-no-exclusive-cpus")
    claim = run(case(1), none, profile="cpu@1.31", narrowed=False).claim
    assert claim == "mine 1 conforms to the documented behaviour of Kubernetes 1.31, profile cpu."
    assert "profile" not in run(case(1), profile="cpu@1.31", narrowed=True).claim


@pytest.mark.parametrize(
    ("requirement", "verdict", "said"),
    [
        ("exact/histories/picks", "passed", True),
        ("exact/histories/picks", "not claimed", False),
        ("exact/histories/scores", "passed", False),
        ("qos/best-effort-has-none", "passed", False),
    ],
)
def test_the_claim_speaks_of_cpu_ids_where_some_were_compared(requirement, verdict, said):
    claim = run(case(1), case(2, verdict, requirement), level="exact").claim
    assert ("to the CPU id" in claim) is said
    assert ("no CPU ids were compared" in claim) is not said


def test_a_report_tells_where_its_requirements_are_documented(tmp_path):
    summary = run(case(1), narrowed=True)
    assert summary.addresses == {REQUIREMENT: REQUIREMENTS[REQUIREMENT].address}
    write_reports(summary, tmp_path)
    assert read_report(tmp_path).addresses == summary.addresses


def test_what_is_not_met_is_told_with_its_address():
    lines = summary_lines(failing_run())
    assert lines.count(f"  {REQUIREMENTS[REQUIREMENT].address}") == 1


def test_what_most_conversations_break_is_told_first():
    rare, often = case(1, "failed"), case(2, "failed", OTHER)
    rare = msgspec.structs.replace(rare, histories=9, asked=20, broken_in=1, broken=6)
    often = msgspec.structs.replace(often, histories=9, asked=20, broken_in=3, broken=6)
    told = unmet_blocks(run(rare, often))[0]
    assert [line.split(",")[0] for line in told if line.startswith("NOT MET")] == [
        f"NOT MET: {OTHER}",
        f"NOT MET: {REQUIREMENT}",
    ]


def test_what_is_broken_wherever_it_is_asked_is_told_before_what_is_mostly_met():
    mostly_met, never_met = case(1, "failed"), case(2, "failed", OTHER)
    mostly_met = msgspec.structs.replace(mostly_met, histories=9, asked=90, broken_in=4, broken=10)
    never_met = msgspec.structs.replace(never_met, histories=9, asked=9, broken_in=3, broken=9)
    assert unmet_blocks(run(mostly_met, never_met))[0][1].startswith(f"NOT MET: {OTHER}")


def test_the_page_links_every_requirement_to_its_source():
    known = REQUIREMENTS[REQUIREMENT]
    assert f'<a href="{known.address}">{known.source}</a>; {known.strength}, since {known.since}' in html_page(
        failing_run()
    )


def test_a_scenario_is_played_again_as_of_the_version_of_its_record():
    lines = unmet_blocks(run(case(1, "failed", scenario={**SCENARIO, "kubernetesVersion": "1.32"})), folder="out")[0]
    assert lines[-1].startswith("play it again: numa-conformance replay out/scenario-")
    assert lines[-1].endswith(".json --kubernetes-version 1.32")


def test_what_has_no_room_is_told_with_its_finding_its_quirk_and_its_command():
    names = list(REQUIREMENTS)[:10]
    cases = [
        msgspec.structs.replace(
            case(number, "failed", name, f"finding {number}\nanswered: much\ncomes and goes: failed 1 of 5 times"),
            quirks=["spread-by-cpu-id"],
            histories=3,
            asked=7,
            history=f"histories/{number}.jsonl",
        )
        for number, name in enumerate(names)
    ]
    lines = summary_lines(run(*cases), " --target mine:make", "out")
    at = lines.index("also not met:") + 1
    assert lines[at : at + 5] == [
        f"  {names[8]}, tested 7 times in 3 histories",
        "    finding 8",
        "    comes and goes: failed 1 of 5 times",
        "    the kubelet departs here too: spread-by-cpu-id",
        "    play it again: numa-conformance judge --again out/histories/8.jsonl --target mine:make",
    ]
    assert lines[at + 5].startswith(f"  {names[9]}")
