"""Runs of one target one after another: what each brought, beside the one before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from .circumstances import Circumstances
from .compare import Comparison, compare_reports
from .model import Summary


@dataclass(frozen=True, slots=True)
class Column:
    """A report of the matrix: with the address of its page, empty where there is none, and when it was made."""

    report: Summary
    page: str = ""
    run: Circumstances | None = None


@dataclass(frozen=True, slots=True)
class Moment:
    """A report whose date is known, and what changed since the one before it; None for the first."""

    column: Column
    since: Comparison | None


def over_time(columns: Sequence[Column]) -> dict[str, list[Moment]]:
    """Return by target and level the reports that have dates, oldest first, of all that have more than one."""
    dated: dict[str, list[Column]] = {}
    for column in columns:
        if column.run is not None:
            dated.setdefault(f"{column.report.target.name}, level {column.report.level}", []).append(column)
    return {name: _moments(those) for name, those in dated.items() if len(those) > 1}


def _moments(columns: Sequence[Column]) -> list[Moment]:
    ordered = sorted(columns, key=lambda column: column.run.began if column.run else "")
    later = [Moment(after, compare_reports(before.report, after.report)) for before, after in pairwise(ordered)]
    return [Moment(ordered[0], None), *later]
