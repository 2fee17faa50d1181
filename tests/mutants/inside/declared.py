"""The wrong ones that a module declares, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

Right = TypeVar("Right")


def declared(namespace: Mapping[str, object], right: type[Right]) -> dict[str, type[Right]]:
    """Return the classes of a module that derive from the right one, which it imports."""
    return {
        name: value
        for name, value in namespace.items()
        if isinstance(value, type) and issubclass(value, right) and value is not right
    }
