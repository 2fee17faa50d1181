"""What changed from one pass over a node to the next."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from .findings import Findings, NodeFinding


@dataclass(frozen=True, slots=True)
class PassChanges:
    """Findings that are new, that stayed, and that are gone; and what is told for the first time beside them."""

    new: tuple[NodeFinding, ...]
    stayed: tuple[NodeFinding, ...]
    gone: tuple[NodeFinding, ...]
    notes: tuple[str, ...]
    worth_knowing: tuple[str, ...]

    def lines(self, number: int, render: Callable[[NodeFinding], Iterable[str]]) -> Iterator[str]:
        """Yield the pass for a person: what is new in full, what is gone by its message, and how many stayed."""
        for finding in self.new:
            first, *rest = render(finding)
            yield f"+ {first}"
            yield from (f"  {line}" for line in rest)
        yield from (f"- {finding.severity}: {finding.message}" for finding in self.gone)
        yield from (f"note: {note}" for note in self.worth_knowing)
        yield from (f"not seen: {note}" for note in self.notes)
        yield f"pass {number}: {len(self.new)} new, {len(self.gone)} gone, {len(self.stayed)} as before"

    def to_json(self, number: int) -> str:
        """Return the pass as one line for a program."""
        return json.dumps(
            {
                "pass": number,
                "new": [finding.to_dict() for finding in self.new],
                "gone": [finding.to_dict() for finding in self.gone],
                "stayed": len(self.stayed),
                "worth_knowing": list(self.worth_knowing),
                "not_seen": list(self.notes),
            }
        )


def changes(before: Findings | None, now: Findings) -> PassChanges:
    """Compare two passes; before the first one there was nothing."""
    old = {finding.key: finding for finding in before.findings} if before else {}
    new = {finding.key: finding for finding in now.findings}
    return PassChanges(
        tuple(finding for key, finding in new.items() if key not in old),
        tuple(finding for key, finding in new.items() if key in old),
        tuple(finding for key, finding in old.items() if key not in new),
        tuple(note for note in now.notes if before is None or note not in before.notes),
        tuple(note for note in now.worth_knowing if before is None or note not in before.worth_knowing),
    )
