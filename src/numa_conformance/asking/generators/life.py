"""Lives: short scripts that provoke what chance rarely draws. Each stands in the chapter whose sentence it provokes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ...machine import Machine
from .scenario import Scenario

LIVES: list[Callable[[frozenset[str], Sequence[Machine] | None, int], Iterator[Scenario]]] = []
"""Every life, by what is claimed, the machines that alone are asked, a seed; chapters add theirs when imported."""


def lives(claimed: frozenset[str], machines: Sequence[Machine] | None = None, seed: int = 0) -> Iterator[Scenario]:
    """Yield every life within what a target claims, on the machines that alone are asked if there are such."""
    for scenarios in LIVES:
        yield from scenarios(claimed, machines, seed)
