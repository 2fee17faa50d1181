"""A page begins with what it is about; words are defined once; sentences and first pages are short."""

import re
from pathlib import Path

import pytest
import yaml

from numa_conformance.report.pages.source_pages import FOLDER

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SITE = (ROOT / "mkdocs.yml").read_text()
NAV = yaml.safe_load(SITE[SITE.index("\nnav:") :])["nav"]
DOORS = {name: pages for each in NAV for name, pages in each.items() if name in ("Ask", "Test mine", "Use in my tests")}
MADE = {
    *("requirements.md", "requirement-changes.md", "statements.md", "rules.md", "quirks.md"),
    *("versions.md", "protocol.md", "api.md", "kubernetes-versions.md", "mutants.md"),
}
"""Pages that are made from data."""
RECORDS = sorted(DOCS.glob("decisions/[0-9]*.md"))
WRITTEN = [
    path
    for path in sorted(DOCS.rglob("*.md"))
    if path.name not in MADE and path not in RECORDS and path.parent.name != FOLDER
]
BEGINNING = re.compile(r"# [^\n]+\n\n[\w`\[*]")
GLOSSARY = (DOCS / "glossary.md").read_text()
ENTRIES = re.findall(r"^### (.+)\n\n((?:.+\n)+)(?=\n|\Z)", GLOSSARY, re.MULTILINE)
TERMS = [term for term, _ in ENTRIES]
WANTED = {"NUMA node", "Socket", "Core", "Uncore cache", "Hint", "Affinity", "Preferred", "cpuset"}
WANTED |= {"Quirk", "Surface", "Level", "History", "Target", "Requirement"}
LONGEST = 60
"""Words that a definition may have."""
MOST = 25
"""Words that a sentence of a written page may have."""
MOST_OF_A_RECORD = 35
"""Words that a sentence of a decision or the journal may have: they stay as they were written."""


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: str(page.relative_to(DOCS)))
def test_a_page_begins_with_a_sentence_on_what_it_is_about(page):
    assert BEGINNING.match(page.read_text())


@pytest.mark.parametrize("page", [*sorted(DOCS.rglob("*.md")), ROOT / "README.md"], ids=lambda page: page.stem)
def test_the_text_of_a_link_is_a_title(page):
    assert re.findall(r"\[(?!README|CONTRIBUTING)[\w-]+\.md\]\(", page.read_text()) == []


def test_each_door_has_three_pages_and_what_there_is_beside_them():
    assert len(DOORS) == 3
    for *first, more in DOORS.values():
        assert [type(page) for page in first] == [str] * 3
        assert isinstance(more, dict)


@pytest.mark.parametrize("page", ["tutorial", "write-a-target", "validate", "my-pod-was-refused", "what-if", "index"])
def test_a_page_that_comes_before_the_first_answer_is_short(page):
    assert len((DOCS / f"{page}.md").read_text().split()) <= 1200


def test_the_readme_is_short_and_has_its_two_commands():
    text = (ROOT / "README.md").read_text()
    assert len(text.split()) <= 900
    for command in (
        "python3 -m venv .venv && .venv/bin/pip install --quiet . && .venv/bin/pytest --numa-conformance",
        "python3 -m venv .venv && .venv/bin/pip install --quiet tox && .venv/bin/tox run",
    ):
        assert f"\n```sh\n{command}\n```\n" in text


def test_every_term_of_the_glossary_is_defined_once():
    assert re.findall("^### (.+)$", GLOSSARY, re.MULTILINE) == TERMS
    assert len({term.casefold() for term in TERMS}) == len(TERMS)


def test_the_glossary_has_the_words_that_every_page_uses():
    assert WANTED - set(TERMS) == set()


@pytest.mark.parametrize(("term", "definition"), ENTRIES, ids=TERMS)
def test_a_definition_is_short(term, definition):
    assert len(definition.split()) <= LONGEST


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: str(page.relative_to(DOCS)))
def test_what_is_copied_from_the_site_is_what_is_typed(page):
    """The site shows the ``\\|`` that a ``|`` in code needs in a table as it is written."""
    assert re.findall(r"`[^`\n]*\\\|[^`\n]*`", page.read_text()) == []


def test_the_search_of_the_site_works_from_a_folder_and_asks_no_other_host():
    (plugins,) = re.findall(r"^plugins: \[(.*?)\]", SITE, re.MULTILINE)
    assert plugins.split(", ") == ["search", "offline"]
    (polyfills,) = re.findall(r"^  polyfills: \[(.*?)\]", SITE, re.MULTILINE)
    assert (DOCS / polyfills).is_file()
    assert "iframe-worker" in polyfills  # else the plugin adds one of another host


def test_the_first_page_leads_to_the_glossary():
    assert "](glossary.md)" in (DOCS / "index.md").read_text()


@pytest.mark.parametrize(
    "page",
    [*WRITTEN, *RECORDS, ROOT / "README.md", ROOT / "CONTRIBUTING.md"],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_a_sentence_is_not_too_long(page):
    most = MOST_OF_A_RECORD if page in RECORDS or page.name == "journal.md" else MOST
    assert [sentence for sentence in sentences(page.read_text()) if len(sentence.split()) > most] == []


def test_sentences_are_told_apart():
    prose = "# Title\n\nIt is `a. B`. Two\nlines.\n\n- A point: [a link. Here](x.md).\n"
    code = "\n```sh\nno. Code\n```\n\n| a | table |\n"
    assert sentences(prose + code) == ["It is CODE.", "Two lines.", "A point: a link.", "Here."]


def sentences(text):
    """Return the sentences of a page: of paragraphs and points, not of code, tables, headings and pictures."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^ *(?:[|#!<].*)$", "", text, flags=re.MULTILINE)
    text = re.sub(r"^ *(?:[-*]|\d+\.) ", "\n", text, flags=re.MULTILINE)
    text = re.sub(r"\]\([^)]*\)", "", re.sub(r"`[^`]*`", "CODE", text)).replace("[", "").replace("*", "")
    blocks = [" ".join(block.split()) for block in re.split(r"\n\s*\n", text)]
    return [sentence for block in blocks for sentence in re.split(r"(?<=[.?!]) +(?=[A-Z0-9(])", block) if sentence]
