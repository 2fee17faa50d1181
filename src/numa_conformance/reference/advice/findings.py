"""What there is to say of a configuration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["refused", "unwise", "no effect", "note"]
"""The kubelet does not come up with it; it is allowed and harms; it changes nothing; it is good to know."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One remark: its kind, the field path that it is about, what is said, and what to do about it."""

    kind: Kind
    place: str
    message: str
    remedy: str = ""

    def hint(self, context: str = "") -> str:
        """Return it in one line, without the message where that was ``context`` already."""
        parts = [self.place, "" if self.message in context else self.message, self.remedy]
        return ": ".join(part for part in parts if part)

    def __str__(self) -> str:
        return f"{self.place}: {self.kind}: {self.message}" + (f"\n    {self.remedy}" if self.remedy else "")
