"""Faults inside algorithms: allocators that are right but for one bound, order, measure or forgotten step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from .choosing import WRONG_CHOOSERS
from .lives import WRONG_NODES
from .patched import PATCHED

__all__ = ["INSIDE", "ONLY_RECOMMENDED", "UNSEEN"]

UNSEEN = frozenset({"OneInitAlone", "WidthByTheFirstNode"})
"""Those that the default run does not show: several init containers of different sizes on a crowded node are rare, and
so are NUMA nodes of different sizes."""

INSIDE: Mapping[str, Callable[[], object]] = MappingProxyType(
    {name: make for name, make in {**WRONG_CHOOSERS, **WRONG_NODES, **PATCHED}.items() if name not in UNSEEN}
)
"""Every one that is found, by name."""

ONLY_RECOMMENDED = frozenset({"SmallestCoreFirst"})
"""Those that break no more than a recommendation: on a machine in use the pages say that CPUs tend to be packed."""
