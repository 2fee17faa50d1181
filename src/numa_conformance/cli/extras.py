"""What commands need beyond the package itself: the extras of its installation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import Fault, UsageError


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """Import what an extra brings along; raises ``UsageError`` with how to install it where it is not there."""
    try:
        yield
    except ImportError as error:
        accepted = f"pip install 'numa-conformance[{extra}]'"
        raise UsageError(Fault("", f"{error.name} is not installed", accepted)) from error
