"""Two reports, case by case: what regressed, what was fixed, what is new or gone."""

from __future__ import annotations

from dataclasses import dataclass

from .case import UNMET, Case
from .model import Summary

_MET = ("passed", "unexpectedly passed")
_UNMET = (*UNMET, "expected failure", "error")


@dataclass(frozen=True, slots=True)
class Change:
    """A case whose verdict is another one; None where a report lacks it."""

    id: str
    requirements: tuple[str, ...]
    before: str | None
    after: str | None

    def __str__(self) -> str:
        return f"{self.id}: {self.before or 'absent'} -> {self.after or 'absent'} ({', '.join(self.requirements)})"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Changes by kind, each in the order of case ids.

    ``regressed`` was met and is not any more, ``fixed`` the reverse; ``changed`` is every other change of verdict.
    """

    regressed: tuple[Change, ...]
    fixed: tuple[Change, ...]
    changed: tuple[Change, ...]
    new: tuple[Change, ...]
    gone: tuple[Change, ...]

    def lines(self) -> list[str]:
        """Return the changes for a person, the worst first."""
        kinds = ("regressed", "gone", "changed", "new", "fixed")
        lines = []
        for kind in kinds:
            changes: tuple[Change, ...] = getattr(self, kind)
            if changes:
                lines += [f"{kind} ({len(changes)}):", *(f"  {change}" for change in changes)]
        return lines or ["no verdict differs"]


def compare_reports(before: Summary, after: Summary) -> Comparison:
    """Compare by case id, never by place in a file."""
    old, new = ({case.id: case for case in report.cases} for report in (before, after))
    both = [(old[name], new[name]) for name in sorted(old.keys() & new.keys())]
    moved = [(case, later) for case, later in both if case.verdict != later.verdict]
    regressed = [pair for pair in moved if pair[0].verdict in _MET and pair[1].verdict in _UNMET]
    fixed = [pair for pair in moved if pair[0].verdict in _UNMET and pair[1].verdict in _MET]
    rest = [pair for pair in moved if pair not in regressed and pair not in fixed]
    return Comparison(
        regressed=tuple(_change(*pair) for pair in regressed),
        fixed=tuple(_change(*pair) for pair in fixed),
        changed=tuple(_change(*pair) for pair in rest),
        new=tuple(_change(None, new[name]) for name in sorted(new.keys() - old.keys())),
        gone=tuple(_change(old[name], None) for name in sorted(old.keys() - new.keys())),
    )


def _change(before: Case | None, after: Case | None) -> Change:
    known = after or before
    assert known is not None
    return Change(
        known.id, tuple(known.requirements), before.verdict if before else None, after.verdict if after else None
    )
