"""``mutant`` declares a deliberately wrong allocator."""

from __future__ import annotations

from changes.change import Change
from numa_conformance.protocol.reference import Level

__all__ = ["mutant"]


class mutant(Change):  # noqa: N801  (used as a decorator-like declaration)
    """A change by which an allocator breaks requirements."""

    def __init__(
        self, *breaks: str, surface: str | None = None, level: Level = "documented", strength: str = "MUST"
    ) -> None:
        """Take what it must break; where that is not named, it breaks some requirement of this strength."""
        super().__init__(surface=surface, level=level)
        self.breaks, self.strength = breaks, strength
