"""``alternative`` declares a legal allocator that differs from the reference."""

from __future__ import annotations

from changes.change import Change

__all__ = ["alternative"]


class alternative(Change):  # noqa: N801  (used as a decorator-like declaration)
    """A change that breaks no sentence of the pages."""
