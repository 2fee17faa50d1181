"""Topology hints: the currency between the managers."""

from typing import NamedTuple


class Hint(NamedTuple):
    """A NUMA mask (bit *i* = NUMA node *i*; None = any node will do) and whether it is preferred (TOPO-HINT-01)."""

    mask: int | None
    preferred: bool

    def __deepcopy__(self, memo: object) -> "Hint":
        """Return itself: nothing of it changes."""
        return self


HIGHEST_NODE = 63
"""The kubelet keeps a NUMA mask in a word of 64 bits (TOPO-HINT-02)."""
NO_AFFINITY = Hint(None, False)
"""What a manager reads back when no hint was stored (TOPO-SCOPE-06)."""
