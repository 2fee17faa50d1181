"""Mutants: deliberately wrong allocators. A requirement that no mutant can break is not tested.

Each is reachable as a target: ``--numa-target mutants:loses_a_cpu``, with the folder ``tests`` in ``PYTHONPATH``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from . import (
    allocate,
    beside,
    cpu,
    cpu_options,
    cpusets,
    drivers,
    exact,
    host,
    pick,
    placement,
    plugins,
    resizes,
    restarts,
    scheduler,
)
from .mutant import Mutant, mutant

__all__ = ["MUTANTS", "Mutant", "mutant"]

MUTANTS: Mapping[str, mutant] = MappingProxyType(
    {
        one.name: one
        for room in (
            cpu,
            cpu_options,
            pick,
            allocate,
            placement,
            host,
            scheduler,
            beside,
            cpusets,
            plugins,
            drivers,
            resizes,
            restarts,
            exact,
        )
        for one in room.MUTANTS
    }
)
"""Every mutant by name."""


def __getattr__(name: str) -> mutant:
    try:
        return MUTANTS[name]
    except KeyError:
        raise AttributeError(f"no mutant is called {name!r}") from None
