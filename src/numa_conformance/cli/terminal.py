"""What the commands share in output: exit codes (``docs/cli.md``), JSON, tables and progress bars."""

import json
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any, TypeVar

import click

from .. import printable
from ..errors import Fault, UsageError
from ..files import write_text
from ..sources.versions import DEFAULT

OK = 0
DIFFERENT = 1
USAGE = 2
TARGET_FAULT = 3
BUG = 70
NOT_RUN = 126
NOT_FOUND = 127
ASSUMED = "numa_conformance.assumed"
"""By this name a context keeps whether the version of Kubernetes was assumed."""
_MOST = 10_000
"""Characters of a line."""
T = TypeVar("T")


def print_json(value: Any) -> None:
    """Print one JSON document for a program to read."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False))


def tell_assumption() -> None:
    """Report that a version was assumed, where it was and this has not been said."""
    if click.get_current_context().meta.pop(ASSUMED, False):
        notice(f"Kubernetes {DEFAULT} is assumed: --kubernetes-version names another")


def write_absent(texts: Mapping[Path, str]) -> None:
    """Write files, and say which; those that are there as they would be stay. Raises ``UsageError`` for others."""
    if others := [path for path, text in texts.items() if path.exists() and not _holds(path, text.encode())]:
        raise UsageError(Fault(str(path), "is there already, and stays as it is") for path in others)
    for path, text in texts.items():
        if not path.exists():
            write_text(path, text)
            say(f"wrote {path}")


def _holds(path: Path, content: bytes) -> bool:
    return path.is_file() and path.stat().st_size == len(content) and path.read_bytes() == content


def with_progress(items: Iterable[T], label: str, total: int | None = None) -> Iterator[T]:
    """Yield the items; show a bar on a terminal, stay silent elsewhere and in CI."""
    if not sys.stderr.isatty() or os.environ.get("CI"):
        yield from items
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(items, description=label, total=total, console=Console(file=sys.__stderr__), transient=True)


def admitting(life: Sequence[T]) -> Iterable[T]:
    """Yield what comes to a node, with a bar."""
    return with_progress(life, "admitting", len(life))


def notice(*texts: str) -> None:
    """Tell the person something that is no error, a line for each."""
    for text in texts:
        say(f"notice: {text}", err=True)


def say(*lines: str, err: bool = False) -> None:
    """Print sentences, a line each: a break within one is a stranger's, and is shown; what is very long is cut.

    On a terminal that is too narrow a line goes on below itself, further in.
    """
    texts = (line if len(line) <= _MOST else f"{line[:_MOST]} ... ({len(line)} characters)" for line in lines)
    click.echo(printable.folded_text("\n".join(map(printable.as_line, texts)), terminal_width(err=err)), err=err)


def parted(parts: Iterable[Iterable[str]]) -> list[str]:
    """Return the lines of parts, an empty one between two of them."""
    return [line for lines in parts for line in ("", *lines)][1:]


def capped(lines: Iterable[str], most: int, rest: str) -> list[str]:
    """Return the first lines, and in place of the others ``rest`` with their number."""
    every = list(lines)
    return [*every[:most], *([rest.format(len(every) - most)] if len(every) > most else [])]


def terminal_width(*, err: bool = False) -> int | None:
    """Return the columns of the terminal that is written to; None where it is none, and nothing is to be cut."""
    return shutil.get_terminal_size().columns if (sys.stderr if err else sys.stdout).isatty() else None


def echo_picture(text: str) -> None:
    """Print a text with a picture of a machine: in colours on a terminal, unless NO_COLOR is set."""
    from ..machine.picture import coloured  # commands without machines do not pay for them

    text = printable.printable(text)
    echo_coloured(text if os.environ.get("NO_COLOR") else coloured(text))


def echo_coloured(text: str) -> None:
    """Print a text that is printable but for our own colours, which click leaves out where there is no terminal."""
    click.echo(text, file=getattr(sys.stdout, "raw", sys.stdout))


def columns(rows: Sequence[Sequence[object]], indent: str = "") -> list[str]:
    """Return a table as lines that fit the terminal."""
    return printable.columns(rows, indent, terminal_width())


def spread(values: Sequence[float], digits: int = 0) -> str:
    """Return one number, or the mean and the range of several: ``12 (10..15)``."""
    low, high = min(values), max(values)
    if low == high:
        return f"{low:,.{digits}f}"
    return f"{mean(values):,.{digits}f} ({low:,.{digits}f}..{high:,.{digits}f})"
