"""How evenly free CPUs lie over NUMA nodes (CPU-DIST-06, CPU-DIST-07), in whole numbers."""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt


class Balance:
    """The score of a distribution: the population standard deviation of what is left per node, in thousandths.

    All candidates of one request leave the same total, so the score grows with the sum of squares alone. The kubelet
    computes in floats and rounds to 3 decimals. Up to 16 nodes the exact value is never halfway between two roundings.
    So whole numbers give the same.
    """

    def __init__(self, nodes: int, total: int) -> None:
        """Prepare for ``nodes`` NUMA nodes that keep ``total`` CPUs together."""
        self._nodes = nodes
        mean = (2000 * total + nodes) // (2 * nodes)
        self._constant = nodes * mean * mean - 2000 * mean * total

    def score(self, squares: int) -> int:
        """Return the score for a sum of squares."""
        spread = 1_000_000 * squares + self._constant
        return (isqrt(4 * spread // self._nodes) + 1) // 2


def spend(left: Sequence[int], groups: int, size: int) -> list[int] | None:
    """Take ``groups`` groups of ``size`` CPUs from nodes in turn, one each, as long as a node has that many.

    Return what is left per node, or None when a whole turn takes nothing: the kubelet would go on for ever
    (CPU-DIST-16).
    """
    holds = [cpus // size for cpus in left]
    if sum(holds) < groups:
        return None
    taken = [0] * len(left)
    while groups > 0:
        open_nodes = [i for i, has in enumerate(holds) if has > taken[i]]
        rounds = min(groups // len(open_nodes), min(holds[i] - taken[i] for i in open_nodes))
        if rounds == 0:
            open_nodes, rounds = open_nodes[:groups], 1
        for i in open_nodes:
            taken[i] += rounds
        groups -= rounds * len(open_nodes)
    return [cpus - size * used for cpus, used in zip(left, taken, strict=True)]
