"""Faults inside algorithms: allocators that are right but for one bound, order, measure or forgotten step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from small import Small
from small.choosing import Chooser

from . import by_circumstance as by_circumstance  # the three declare faults of PATCHED
from . import patched_cpus as patched_cpus
from . import patched_managers as patched_managers
from .choosing import WRONG_CHOICES
from .hinting import WRONG_HINTS
from .lives import WRONG_NODES
from .patched import PATCHED
from .reading_pods import WRONG_READERS

__all__ = ["INSIDE", "ONLY_RECOMMENDED"]


def _with_chooser(wrong: type[Chooser]) -> type[Small]:
    return type(wrong.__name__, (Small,), {"chooser": wrong, "__doc__": wrong.__doc__})


INSIDE: Mapping[str, Callable[[], object]] = MappingProxyType(
    {
        **{name: _with_chooser(wrong) for name, wrong in {**WRONG_CHOICES, **WRONG_HINTS}.items()},
        **WRONG_READERS,
        **WRONG_NODES,
        **PATCHED,
    }
)
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
