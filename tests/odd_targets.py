"""Targets that answer oddly, by their seed: ``--numa-target odd_targets:seed_7``, with ``tests`` in ``PYTHONPATH``.

Each answers as the reference does, but for one method: of its answers all or some have a field that is odd.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from changes.change import Rewriting
from numa_conformance.protocol.messages import METHODS
from odd_answers import odd

RATES = (1.0, 0.3, 0.05)
"""How many of the answers are odd."""
ODD_METHODS = sorted(METHODS.keys() - {"describe"})
"""What is claimed is answered properly, so that everything is asked."""


def method_of(seed: int) -> str:
    """Return the method whose answers are odd."""
    return ODD_METHODS[seed % len(ODD_METHODS)]


def odd_target(seed: int) -> Rewriting:
    """Return a target that answers oddly."""
    lot, method = random.Random(seed), method_of(seed)
    rate = lot.choice(RATES)

    def rewrite(answer, memory):
        return odd(method, answer, lot) if lot.random() < rate else answer

    return Rewriting(f"seed {seed}", {}, {method: rewrite}, "exact")


def __getattr__(name: str) -> Callable[[], Rewriting]:
    word, _, seed = name.partition("_")
    if word != "seed" or not seed.isdigit():
        raise AttributeError(f"no target is called {name!r}; they are called seed_0, seed_1 and so on")
    return lambda: odd_target(int(seed))
