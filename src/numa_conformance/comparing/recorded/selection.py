"""Which recorded decisions are asked: files are read to check and count, then to ask, and are never held whole."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ...errors import Fault, UsageError
from .vectors import Vector, read_vectors

MAX_DECISIONS = 500_000
"""Decisions that are read in one run at most."""

Chooser = Callable[[Iterable[str], Iterable[str], str], list[str]]
"""Returns which names are wanted; raises ``UsageError`` for one that is not there, with what the names are of."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Decisions of some files; ``kinds`` and ``ids`` are None where all are meant."""

    files: tuple[Path, ...]
    kinds: Collection[str] | None
    ids: Collection[str] | None
    count: int

    def __iter__(self) -> Iterator[Vector]:
        """Read the decisions, one at a time."""
        return _of(self.files, self.kinds, self.ids)


def select(
    files: tuple[Path, ...],
    kinds: Collection[str],
    ids: Collection[str],
    choose: Chooser,
    check: Callable[[Vector], None] = lambda vector: None,
) -> Selection:
    """Read the files through, so that what is wrong with one is told before anything is asked.

    Raises ``UsageError`` for a file that is malformed, for a decision to ask that ``check`` refuses, for too many
    decisions, for a name that none has and where nothing is left to ask.
    """
    seen_kinds: dict[str, None] = {}
    seen_ids: dict[str, None] = {}
    count = 0
    for count, vector in enumerate(read_vectors(files), 1):
        if count > MAX_DECISIONS:
            raise UsageError(Fault(vector.place, f"these are more than {MAX_DECISIONS} decisions"))
        if not (kinds or ids):
            check(vector)
        if kinds:
            seen_kinds[vector.kind] = None
        if ids:
            seen_ids[vector.id] = None
    of_kinds = set(choose(kinds, seen_kinds, "kind")) if kinds else None
    with_ids = set(choose(ids, seen_ids, "recorded decision")) if ids else None
    if kinds or ids:
        count = 0
        for vector in _of(files, of_kinds, with_ids):
            check(vector)
            count += 1
    if not count:
        raise UsageError(Fault("", "no recorded decision is selected"))
    return Selection(files, of_kinds, with_ids, count)


def _of(files: Iterable[Path], kinds: Collection[str] | None, ids: Collection[str] | None) -> Iterator[Vector]:
    for vector in read_vectors(files):
        if (kinds is None or vector.kind in kinds) and (ids is None or vector.id in ids):
            yield vector
