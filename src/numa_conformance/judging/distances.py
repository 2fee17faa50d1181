"""``Distances``: which of two sets of NUMA nodes is closer, by any measure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations


@dataclass(frozen=True, slots=True)
class Distances:
    """The distances between NUMA nodes. ``nodes``: their ids, in the order of the table. Sets of nodes are bits."""

    table: Sequence[Sequence[int]]
    nodes: tuple[int, ...]

    def nearest(self, sets: Collection[int]) -> frozenset[int]:
        """Return those sets that no other is surely closer than."""
        between = {nodes: self._between(nodes) for nodes in sets}
        others = between.values()
        return frozenset(
            nodes for nodes, distances in between.items() if not any(_closer(other, distances) for other in others)
        )

    def average(self, nodes: int) -> float:
        """Return the average distance between two of the nodes, each node to itself included."""
        places = self._places(nodes)
        return sum(self.table[a][b] for a in places for b in places) / max(len(places), 1) ** 2

    def _between(self, nodes: int) -> list[int]:
        pairs = combinations(self._places(nodes), 2)
        return sorted(max(self.table[a][b], self.table[b][a]) for a, b in pairs)

    def _places(self, nodes: int) -> list[int]:
        """Return where the nodes stand in the table; a hint may name others than the machine has."""
        return [place for place, node in enumerate(self.nodes) if nodes >> node & 1]


def _closer(lefts: list[int], rights: list[int]) -> bool:
    """Tell whether nodes are closer than others by any measure: their distances, in order, are no longer."""
    return lefts != rights and all(a <= b for a, b in zip(lefts, rights, strict=False))
