import re
from pathlib import Path

import pytest

from numa_conformance.chapters import REQUIREMENTS
from numa_conformance.report.pages.source_pages import requirements_of_statements
from numa_conformance.sources.statements import STATEMENTS
from numa_conformance.sources.statements.statement import FILES, read_statements, text_of_page

DOCS = Path(__file__).parents[2] / "docs"


def test_no_statement_is_given_twice():
    assert sum(len(list(read_statements(text_of_page(name)))) for name in FILES) == len(STATEMENTS) >= 243


@pytest.mark.parametrize("statement", STATEMENTS.values(), ids=STATEMENTS)
def test_a_statement_has_an_id_of_its_page_a_sentence_and_an_address(statement):
    assert re.fullmatch(rf"{re.escape(statement.page.id)}/[a-z0-9-]+/[a-z0-9-]+", statement.id)
    assert re.fullmatch(r"\S.*[^ .]\.", statement.text)
    assert re.fullmatch(r"[A-Za-z0-9-]*", statement.section.anchor)
    assert statement.address.startswith(statement.page.address)
    assert statement.untestable is None or re.fullmatch(r"[a-z].*[^.]", statement.untestable)


@pytest.mark.parametrize("requirement", REQUIREMENTS.values(), ids=REQUIREMENTS)
def test_a_requirement_rests_on_statements_that_can_be_tested(requirement):
    assert requirement.statements
    assert len(set(requirement.statements)) == len(requirement.statements)
    assert [id for id in requirement.statements if id not in STATEMENTS] == []
    assert [statement.id for statement in requirement.rests_on if statement.untestable] == []
    assert requirement.address == requirement.rests_on[0].address


def test_a_requirement_without_a_sentence_that_demands_it_says_what_it_adds():
    weak = [
        requirement.id
        for requirement in REQUIREMENTS.values()
        if requirement.strength == "MUST"
        and requirement.beyond is None
        and all(statement.strength != "MUST" for statement in requirement.rests_on)
    ]
    assert weak == []


def test_the_page_tells_of_every_statement_who_asks_for_it():
    page = (DOCS / "statements.md").read_text()
    asked = requirements_of_statements()
    for id, statement in STATEMENTS.items():
        (line,) = [line for line in page.splitlines() if f"`{id}` {statement.strength}" in line]
        told = "*Not testable: " if statement.untestable else "Asked: " if id in asked else "*Not asked yet.*"
        assert told in line


def test_links_between_the_pages_lead_to_what_they_name():
    text = "".join(path.read_text() for path in (DOCS / "requirements").iterdir())
    linked = set(re.findall(r"\.\./statements\.md#([^)]+)\)", text))
    anchors = set(re.findall(r'<a id="([^"]+)"></a>', (DOCS / "statements.md").read_text()))
    assert len(linked) == len(requirements_of_statements())
    assert linked <= anchors


TEXT = """\
# cpu-task/options 1.22+ Static policy options
first [MUST] One, which goes on
  on a second line.
second [SHOULD 1.23-1.32] Two.
third [MAY] Three.
  untestable: a reason

# cpu-task/head 1.8+ Overview #
fourth [MUST 1.32] Four.

# cpu-task/own 1.8+ With an anchor #of-its-own
fifth [MUST] Five.
"""


def test_sentences_become_statements_of_their_section():
    statements = list(read_statements(TEXT))
    assert [(one.id, one.strength, one.text, str(one.span), one.untestable) for one in statements] == [
        ("cpu-task/options/first", "MUST", "One, which goes on on a second line.", "1.22+", None),
        ("cpu-task/options/second", "SHOULD", "Two.", "1.23-1.32", None),
        ("cpu-task/options/third", "MAY", "Three.", "1.22+", "a reason"),
        ("cpu-task/head/fourth", "MUST", "Four.", "1.32", None),
        ("cpu-task/own/fifth", "MUST", "Five.", "1.8+", None),
    ]
    page = "/cpu-management-policies/"
    ends = [f"{page}#static-policy-options"] * 3 + [page, f"{page}#of-its-own"]
    assert [one.address for one in statements if not one.address.endswith(ends.pop(0))] == []
    assert {one.section.title for one in statements} == {"Static policy options", "Overview", "With an anchor"}


@pytest.mark.parametrize(
    "text",
    [
        "# cpu-task/options Static policy options\nfirst [MUST] One.",
        "# cpu-task/options 1.22+ Static policy options\nfirst MUST One.",
        "# cpu-task/options 1.22+ Static policy options\nfirst [WILL] One.",
        "# cpu-task/options 1.22+ Static policy options\nfirst [MUST 1.22++] One.",
    ],
)
def test_what_is_no_statement_is_refused(text):
    with pytest.raises(ValueError, match="not a"):
        list(read_statements(text))
