"""Cases of the suite that a run does not ask, and why."""

from __future__ import annotations

from typing import NamedTuple

NOT_SELECTED = "not selected"
NO_VERDICT = "no verdict was reached"


class LeftOut(NamedTuple):
    """A case that is not asked: its id, its requirements, and why, in a few words."""

    id: str
    requirements: list[str]
    why: str

    @property
    def by_chance(self) -> bool:
        """Whether another run with the same target, level and profile asks it."""
        return self.why in (NOT_SELECTED, NO_VERDICT)
