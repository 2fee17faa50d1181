"""What the commands share in output: exit codes (``docs/cli.md``), JSON, tables and progress bars."""

import json
import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from statistics import mean
from typing import Any, TypeVar

import click

from ..printable import folded

OK = 0
DIFFERENT = 1
USAGE = 2
TARGET_FAULT = 3
BUG = 70
NOT_RUN = 126
NOT_FOUND = 127
T = TypeVar("T")
_NARROWEST = 20
"""Columns below which text is rather cut by the terminal than told a word a line."""


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
    say(f"notice: {text}", err=True)


def say(text: str, *, err: bool = False) -> None:
    """Print sentences, a line each. On a terminal that is too narrow a line goes on below itself, further in."""
    width = terminal_width(err=err)
    lines = text.split("\n")
    click.echo("\n".join(lines if width is None else (folded(line, width) for line in lines)), err=err)


def terminal_width(*, err: bool = False) -> int | None:
    """Return the columns of the terminal that is written to; None where it is none, and nothing is to be cut."""
    return shutil.get_terminal_size().columns if (sys.stderr if err else sys.stdout).isatty() else None


def columns(rows: Sequence[Sequence[object]], indent: str = "") -> list[str]:
    """Return a table as lines, numbers to the right. In a narrow terminal the last column goes on below itself."""
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    right = [any(isinstance(row[place], int | float) for row in rows) for place in range(len(widths))]
    before = len(indent) + sum(width + 2 for width in widths[:-1])
    room = (terminal_width() or sys.maxsize) - before
    lines = []
    for row in texts:
        first, *more = textwrap.wrap(row[-1], room) if len(row[-1]) > room >= _NARROWEST else [row[-1]]
        cells = [
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip([*row[:-1], first], widths, right, strict=True)
        ]
        lines.append((indent + "  ".join(cells)).rstrip())
        lines += [" " * before + line for line in more]
    return lines


def spread(values: Sequence[float], digits: int = 0) -> str:
    """Return one number, or the mean and the range of several: ``12 (10..15)``."""
    low, high = min(values), max(values)
    if low == high:
        return f"{low:,.{digits}f}"
    return f"{mean(values):,.{digits}f} ({low:,.{digits}f}..{high:,.{digits}f})"
