"""Noise: right allocators whose answers are odd, drawn by a seed. Whatever they answer, the suite comes to a verdict.

Each is reachable as a target, with the folder ``tests`` in ``PYTHONPATH``: ``--numa-target noise:odd_7`` answers one
method with well-typed nonsense, ``noise:one_field_7`` with one wrong field or with one that nobody asked for.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from changes.change import Rewriting
from numa_conformance.wire.messages import METHODS

from .answers import odd
from .chaos import Chaos, OneField, spoilt_by

__all__ = ["ODD_METHODS", "Chaos", "OneField", "method_of", "odd", "odd_target", "spoilt_by"]

RATES = (1.0, 0.3, 0.05)
"""How many of the answers are odd."""
ODD_METHODS = sorted(METHODS.keys() - {"describe"})
"""What is claimed is answered properly, so that everything is asked."""


def method_of(seed: int) -> str:
    """Return the method whose answers are odd."""
    return ODD_METHODS[seed % len(ODD_METHODS)]


def odd_target(seed: int) -> Rewriting:
    """Return a target of whose answers to one method all or some have a field that is odd."""
    lot, method = random.Random(seed), method_of(seed)
    rate = lot.choice(RATES)

    def rewrite(answer, memory):
        return odd(method, answer, lot) if lot.random() < rate else answer

    return Rewriting(f"seed {seed}", {}, {method: rewrite}, "exact")


def __getattr__(name: str) -> Callable[[], object]:
    kind, _, seed = name.rpartition("_")
    make = {"odd": odd_target, "one_field": OneField}.get(kind)
    if make is None or not seed.isdigit():
        raise AttributeError(f"no target is called {name!r}; they are called odd_0, one_field_0 and so on")
    return lambda: make(int(seed))
