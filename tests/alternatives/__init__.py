"""Alternatives: legal allocators that differ from the reference and break no sentence of the pages. All must pass.

Each is reachable as a target: ``--numa-target alternatives:from_the_top``, with the folder ``tests`` in ``PYTHONPATH``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from changes.change import declared_in
from numa_conformance.reference.target import ReferenceTarget

from . import at_the_boundary, kinds_of_small, near_pools, other_choices
from .alternative import alternative
from .renumbered import ORDERS, Renumbered

__all__ = ["ALTERNATIVES"]

ALTERNATIVES: Mapping[str, Callable[[], object]] = MappingProxyType(
    {
        **declared_in(alternative, kinds_of_small, at_the_boundary, near_pools, other_choices),
        **{name: partial(Renumbered, orders) for name, orders in ORDERS.items()},
        "refuses_what_the_sum_of_requests_has_no_room_for": partial(ReferenceTarget, "documented", resource_fit=True),
    }
)
"""Every alternative by name: what it does otherwise."""


def __getattr__(name: str) -> Callable[[], object]:
    try:
        return ALTERNATIVES[name]
    except KeyError:
        raise AttributeError(f"no alternative is called {name!r}") from None
