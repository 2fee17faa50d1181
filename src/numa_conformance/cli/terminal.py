"""What the commands share in writing: JSON, and progress that only a person sees."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from statistics import mean
from typing import Any, TypeVar

import click

__all__ = ["columns", "notice", "print_json", "spread", "with_progress"]

T = TypeVar("T")


def print_json(value: Any) -> None:
    """Print one JSON document for a program to read."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False))


def with_progress(items: Iterable[T], label: str, total: int | None = None) -> Iterator[T]:
    """Yield the items; show a bar on a terminal, stay silent elsewhere and in CI."""
    if not sys.stderr.isatty() or os.environ.get("CI"):
        yield from items
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(items, description=label, total=total, console=Console(file=sys.__stderr__), transient=True)


def notice(text: str) -> None:
    """Tell the person something that is no error."""
    click.echo(f"notice: {text}", err=True)


def columns(rows: Sequence[Sequence[object]], indent: str = "") -> list[str]:
    """Return a table as lines: numbers to the right, text to the left, two spaces between columns."""
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    right = [any(isinstance(row[place], int | float) for row in rows) for place in range(len(widths))]
    return [
        (
            indent
            + "  ".join(
                cell.rjust(width) if number else cell.ljust(width)
                for cell, width, number in zip(row, widths, right, strict=True)
            )
        ).rstrip()
        for row in texts
    ]


def spread(values: Sequence[float], digits: int = 0) -> str:
    """Return one number, or the mean and the range of several: ``12 (10..15)``."""
    low, high = min(values), max(values)
    if low == high:
        return f"{low:,.{digits}f}"
    return f"{mean(values):,.{digits}f} ({low:,.{digits}f}..{high:,.{digits}f})"
