"""Files written whole or not at all."""

from __future__ import annotations

from pathlib import Path

from ..errors import Fault, UsageError

__all__ = ["replace_text", "write_text"]


def write_text(path: Path, text: str) -> None:
    """Write one file whole or not at all; raises ``UsageError``."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_text(path, text)
    except OSError as error:
        raise UsageError(Fault(str(path), f"cannot be written: {error.strerror or error}")) from error


def replace_text(path: Path, text: str) -> None:
    """Put a text in a file's place; raises ``OSError``."""
    temporary = path.with_name(f".{path.name}.new")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)
