"""The page of the statements: what Kubernetes says, where, and what asks for it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from itertools import groupby

from ...chapters import REQUIREMENTS
from ...sources.pages import PAGES, Section
from ...sources.statements import STATEMENTS, Statement
from .links import link_to
from .markdown import joined, table


def asked_by() -> Mapping[str, list[str]]:
    """Return the requirements that rest on each statement."""
    asking: defaultdict[str, list[str]] = defaultdict(list)
    for requirement in REQUIREMENTS.values():
        for statement in requirement.statements:
            asking[statement].append(requirement.id)
    return asking


def statement_links(statements: Iterable[str], folder: str = "") -> str:
    """Return links to statements; ``folder``: from the page to that of the statements."""
    return ", ".join(f"[`{id}`]({folder}statements.md#{_anchor(id)})" for id in statements)


def statements_page() -> str:
    """Return ``docs/statements.md``."""
    asking = asked_by()
    lines = [
        "# Statements",
        "",
        "Every sentence of the pages that says how a node or the scheduler must behave, in our words. Each has its "
        'address and the requirements that rest on it. MUST: a page of the site says so. SHOULD: it says "best effort" '
        'or "attempts to", or it stands in a proposal, a reference of fields or source. MAY: a permission. Nothing '
        "forbids what it permits. Ids never change and are never used again. "
        "Made by `numa-conformance requirements --statements`.",
        "",
        *_overview(asking),
    ]
    for page, of_page in groupby(STATEMENTS.values(), key=lambda statement: statement.page):
        lines += ["", f"## [{page.title}]({page.address})", "", f"Read: {page.read}."]
        for section, statements in groupby(of_page, key=lambda statement: statement.section):
            lines += ["", f"### {_heading(section)}", ""]
            lines += [_line(statement, asking.get(statement.id, [])) for statement in statements]
    return joined(lines)


def _overview(asking: Mapping[str, list[str]]) -> list[str]:
    by_page = {
        page: [statement for statement in STATEMENTS.values() if statement.page is page] for page in PAGES.values()
    }
    rows = [
        (f"[{page.title}]({page.address})", *_counts(statements, asking))
        for page, statements in by_page.items()
        if statements
    ]
    return table(
        ("page", "statements", "asked", "not testable"), [*rows, ("all", *_counts(STATEMENTS.values(), asking))]
    )


def _counts(statements: Collection[Statement], asking: Mapping[str, list[str]]) -> tuple[int, int, int]:
    asked = sum(statement.id in asking for statement in statements)
    return len(statements), asked, sum(statement.untestable is not None for statement in statements)


def _heading(section: Section) -> str:
    unsure = "" if section.checked else " (anchor not checked)"
    return f"[{section.title}]({section.address}){unsure}"


def _line(statement: Statement, requirements: list[str]) -> str:
    if statement.untestable:
        asked = f"*Not testable: {statement.untestable}.*"
    elif requirements:
        asked = f"Asked: {', '.join(map(link_to, requirements))}."
    else:
        asked = "*Not asked yet.*"
    return (
        f'- <a id="{_anchor(statement.id)}"></a>`{statement.id}` {statement.strength}, {statement.span}: '
        f"{statement.text} {asked}"
    )


def _anchor(id: str) -> str:
    return id.replace("/", "-").replace(".", "-")
