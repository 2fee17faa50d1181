"""Markdown of the generated pages: tables, texts of pages, links to requirements."""

import inspect
from collections.abc import Iterable, Sequence

from ...judging.chapter import CHAPTER_OF

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


def joined(lines: Iterable[str]) -> str:
    """Return the text of a page."""
    return "\n".join(lines).rstrip() + "\n"
