"""Faults inside algorithms: allocators that are right but for one bound, order, measure or forgotten step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from . import by_circumstance as by_circumstance  # declares faults of PATCHED
from .choosing import WRONG_CHOOSERS
from .lives import WRONG_NODES
from .patched import PATCHED

__all__ = ["INSIDE", "ONLY_RECOMMENDED"]

INSIDE: Mapping[str, Callable[[], object]] = MappingProxyType({**WRONG_CHOOSERS, **WRONG_NODES, **PATCHED})
"""Every one by name."""

ONLY_RECOMMENDED = frozenset(
    {
        "SmallestCoreFirst",
        "fills_no_single_cache",
        "takes_no_part_of_a_cache",
        "forgets_a_second_resource_at_a_restart",
    }
)
"""Those that break no more than a recommendation: on a machine in use the pages say that CPUs tend to be packed, and
that alignment to uncore caches is best effort; of devices they do not say that a restart leaves them."""
