"""Mutants: deliberately wrong allocators. A requirement that no mutant can break is not tested.

Each is reachable as a target: ``--numa-target mutants:loses_a_cpu``, with the folder ``tests`` in ``PYTHONPATH``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from changes.change import declared_in

from . import (
    choices,
    circumstances,
    cpu,
    cpu_options,
    cpusets,
    drivers,
    exact,
    host,
    life,
    placement,
    plugins,
    reference_cpus,
    reference_managers,
    scheduler,
    small_choices,
    small_hints,
    small_lives,
    small_pods,
)
from .mutant import mutant

__all__ = ["INSIDE", "MUTANTS", "mutant"]

MUTANTS: Mapping[str, mutant] = MappingProxyType(
    declared_in(mutant, cpu, cpu_options, choices, placement, host, scheduler, life, cpusets, plugins, drivers, exact)
)
"""Those with a fault at the boundary, by name: each names the requirements that it breaks."""

INSIDE: Mapping[str, mutant] = MappingProxyType(
    declared_in(
        mutant, small_choices, small_hints, small_pods, small_lives, reference_cpus, reference_managers, circumstances
    )
)
"""Those with a fault inside an algorithm: one bound, order, measure or step is wrong. Each breaks some requirement."""


def __getattr__(name: str) -> mutant:
    try:
        return MUTANTS.get(name) or INSIDE[name]
    except KeyError:
        raise AttributeError(f"no mutant is called {name!r}") from None
