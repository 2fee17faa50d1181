"""``mutant`` declares a deliberately wrong allocator."""

from __future__ import annotations

from changes.change import Change
from numa_conformance.chapters.pairs import Judge
from numa_conformance.reference.target.reference_target import Level
from worlds import id_of

__all__ = ["mutant"]


class mutant(Change):  # noqa: N801  (used as a decorator-like declaration)
    """A change by which an allocator breaks requirements."""

    def __init__(
        self, *breaks: str | Judge, surface: str | None = None, level: Level = "documented", strength: str = "MUST"
    ) -> None:
        """Take what it must break, an id or its judge; without any it breaks some requirement of this strength."""
        super().__init__(surface=surface, level=level)
        self.breaks, self.strength = tuple(map(id_of, breaks)), strength
