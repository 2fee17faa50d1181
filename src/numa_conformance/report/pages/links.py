"""Links to requirements, each on the page of its chapter."""

from __future__ import annotations

from ...judging.chapter import CHAPTER_OF

FOLDER = "requirements"
"""Where the pages of chapters lie, below ``docs/``."""


def page_of(requirement: str) -> str:
    """Return the name of the page of a requirement's chapter, without its ending."""
    return CHAPTER_OF[requirement].partition(".chapters.")[2].replace(".", "-").replace("_", "-")


def link_to(requirement: str, folder: str = f"{FOLDER}/") -> str:
    """Return a link to a requirement; ``folder``: from the page to those of chapters."""
    return f"[`{requirement}`]({folder}{page_of(requirement)}.md#{requirement.replace('/', '')})"
