"""``Statement``: one sentence of a page, and how tables of them are written."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

from ..pages import Page, Section
from ..versions import KubernetesVersion, Span

Strength = Literal["MUST", "SHOULD", "MAY"]
"""MUST: a page of the site says so. SHOULD: it says "best effort", "attempts to", or it is a proposal, a reference of
fields or source. MAY: a permission; it demands nothing, and nothing may forbid what it permits."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence, in our words.

    ``id`` never changes and is never used again. ``span`` are the versions in which the sentence holds; ``untestable``
    is the reason why no target can be asked, or None.
    """

    id: str
    section: Section
    strength: Strength
    text: str
    span: Span
    untestable: str | None = None

    @property
    def page(self) -> Page:
        """The page of the section."""
        return self.section.page

    @property
    def address(self) -> str:
        """Where it stands."""
        return self.section.address


@dataclass(frozen=True, slots=True)
class Sentence:
    """A statement without its place."""

    strength: Strength
    name: str
    text: str
    since: str | None = None
    until: str | None = None
    untestable: str | None = None


must = partial(Sentence, "MUST")
should = partial(Sentence, "SHOULD")
may = partial(Sentence, "MAY")


def stated(section: Section, key: str, since: str, *sentences: Sentence) -> tuple[Statement, ...]:
    """Return the statements of a section, with ids that begin with the page's key and ``key``.

    They hold from ``since`` on where a sentence says nothing else.
    """
    return tuple(
        Statement(
            f"{section.page.id}/{key}/{sentence.name}",
            section,
            sentence.strength,
            sentence.text,
            Span(
                KubernetesVersion.parse(sentence.since or since),
                KubernetesVersion.parse(sentence.until) if sentence.until else None,
            ),
            sentence.untestable,
        )
        for sentence in sentences
    )
