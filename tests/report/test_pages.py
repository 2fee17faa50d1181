import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest
from msgspec.structs import replace

from numa_conformance.chapters import REQUIREMENTS
from numa_conformance.report.case import Case, scenario_file
from numa_conformance.report.circumstances import FILE, Circumstances
from numa_conformance.report.claims import Target
from numa_conformance.report.html import Column, html_page, matrix_page, worst
from numa_conformance.report.model import Summary
from numa_conformance.report.writers import PAGE, WRITERS, badge_svg, junit_xml, write_reports
from numa_conformance.sources.quirks import QUIRKS
from numa_conformance.sources.versions import KubernetesVersion
from numa_conformance.wire.features import FEATURES
from report.runs import OTHER, REQUIREMENT, SCENARIO, TEST, case, failing_run, run

VOID = {"meta", "input", "br", "link", "img"}


class Tags(HTMLParser):
    """Collects elements and checks that each is closed in its place."""

    def __init__(self, page):
        super().__init__()
        self.opened, self.seen = [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.opened.append(tag)

    def handle_endtag(self, tag):
        assert self.opened.pop() == tag


def test_the_page_is_well_formed_and_links_lead_to_its_anchors():
    tags = Tags(html_page(failing_run()))
    assert tags.opened == []
    anchors = [attrs["id"] for _, attrs in tags.seen if "id" in attrs]
    links = [attrs["href"] for tag, attrs in tags.seen if tag == "a"]
    assert len(anchors) == len(set(anchors)) == 3 + 2 + 2
    assert {link[1:] for link in links if link.startswith("#")} == set(anchors)


def test_the_first_screen_tells_verdict_areas_and_a_failure_with_its_picture():
    summary = run(
        case(1), case(2, "failed", OTHER, details="b"), case(3, "failed", details="a half", scenario=SCENARIO)
    )
    page = html_page(summary, Circumstances("2026-11-22T10:00:00Z"))
    header = page.partition("<header>")[2].partition("</header>")[0]
    assert f'<span class="verdict not-conformant">{summary.verdict}</span></h1>' in header
    assert f'<p class="claim">{summary.claim}</p>' in unescape(header)
    bars = re.findall(r'">([a-z-]+)</a> <span class="bar" aria-hidden="true">(.*?)</span>', header)
    shares = {area: re.findall(r'class="([a-z-]+)" style="flex:([0-9]+)"', bar) for area, bar in bars}
    assert shares == {"cpu-manager": [("passed", "1"), ("failed", "1")], "qos": [("failed", "1")]}
    opened = [
        details for details in page.split('<details class="finding"')[1:] if " open>" in details.partition("\n")[0]
    ]
    assert len(opened) == 2 - (opened[0].count("<svg") > 0)
    assert "<svg" in opened[-1].partition("</details>")[0]
    assert page.index("2026-11-22") > page.index("Not met")


def test_areas_of_which_nothing_is_claimed_share_a_line():
    header = html_page(run(case(1), case(4, "not claimed", OTHER))).partition("</header>")[0]
    assert '<p>Not claimed: <a href="#area-qos">qos</a></p>' in header
    assert header.count('class="bar"') == 1


def test_what_only_a_script_can_do_is_hidden_until_a_script_runs():
    for page in (html_page(failing_run()), matrix_page([Column(failing_run())])):
        tags = Tags(page).seen
        filters = [attrs for tag, attrs in tags if tag == "details" and attrs.get("class") == "filters"]
        assert [("hidden" in attrs) for attrs in filters] == [True]
        assert page.index("<form") > page.index('<details class="filters"')
        assert all("hidden" in attrs for tag, attrs in tags if attrs.get("class") == "copy")


def test_the_page_needs_no_network():
    page = html_page(failing_run())
    assert re.findall(r'(?<!<a href=")https?://(?!www\.w3\.org/2000/svg)', page) == []
    assert all("src" not in attrs and tag != "link" for tag, attrs in Tags(page).seen)


def test_what_a_target_says_is_text_and_never_markup():
    page = html_page(run(case(1, "failed", details="<script>alert(1)</script>"), name="<b>mine</b>"))
    assert "<script>alert" not in page
    assert "<b>mine" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_no_text_of_a_report_becomes_markup_wherever_it_stands():
    """A report is read from a file, and may be somebody else's: every text in it is hostile here."""
    bad = "</script><script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
    target = Target(bad, bad, "1.32", [bad], [bad])
    hostile = Case(bad, [bad], bad, "failed", bad, {**SCENARIO, "kubelet": bad})
    counts = {"failed": 1}
    report = Summary(target, "exact", bad, bad, counts, [hostile], [bad], profile=bad, suite=bad)
    for page in (html_page(report), matrix_page([Column(report)])):
        tags = Tags(page)
        assert tags.opened == []
        assert [tag for tag, _ in tags.seen if tag == "script"] == ["script"] * (page.count("apply();") > 0)
        assert all(tag != "img" and not any(key.startswith("on") for key in attrs) for tag, attrs in tags.seen)


def test_the_page_names_versions_quirks_and_features_claimed_or_not():
    summary = run(case(1), level="exact", features=["cpu-manager/none"])
    page = html_page(summary)
    assert f"Kubernetes 1.32, numa-conformance {summary.suite}." in " ".join(page.split())
    claimed, not_claimed = page.split("<h3>Claimed features</h3>")[1].split("<h3>Features not claimed</h3>")
    assert re.findall("<code>(.*?)</code>", claimed) == ["cpu-manager/none"]
    not_claimed, quirks = not_claimed.split("<h2>Quirks</h2>")
    assert {*re.findall("<code>(.*?)</code>", not_claimed), "cpu-manager/none"} == set(FEATURES)
    shown = {quirk.id for quirk in QUIRKS.values() if KubernetesVersion(1, 32) in quirk.versions}
    assert set(re.findall("<code>(.*?)</code>", quirks)) == shown
    assert "<h2>Quirks</h2>\n<p>None" in html_page(run(case(1)))


def test_the_page_says_how_often_conversations_asked_and_why_not_more_often():
    every = Case(
        f"histories/test_histories::test_every_step[{OTHER}]", [OTHER], "qos", "passed", asked=1204, histories=61
    )
    held = Case("histories/test_histories::x", [REQUIREMENT], "cpu", "not claimed", held_back={"a pod is refused": 3})
    page = unescape(html_page(run(every, held, case(1))))
    assert "<small>tested 1,204 times in 61 histories</small>" in page
    assert "<small>tested 0 times in 0 histories; not tested: 3 times a pod is refused</small>" in page
    assert page.count("<small>tested") == 2


def test_a_failure_shows_both_placements():
    page = html_page(failing_run())
    assert page.count("<figure>") == page.count("<svg") == 2
    assert "<figcaption>One placement that passes</figcaption>" in page
    exact = html_page(replace(failing_run(), level="exact"))
    assert "<figcaption>The reference's placement</figcaption>" in unescape(exact)
    assert page.count(">&lt;a&gt;/c</text>") == 1  # the legend is in the second alone


def test_filters_and_failures_can_be_reached_by_keyboard():
    tags = Tags(html_page(failing_run())).seen
    assert sum(tag == "input" and attrs.get("name") == "verdict" for tag, attrs in tags) == 5
    findings, folded_areas, scenarios = 3, 2, 1
    more = 1  # the second case of the requirement that is not met
    filters = 1
    assert sum(tag == "summary" for tag, _ in tags) == findings + folded_areas + scenarios + more + filters
    assert all(attrs.get("tabindex") == "0" for tag, attrs in tags if tag == "pre")


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([], "not run"),
        (["passed", "not claimed"], "passed"),
        (["passed", "expected failure"], "expected failure"),
        (["passed", "failed", "crashed"], "crashed"),
        (["error", "failed"], "failed"),
        (["not claimed"], "not claimed"),
    ],
)
def test_the_worst_verdict_decides_about_a_requirement(verdicts, expected):
    assert worst([case(number, verdict) for number, verdict in enumerate(verdicts)]) == expected


def test_junit_counts_agree_with_its_elements_and_name_the_requirements():
    root = ElementTree.fromstring(junit_xml(failing_run()))
    for suite in root:
        assert int(suite.get("tests")) == len(suite.findall("testcase"))
        for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(suite.get(attribute)) == len(suite.findall(f"testcase/{tag}"))
    assert {one.get("value") for one in root.iter("property") if one.get("name") == "requirement"} == {
        REQUIREMENT,
        OTHER,
    }
    assert [one.get("type") for one in root.iter("failure")] == ["failed", "timed out"]
    assert root.find(".//failure").text == "takes <half> a core\\u0000"


def test_junit_groups_by_area_and_sentence_and_gives_each_case_a_name_of_its_own():
    named = msgspec.structs.replace(case(1), id=f"histories/test_histories::test_every_step[{REQUIREMENT}]")
    root = ElementTree.fromstring(junit_xml(run(named, case(2), case(3))))
    shown = [(one.get("classname"), one.get("name")) for one in root.iter("testcase")]
    group = f"{REQUIREMENT.split('/')[0]}.{REQUIREMENT}"
    others = [(group, f"{TEST.partition('::')[2]}[{number}]") for number in (2, 3)]
    assert shown == [(group, REQUIREMENTS[REQUIREMENT].text), *others]
    assert {one.get("value") for one in root.iter("property") if one.get("name") == "case"} >= {named.id}


@pytest.mark.parametrize(
    ("summary", "said"),
    [
        (run(case(1), narrowed=False), "conformant 1/1, documented 1.32"),
        (run(case(1), case(2, "not claimed")), "partial 1/1, documented 1.32"),
        (failing_run(), "not judged, documented 1.32"),
        (run(case(1, "failed"), case(2), level="exact"), "not conformant 1/2, exact 1.32"),
        (run(case(1), profile="cpu", narrowed=False), "conformant 1/1 (cpu), documented 1.32"),
    ],
)
def test_the_badge_says_the_verdict(summary, said):
    svg = ElementTree.fromstring(badge_svg(summary))
    assert svg.get("aria-label") == f"numa-conformance: {said}"
    assert said in [one.text for one in svg.iter("{http://www.w3.org/2000/svg}text")]


def test_a_run_with_a_problem_has_a_grey_badge_and_an_error_for_junit():
    stale = run(case(1), known=["no/such"], narrowed=False)
    assert [
        one.get("name") for one in ElementTree.fromstring(junit_xml(stale)).findall(".//error/..")
    ] == stale.problems
    assert 'fill="#5f6368"' in badge_svg(stale)
    assert "conformant 1/1" not in badge_svg(stale)


def test_scenario_files_of_different_cases_differ_also_when_their_words_agree():
    assert scenario_file("a::b[c]") != scenario_file("a::b-c")
    assert len(scenario_file("x" * 500)) < 110
    assert re.fullmatch(r"scenario-[A-Za-z0-9-]+\.json", scenario_file("a/../b::c"))


def test_every_writer_has_its_file_and_the_guide_names_it(tmp_path):
    write_reports(run(case(1)), tmp_path)
    files = {*WRITERS, PAGE}
    assert {path.name for path in tmp_path.iterdir()} == files
    write_reports(run(case(1)), tmp_path, Circumstances("2026-11-22T10:00:00Z"))
    assert {path.name for path in tmp_path.iterdir()} == {*files, FILE}
    guide = (Path(__file__).parents[2] / "docs" / "suite-options.md").read_text()
    assert [file for file in (*files, FILE) if f"`{file}`" not in guide] == []
