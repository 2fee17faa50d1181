"""``Requirement``: what a target must meet, and the statements of the documentation it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..sources.pages import Section
from ..sources.statements import STATEMENTS, Statement
from ..sources.versions import KubernetesVersion, Span
from .releases import NEXT

Strength = Literal["MUST", "SHOULD"]
"""Whether a page demands it, or recommends it, tries it, or leaves it to a proposal: what is not followed is told."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """One thing that is asked of a target.

    ``id`` is permanent: it never changes and is never reused. ``text`` says in our words what is asked; ``statements``
    are the ids of the sentences it rests on, the one it follows from first. ``beyond`` tells what is asked and none of
    them says. It holds ``since`` a Kubernetes minor version, and ``until`` one where it no longer does. A target must
    claim all ``features`` to be asked. ``command``: what asks it, where no case of the suite does: of no target.
    ``introduced``: the release of the suite in which it came, or was last tightened.
    """

    id: str
    text: str
    statements: tuple[str, ...]
    since: str
    features: tuple[str, ...]
    area: str
    until: str | None = None
    strength: Strength = "MUST"
    level: Literal["documented", "exact"] = "documented"
    beyond: str | None = None
    command: str | None = None
    introduced: str = NEXT

    def holds_in(self, version: KubernetesVersion) -> bool:
        """Tell whether the requirement holds in a version."""
        until = None if self.until is None else KubernetesVersion.parse(self.until)
        return version in Span(KubernetesVersion.parse(self.since), until)

    @property
    def rests_on(self) -> tuple[Statement, ...]:
        """The statements, in full."""
        return tuple(STATEMENTS[id] for id in self.statements)

    @property
    def section(self) -> Section:
        """Where the first statement stands."""
        return STATEMENTS[self.statements[0]].section

    @property
    def source(self) -> str:
        """Page and section, for people."""
        return str(self.section)

    @property
    def address(self) -> str:
        """Where Kubernetes says so."""
        return self.section.address
