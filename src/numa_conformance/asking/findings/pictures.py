"""The picture of a finding: who holds what, the CPUs that matter marked, in as few lines as tell it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ...machine import Machine
from ...machine.picture import allocation_map, legend_line

MOST_ROWS = 16
"""Rows of a picture that are drawn at most; of more, those in which somebody holds a CPU."""
_ROW = re.compile(r"socket \d+  numa \d+  |offline: |not online, and yet given away: |\(\d+ more rows\)")
_HELD = re.compile("[A-QS-Za-z(]")


def drawn(machine: Machine, owners: Mapping[str, int], marks: Mapping[str, int]) -> str:
    """Return the picture with its legend in one line; empty where there is nothing to show."""
    held = {name: cpus for name, cpus in owners.items() if cpus}
    marked = {_label(name, held): cpus for name, cpus in marks.items() if cpus}
    if not held and not marked:
        return ""
    every = allocation_map(machine, held, marks=marked, legend=False).splitlines()
    rows = [row for row in every if not row.endswith(": no CPUs")]
    return "\n".join([*_telling(rows), legend_line(held, marked)])


def _label(name: str, owners: Mapping[str, int]) -> str:
    label = name.replace("_", " ")
    return f"{label}, marked" if label in owners else label


def _telling(rows: list[str]) -> list[str]:
    if len(rows) <= MOST_ROWS:
        return rows
    shown = [row for row in rows if _HELD.search(row.partition("|")[2])][:MOST_ROWS]
    return [*shown, f"({len(rows) - len(shown)} more rows)"]


def without_picture(text: str) -> str:
    """Return what is told of a finding without the rows of its picture and their legend."""
    lines = text.splitlines()
    rows = [number for number, line in enumerate(lines) if _ROW.match(line)]
    if not rows:
        return text
    return "\n".join([*lines[: rows[0]], *lines[rows[-1] + 2 :]])
