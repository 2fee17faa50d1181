"""Reading JSON values by field, gathering every fault with its path."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import Fault, UsageError
from .quantity import Quantity

__all__ = ["Faults", "as_integer", "as_list", "as_mapping", "as_text", "quantities"]

_NAMES = {dict: "an object", list: "a list", str: "a text", bool: "true or false", int: "a number", float: "a number"}


class Faults:
    """Gathers faults below one place; ``raise_if_any`` refuses the input whole."""

    def __init__(self, place: str = "") -> None:
        """Take what stands before every field path: a file, a document."""
        self._place = place
        self._found: list[Fault] = []

    def add(self, path: str, message: str, accepted: str | None = None, suggestion: str | None = None) -> None:
        """Record one fault."""
        self._found.append(Fault(self._at(path), message, accepted, suggestion))

    def take(self, path: str, error: UsageError) -> None:
        """Record the faults of an error raised for the value at ``path``."""
        self._found.extend(error.within(self._at(path)).faults if self._at(path) else error.faults)

    def take_below(self, path: str, error: UsageError) -> None:
        """Record the faults of an error whose own places are field paths below ``path``."""
        for fault in error.faults:
            below = f"{path}.{fault.place}" if fault.place else path
            self.add(below, fault.message, fault.accepted, fault.suggestion)

    def raise_if_any(self) -> None:
        """Raise ``UsageError`` with all that was recorded."""
        if self._found:
            raise UsageError(self._found)

    def _at(self, path: str) -> str:
        return ": ".join(part for part in (self._place, path) if part)


def _kind(value: object) -> str:
    return "nothing" if value is None else _NAMES.get(type(value), type(value).__name__)


def as_mapping(value: object, path: str, faults: Faults) -> Mapping[str, Any]:
    """Return an object; absent counts as empty, anything else is a fault."""
    if value is None:
        return {}
    if isinstance(value, Mapping):
        return value
    faults.add(path, f"is {_kind(value)}", "an object")
    return {}


def as_integer(value: object, path: str, faults: Faults, default: int) -> int:
    """Return an integer; absent gives the default, anything else is a fault."""
    if value is None:
        return default
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    faults.add(path, f"is {_kind(value)}", "a whole number")
    return default


def as_list(value: object, path: str, faults: Faults) -> list[Any]:
    """Return a list; absent counts as empty, anything else is a fault."""
    if value is None:
        return []
    if isinstance(value, list):
        return value
    faults.add(path, f"is {_kind(value)}", "a list")
    return []


def as_text(value: object, path: str, faults: Faults, default: str = "") -> str:
    """Return a text; absent gives the default, anything else is a fault."""
    if value is None:
        return default
    if isinstance(value, str):
        return value
    faults.add(path, f"is {_kind(value)}{_quoting(value)}", "a text")
    return default


def _quoting(value: object) -> str:
    """Say how YAML's bare numbers and booleans become texts."""
    if isinstance(value, bool):
        return f'; put it in quotes: "{str(value).lower()}"'
    return f'; put it in quotes: "{value}"' if isinstance(value, (int, float)) else ""


def quantities(value: object, path: str, faults: Faults) -> dict[str, Quantity]:
    """Return resource name to quantity."""
    read: dict[str, Quantity] = {}
    for name, amount in as_mapping(value, path, faults).items():
        try:
            read[str(name)] = Quantity.parse(amount)
        except UsageError as error:
            faults.take(f"{path}.{name}", error)
    return read
