"""Alternatives: legal allocators that differ from the reference and break no sentence of the pages. All must pass.

Each is reachable as a target: ``--numa-target alternatives:FromTheTop``, with the folder ``tests`` in ``PYTHONPATH``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from numa_conformance.protocol import ReferenceTarget

from .at_the_boundary import MANNERS
from .kinds_of_small import KINDS
from .renumbered import ORDERS, Renumbered

__all__ = ["ALTERNATIVES", "OF_THE_REFERENCE"]

OF_THE_REFERENCE: Mapping[str, Callable[[], object]] = MappingProxyType(
    {
        **{name: partial(Renumbered, orders) for name, orders in ORDERS.items()},
        **MANNERS,
        "refuses what the sum of requests has no room for": partial(ReferenceTarget, "documented", resource_fit=True),
    }
)
"""Those that ask the reference, in other numbers or with other manners."""

ALTERNATIVES: Mapping[str, Callable[[], object]] = MappingProxyType({**KINDS, **OF_THE_REFERENCE})
"""Every alternative by name: what it does otherwise."""


def __getattr__(name: str) -> Callable[[], object]:
    """Find one by its name with underscores."""
    try:
        return next(make for known, make in ALTERNATIVES.items() if known.replace(" ", "_") == name)
    except StopIteration:
        raise AttributeError(f"no alternative is called {name!r}") from None
