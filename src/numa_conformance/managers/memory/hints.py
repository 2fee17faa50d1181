"""Hints for memory and huge pages (MEM-HINT-01..07)."""

from __future__ import annotations

from collections.abc import Mapping

from ...cpuset import iter_bits
from ..families import LISTED, HintFamily, subsets_by_size
from ..hint import Hint
from .amounts import Amounts
from .state import NodeMemory

__all__ = ["breaks_a_group", "memory_hints"]

Reusable = Mapping[int, Mapping[str, int]]
"""What init containers of the pod leave: mask to resource to bytes; only the same mask can reuse it."""


def breaks_a_group(nodes: Mapping[int, NodeMemory], mask: int) -> bool:
    """Tell whether a multi-node mask touches a node in use alone or in another group (MEM-HINT-04, MEM-ALLOC-05)."""
    members = tuple(iter_bits(mask))
    return any(
        nodes[node].assignments > 0 and (len(nodes[node].cells) == 1 or nodes[node].cells != members)
        for node in members
    )


def memory_hints(nodes: Mapping[int, NodeMemory], amounts: Amounts, reusable: Reusable) -> list[Hint] | HintFamily:
    """Return the hints that hold all amounts together; empty when no mask does.

    A hint is preferred when no smaller number of NUMA nodes could hold all amounts on an empty machine (MEM-HINT-03).
    """
    search = _Search(nodes, amounts, reusable)
    ids = sorted(nodes)
    if len(ids) > LISTED:
        relevant = [node for node in ids if search.matters(node)]
        free = [node for node in ids if not search.matters(node)]
        return HintFamily.build(relevant, free, search.capable, search.available, search.extensible) or []
    narrowest = len(ids)
    found = []
    for mask in subsets_by_size(ids):
        if not search.capable(mask):
            continue
        narrowest = min(narrowest, mask.bit_count())
        if search.available(mask):
            found.append(mask)
    return [Hint(mask, mask.bit_count() == narrowest) for mask in found]


class _Search:
    """Tests masks for one request."""

    def __init__(self, nodes: Mapping[int, NodeMemory], amounts: Amounts, reusable: Reusable) -> None:
        self._nodes = nodes
        self._amounts = amounts
        self._reusable = reusable
        self._allocatable = {name: self._column(name, free=False) for name in amounts}
        self._free = {name: self._column(name, free=True) for name in amounts}

    def _column(self, name: str, *, free: bool) -> dict[int, int]:
        column = {}
        for node, memory in self._nodes.items():
            table = memory.tables.get(name)
            column[node] = 0 if table is None else table.free if free else table.allocatable
        return column

    def matters(self, node: int) -> bool:
        """Tell whether a node has anything of what is asked, is in use, or is named by what can be reused."""
        if self._nodes[node].assignments or any(mask >> node & 1 for mask in self._reusable):
            return True
        return any(column[node] for column in self._allocatable.values())

    def capable(self, mask: int) -> bool:
        """Tell whether the mask could hold all amounts on an empty machine."""
        members = tuple(iter_bits(mask))
        return all(
            sum(self._allocatable[name][node] for node in members) >= amount for name, amount in self._amounts.items()
        )

    def extensible(self, mask: int) -> bool:
        """Tell whether unused nodes may join: only when no member is in use, alone or in a group."""
        return not any(self._nodes[node].assignments for node in iter_bits(mask))

    def available(self, mask: int) -> bool:
        """Tell whether the mask can hold all amounts now, groups kept apart."""
        members = tuple(iter_bits(mask))
        if len(members) == 1:
            if len(self._nodes[members[0]].cells) > 1:
                return False
        elif breaks_a_group(self._nodes, mask):
            return False
        left = self._reusable.get(mask, {})
        return self.capable(mask) and all(
            sum(self._free[name][node] for node in members) + left.get(name, 0) >= amount
            for name, amount in self._amounts.items()
        )
