"""Topology hints: the currency between the managers."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["NO_AFFINITY", "Hint"]


class Hint(NamedTuple):
    """A NUMA mask (bit *i* = NUMA node *i*; None = any node will do) and whether it is preferred (TOPO-HINT-01)."""

    mask: int | None
    preferred: bool


NO_AFFINITY = Hint(None, False)
"""What a manager reads back when no hint was stored (TOPO-SCOPE-06)."""
