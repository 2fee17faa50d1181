import re

import msgspec
import pytest

from numa_conformance.asking.known_failures import KnownFailure, KnownFailures
from numa_conformance.cli import main
from numa_conformance.errors import UsageError
from numa_conformance.report.case import VERDICTS
from numa_conformance.report.circumstances import Circumstances
from numa_conformance.report.compare import compare_reports, merge_reports
from numa_conformance.report.html import Column, matrix_page
from numa_conformance.report.reading import read_report
from numa_conformance.report.writers import report_under_way, write_reports
from report.runs import OTHER, REQUIREMENT, case, failing_run, run

GOOD = run(case(1), case(2), case(3, "failed"), case(4, "not claimed"), case(5))
WORSE = run(case(1), case(2, "crashed"), case(3), case(4, "failed"), case(6))


def ids(changes):
    return [change.id.partition("[")[2].rstrip("]") for change in changes]


def test_each_change_has_one_kind():
    found = compare_reports(GOOD, WORSE)
    assert ids(found.regressed) == ["2"]
    assert ids(found.fixed) == ["3"]
    assert ids(found.changed) == ["4"]
    assert ids(found.new) == ["6"]
    assert ids(found.gone) == ["5"]
    assert f"  {case(2).id}: passed -> crashed ({REQUIREMENT})" in found.lines()


def test_a_report_does_not_differ_from_itself():
    assert compare_reports(GOOD, GOOD).lines() == ["no verdict differs"]


def test_comparing_backwards_swaps_the_kinds():
    there, back = compare_reports(GOOD, WORSE), compare_reports(WORSE, GOOD)
    assert ids(there.regressed) == ids(back.fixed)
    assert ids(there.new) == ids(back.gone)


def test_merging_keeps_the_worst_verdict_in_either_order():
    one, other = (merge_reports(order, ["a", "b"]) for order in ((GOOD, WORSE), (WORSE, GOOD)))
    assert one == other
    verdicts = [case.verdict for case in one.cases]
    assert verdicts == ["passed", "crashed", "failed", "failed", "passed", "passed"]
    assert one.verdict == "not conformant"
    assert one.planned == sum(one.counts.values())


def test_every_verdict_has_a_weight():
    assert sorted(case(1, verdict).badness for verdict in VERDICTS) == list(range(len(VERDICTS)))


def test_merged_parts_never_claim_the_whole():
    whole = run(case(1), narrowed=False)
    assert merge_reports([whole], ["a"]) == whole
    assert merge_reports([whole, run(case(2), narrowed=False)], ["a", "b"]).verdict == "partial"


def test_reports_of_different_targets_do_not_merge_and_all_are_named():
    with pytest.raises(UsageError) as caught:
        merge_reports([GOOD, run(case(1), name="other"), run(case(1), level="exact")], ["a", "b", "c"])
    assert [fault.place for fault in caught.value.faults] == ["b", "c"]
    assert "as in a" in str(caught.value)


def test_nothing_does_not_merge():
    with pytest.raises(UsageError, match="no report"):
        merge_reports([], [])


def test_the_matrix_has_a_cell_for_each_target_and_requirement():
    made = Circumstances("2026-11-22T10:00:00Z")
    other = Column(run(case(1, requirement=OTHER), name="<other>"), "other/index.html", made)
    page = matrix_page([Column(failing_run()), other])
    row = next(line for line in page.splitlines() if f"<code>{OTHER}</code>" in line)
    assert re.findall(r'<span class="verdict [a-z-]+">(.*?)</span>', row) == ["error", "passed"]
    assert "<other>" not in page
    assert '<a href="other/index.html">&lt;other&gt; 1</a>' in page
    assert '<time datetime="2026-11-22T10:00:00Z">2026-11-22</time>' in page
    totals = next(line for line in page.splitlines() if '<th scope="rowgroup">qos</th>' in line)
    assert re.findall("<td>(.*?)</td>", totals) == ["0 of 1 met", "1 of 1 met"]


def test_the_matrix_begins_with_a_bar_for_each_area_and_report():
    page = matrix_page([Column(run(case(1), case(6, "not claimed", OTHER))), Column(run(case(1, "failed"), name="b"))])
    (overview,) = re.findall('<section class="overview">.*?</section>', page, re.DOTALL)
    assert page.index(overview) < page.index('<details class="filters"')
    rows = dict(re.findall(r'<a href="#area-([a-z-]+)">.*?</th>(.*?)</tr>', overview))
    assert re.findall(r'<i class="([a-z-]+)" style="flex:(\d+)">', rows["cpu-manager"]) == [
        ("passed", "1"),
        ("failed", "1"),
    ]
    assert re.findall("<small>(.*?)</small>", rows["cpu-manager"]) == ["1 of 1", "0 of 1"]
    assert re.findall("<small>(.*?)</small>", rows["qos"]) == ["not tested", "not tested"]
    assert [area for area in rows if f'id="area-{area}"' not in page] == []
    assert "exporter" not in rows


def test_runs_of_one_target_are_told_in_the_order_of_their_dates():
    later, first = (Circumstances(f"2026-{month}-01T10:00:00Z") for month in ("11", "09"))
    alone = Column(run(case(1), name="alone"), run=first)
    page = matrix_page([Column(GOOD, run=later), Column(WORSE, run=first), alone, Column(GOOD)])
    (history,) = re.findall('<section class="history">.*?</section>', page, re.DOTALL)
    assert re.findall("<time[^>]*>(.*?)</time>", history) == ["2026-09-01", "2026-11-01"]
    assert re.findall("<summary>(.*?)</summary>", history) == ["1 regressed", "1 gone", "1 fixed", "1 new"]
    assert "the first" in history.partition("2026-11-01")[0]
    assert "alone" not in history


def test_the_commands_read_what_the_suite_writes(tmp_path, capsys):
    for name, summary in (("good", GOOD), ("worse", WORSE)):
        write_reports(summary, tmp_path / name)
    good, worse = str(tmp_path / "good"), str(tmp_path / "worse" / "report.json")

    def code(*args):
        with pytest.raises(SystemExit) as stopped:
            main(["report", *args])
        return stopped.value.code

    assert code("compare", good, good) == 0
    assert code("compare", good, worse) == 1
    assert "regressed (1):" in capsys.readouterr().out
    assert code("compare", good, worse, "--json") == 1
    assert '"regressed": [' in capsys.readouterr().out
    assert code("merge", good, worse, "-o", str(tmp_path / "both")) == 0
    assert read_report(tmp_path / "both").planned == 6
    assert code("matrix", good, worse, "-o", str(tmp_path / "matrix.html")) == 0
    page = (tmp_path / "matrix.html").read_text()
    assert page.startswith("<!doctype html>")
    assert re.findall('<a href="([a-z]+/index.html)">', page) == ["good/index.html", "worse/index.html"]
    assert code("compare", good, str(tmp_path / "absent")) == 2


@pytest.fixture
def known_failures(tmp_path, capsys):
    def refresh(summary, *args):
        write_reports(summary, tmp_path / "out")
        with pytest.raises(SystemExit) as ended:
            main(["report", "known-failures", str(tmp_path / "out"), str(tmp_path / "known.yaml"), *args])
        out, err = capsys.readouterr()
        return ended.value.code, out + err

    refresh.file = tmp_path / "known.yaml"
    return refresh


WHY = ("--reason", "planned", "--link", "https://example.com/7")


def test_known_failures_are_written_and_then_read_by_the_suite(known_failures):
    code, said = known_failures(run(case(1, "failed"), case(2, "crashed", OTHER)), *WHY, "--expires", "2999-01-01")
    assert (code, said.endswith("known.yaml: 2 known failures, 2 added, 0 removed\n")) == (0, True)
    entries = KnownFailures.read(str(known_failures.file)).entries
    assert list(entries) == [REQUIREMENT, OTHER]
    assert entries[OTHER] == KnownFailure(
        requirement=OTHER, cases=[case(2).id], reason="planned", link="https://example.com/7", expires="2999-01-01"
    )


def test_refreshing_keeps_reasons_and_removes_what_is_met_now(known_failures):
    known_failures.file.write_text(
        f"- {{requirement: {REQUIREMENT}, reason: own words, link: here, expires: 2020-01-01}}\n"
        f"- {{requirement: {OTHER}, reason: gone soon, link: there}}\n"
        "- {requirement: cpu-manager/none/needs-no-reservation, reason: not asked, link: there}\n"
    )
    code, said = known_failures(run(case(1, "expected failure"), case(2, "passed", OTHER)))
    assert (code, "2 known failures, 0 added, 1 removed" in said) == (0, True)
    entries = KnownFailures.read(str(known_failures.file), may_have_expired=True).entries
    assert entries[REQUIREMENT].reason == "own words"
    assert OTHER not in entries


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ((), "1 new entries need a reason and a link"),
        (("--reason", "planned"), "--reason and --link go together"),
        ((*WHY, "--expires", "soon"), "'soon' is no date"),
        ((*WHY, "--expires", "2020-01-01"), "expired on 2020-01-01"),
    ],
)
def test_new_entries_need_all_that_an_entry_needs(known_failures, args, said):
    code, told = known_failures(run(case(1, "failed")), *args)
    assert code == 2
    assert said in told
    assert not known_failures.file.exists()


def test_a_part_that_is_not_finished_leaves_the_whole_so():
    part = report_under_way("mine", "documented", "1.32")
    finished = msgspec.structs.replace(run(case(1)), target=part.target)
    whole = merge_reports([finished, part], ["a", "b"])
    assert (whole.verdict, whole.complete) == ("not finished", False)
