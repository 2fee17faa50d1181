"""What the commands share in writing: JSON, and progress that only a person sees."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import click

__all__ = ["print_json", "with_progress"]

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

    yield from track(items, description=label, total=total, console=Console(stderr=True), transient=True)
