"""The pages of what Kubernetes says and does: statements, quirks, rules; and the Markdown of every generated page."""

import inspect
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby

from ...chapters import REQUIREMENTS
from ...judging.chapter import CHAPTER_OF
from ...sources.pages import PAGES
from ...sources.quirks import QUIRKS
from ...sources.rules import CHAPTERS, anchor_of
from ...sources.statements import STATEMENTS, Statement
from ..html import render

FOLDER = "requirements"
"""Where the pages of chapters lie, below ``docs/``."""


def page_of(requirement: str) -> str:
    """Return the name of the page of a requirement's chapter, without its ending."""
    return CHAPTER_OF[requirement].partition(".chapters.")[2].replace(".", "-").replace("_", "-")


def link_to(requirement: str, folder: str = f"{FOLDER}/") -> str:
    """Return a link to a requirement; ``folder``: from the page to those of chapters."""
    return f"[`{requirement}`]({folder}{page_of(requirement)}.md#{requirement.replace('/', '')})"


def table(head: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a table, whose last line has no end."""
    lines = [f"|{'---|' * len(head)}", *(f"| {' | '.join(map(str, row))} |" for row in rows)]
    return "\n".join([f"| {' | '.join(head)} |", *lines])


def first_paragraph(value: object) -> str:
    """Return the first paragraph of a docstring in a line."""
    return " ".join((inspect.getdoc(value) or "").partition("\n\n")[0].split())


def rules_page() -> str:
    """Return ``docs/rules.md``."""
    return render("rules.md", managers=CHAPTERS, anchor_of=anchor_of)


def quirks_page() -> str:
    """Return ``docs/quirks.md``."""
    return render("quirks.md", quirks=QUIRKS, anchor_of=anchor_of)


def requirements_of_statements() -> Mapping[str, list[str]]:
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
    asking = requirements_of_statements()
    pages = [
        (page, [(section, list(each)) for section, each in groupby(of_page, key=lambda statement: statement.section)])
        for page, of_page in groupby(STATEMENTS.values(), key=lambda statement: statement.page)
    ]
    by_page = {page: [each for each in STATEMENTS.values() if each.page is page] for page in PAGES.values()}
    counted = ((page, _counts(statements, asking)) for page, statements in by_page.items() if statements)
    rows = [(f"[{page.title}]({page.address})", *counts) for page, counts in counted]
    rows.append(("all", *_counts(STATEMENTS.values(), asking)))
    overview = table(("page", "statements", "asked", "not testable"), rows)
    return render("statements.md", overview=overview, pages=pages, asking=asking, anchor=_anchor, link_to=link_to)


def _counts(statements: Collection[Statement], asking: Mapping[str, list[str]]) -> tuple[int, int, int]:
    tested = sum(statement.id in asking for statement in statements)
    return len(statements), tested, sum(statement.untestable is not None for statement in statements)


def _anchor(id: str) -> str:
    return id.replace("/", "-").replace(".", "-")
