"""``Requirement``: one statement of the documentation that can be tested."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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

    def holds_in(self, version: str) -> bool:
        """Tell whether the statement holds in a Kubernetes version such as ``1.32``."""
        asked = _number(version)
        return _number(self.since) <= asked and (self.until is None or asked <= _number(self.until))

    @property
    def source(self) -> str:
        """Page and section, for people."""
        return f"{self.page}, {self.section}"


def _number(version: str) -> tuple[int, int]:
    major, minor = version.lstrip("v").split(".")[:2]
    return int(major), int(minor)
