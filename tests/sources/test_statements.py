import re
from pathlib import Path

import pytest

from numa_conformance.chapters import REQUIREMENTS
from numa_conformance.report.pages.source_pages import requirements_of_statements
from numa_conformance.sources.pages import CPU_TASK
from numa_conformance.sources.statements import STATEMENTS
from numa_conformance.sources.statements.registry import PAGES
from numa_conformance.sources.statements.statement import may, must, should, stated

DOCS = Path(__file__).parents[2] / "docs"


def test_no_statement_is_given_twice():
    assert sum(len(page.STATEMENTS) for page in PAGES) == len(STATEMENTS) >= 243


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


def test_sentences_become_statements_of_their_section():
    section = CPU_TASK.section("Static policy options")
    statements = stated(
        section,
        "options",
        "1.22",
        must("first", "One."),
        should("second", "Two.", since="1.23", until="1.32"),
        may("third", "Three.", untestable="a reason"),
    )
    assert [(one.id, one.strength, str(one.span), one.untestable) for one in statements] == [
        ("cpu-task/options/first", "MUST", "1.22+", None),
        ("cpu-task/options/second", "SHOULD", "1.23-1.32", None),
        ("cpu-task/options/third", "MAY", "1.22+", "a reason"),
    ]
    assert statements[0].address.endswith("/cpu-management-policies/#static-policy-options")
