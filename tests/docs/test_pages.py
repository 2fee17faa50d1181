import re
from pathlib import Path

import pytest
import yaml

from mutants.__main__ import mutants_page
from numa_conformance.report.pages.api_page import api_page, protocol_page, requirement_changes_page, requirements_page
from numa_conformance.report.pages.chapter_pages import chapter_pages
from numa_conformance.report.pages.source_pages import FOLDER, quirks_page, rules_page, statements_page
from numa_conformance.report.pages.versions_pages import kubernetes_versions_page, versions_page

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [
    ("requirements.md", requirements_page),
    ("requirement-changes.md", requirement_changes_page),
    ("quirks.md", quirks_page),
    ("protocol.md", protocol_page),
    ("api.md", api_page),
    ("rules.md", rules_page),
    ("statements.md", statements_page),
    ("versions.md", versions_page),
    ("kubernetes-versions.md", kubernetes_versions_page),
    ("mutants.md", mutants_page),
]


@pytest.mark.parametrize(("name", "page"), PAGES)
def test_a_generated_page_is_up_to_date(name, page):
    assert (DOCS / name).read_text() == page()


CHAPTERS = {path.stem: path.read_text() for path in sorted((DOCS / FOLDER).iterdir())}


def test_each_chapter_has_a_page_that_is_up_to_date():
    assert chapter_pages() == CHAPTERS


@pytest.mark.parametrize("text", CHAPTERS.values(), ids=CHAPTERS)
def test_a_page_says_in_words_what_is_right_for_all_that_is_wrong(text):
    wrong, right = (re.findall(rf"^{side}: (.*)$", text, re.MULTILINE) for side in ("Wrong", "Right"))
    assert len(wrong) == len(right)
    assert [text for text in (*wrong, *right) if text in ("", ".") or re.search(r"\w\(\w+=|: \.", text)] == []


BROKEN = "|".join(
    (
        r"\bno several\b|\b1 (NUMA nodes|CPUs)\b",  # a number and its noun
        r"NUMA nodes (\d+\b(?![-,])|\[|none)",
        r"\d{6,} bytes|\{'|is ,|reason No\b",  # no unit, a dict, nothing at all
        r"\w\.\.|^(?=- |Given: ).*(?<!\.)$",  # a full stop too many or too few
    )
)


@pytest.mark.parametrize("text", CHAPTERS.values(), ids=CHAPTERS)
def test_a_person_can_read_what_a_page_says(text):
    assert [line for line in text.splitlines() if re.search(BROKEN, line)] == []


def test_each_answer_stands_below_its_question():
    answers = [text for page in CHAPTERS.values() for text in re.findall("^(?:Given|Wrong|Right): .*$", page, re.M)]
    assert [text[:5] for text in answers] == ["Given", "Wrong", "Right"] * (len(answers) // 3)
    assert [text for text in answers if re.search(r"^Given: \W|[a-z]\(|: [;.]", text)] == []


def test_links_to_requirements_lead_to_their_headings():
    anchors = {
        f"{path.name}#{heading.replace('/', '')}"
        for path in (DOCS / FOLDER).iterdir()
        for heading in re.findall("^### `(.*)`$", path.read_text(), re.MULTILINE)
    }
    links = {
        (path.name, link)
        for path in [*ROOT.glob("*.md"), *DOCS.rglob("*.md")]
        for link in re.findall(rf"\]\((?:\S*/)?{FOLDER}/(\S+#\S+?)\)", path.read_text())
    }
    assert len(links) > len(anchors)
    assert [link for link in sorted(links) if link[1] not in anchors] == []


def test_the_search_ranks_what_is_made_from_data_below_what_is_written():
    text = (ROOT / "mkdocs.yml").read_text()
    (below,) = re.findall(r"^    0\.3: (.*)$", text, re.MULTILINE)
    assert {FOLDER, *(name.removesuffix(".md") for name, _ in PAGES)} <= set(yaml.safe_load(below))


@pytest.mark.parametrize("page", ["architecture.md", "where-is-what.md"])
def test_the_map_and_the_page_for_strangers_name_each_room(page):
    rooms = {path.parent.name for path in (ROOT / "src" / "numa_conformance").glob("*/__init__.py")}
    text = (DOCS / page).read_text()
    assert [room for room in sorted(rooms) if not re.search(rf"^\| .*`{room}/?`", text, re.MULTILINE)] == []


@pytest.mark.parametrize("path", [*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md"))], ids=lambda path: path.name)
def test_links_lead_somewhere(path):
    links = re.findall(r"\]\(([^)#]+)\)", path.read_text())
    missing = [link for link in links if "://" not in link and not (path.parent / link).exists()]
    assert missing == []
