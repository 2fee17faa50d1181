"""``Requirement``: one statement of the documentation that can be tested."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ...documentation.versions import KubernetesVersion, Span

__all__ = ["Requirement"]


@dataclass(frozen=True, slots=True)
class Requirement:
    """One testable statement.

    ``id`` is permanent: it never changes and is never reused. ``text`` is the statement in our words, ``page`` and
    ``section`` where the documentation makes it. It holds ``since`` a Kubernetes minor version, and ``until`` one where
    it no longer does. A target must claim all ``features`` to be asked.
    """

    id: str
    text: str
    page: str
    section: str
    since: str
    features: tuple[str, ...]
    area: str
    until: str | None = None
    strength: Literal["MUST", "SHOULD"] = "MUST"
    level: Literal["documented", "exact"] = "documented"

    def holds_in(self, version: KubernetesVersion) -> bool:
        """Tell whether the statement holds in a version."""
        until = None if self.until is None else KubernetesVersion.parse(self.until)
        return version in Span(KubernetesVersion.parse(self.since), until)

    @property
    def source(self) -> str:
        """Page and section, for people."""
        return f"{self.page}, {self.section}"
