"""Hints for memory and huge pages (MEM-HINT-01..07)."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from ....cpuset import iter_bits
from ..compressed_hints import LISTED, CompressedHints, subsets_by_size
from ..hint import Hint
from .charging import Amounts
from .memory_state import WRAP, NodeMemory

MemoryHints = list[Hint] | CompressedHints

Reusable = Mapping[int, Mapping[str, int]]
"""What init containers of the pod leave: mask to resource to bytes; only the same mask can reuse it."""
_NOTHING: Mapping[str, int] = {}


def breaks_a_group(nodes: Mapping[int, NodeMemory], mask: int) -> bool:
    """Tell whether a multi-node mask touches a node in use alone or in another group (MEM-HINT-04, MEM-ALLOC-05)."""
    members = tuple(iter_bits(mask))
    return any(
        nodes[node].assignments > 0 and (len(nodes[node].group) == 1 or nodes[node].group != members)
        for node in members
    )


def memory_hints(nodes: Mapping[int, NodeMemory], amounts: Amounts, reusable: Reusable) -> MemoryHints:
    """Return the hints that hold all amounts together; empty when no mask does.

    A hint is preferred when no smaller number of NUMA nodes could hold all amounts on an empty machine (MEM-HINT-03).
    """
    search = _Search(nodes, amounts, reusable)
    ids = sorted(nodes)
    if len(ids) > LISTED:
        relevant = [node for node in ids if search.matters(node)]
        free = [node for node in ids if not search.matters(node)]
        return CompressedHints.build(relevant, free, search.capable, search.available, search.extensible) or []
    narrowest = len(ids)
    available = []
    for mask in _listed(tuple(ids)):
        if not search.capable(mask):
            continue
        narrowest = min(narrowest, mask.bit_count())
        if search.available(mask):
            available.append(mask)
    return [Hint(mask, mask.bit_count() == narrowest) for mask in available]


@lru_cache(maxsize=16)
def _listed(ids: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(subsets_by_size(ids))


class _Sums:
    """One number per NUMA node, added up over masks; every sum is made once from that of a smaller mask.

    Sums are uint64 as the kubelet's: one that is too large wraps around (MEM-STATE-04).
    """

    def __init__(self, column: Mapping[int, int]) -> None:
        self.grow = sum(column.values()) < WRAP // 2
        self._by_bit = {1 << node: value for node, value in column.items()}
        self._known = {0: 0}

    def over(self, mask: int) -> int:
        known = self._known.get(mask)
        if known is None:
            lowest = mask & -mask
            known = self._known[mask] = (self.over(mask ^ lowest) + self._by_bit[lowest]) % WRAP
        return known


class _Search:
    """Tests masks for one request.

    A mask with a node that suffices by itself suffices too, and nothing is added up. That holds as long as sums
    ``grow``. They do unless an amount has wrapped around.
    """

    def __init__(self, nodes: Mapping[int, NodeMemory], amounts: Amounts, reusable: Reusable) -> None:
        self._nodes = nodes
        self._reusable = reusable
        self._allocatable = [(name, self._column(name, free=False), amount) for name, amount in amounts.items()]
        self._free = [(name, self._column(name, free=True), amount) for name, amount in amounts.items()]
        self._in_use = self._bits(lambda memory: memory.assignments > 0)
        self._joined = self._bits(lambda memory: len(memory.group) > 1)
        self._used_alone = self._bits(lambda memory: memory.assignments > 0 and len(memory.group) == 1)
        self._capable_alone = self._alone(self._allocatable)
        self._room_alone = self._alone(self._free)

    def _bits(self, test: Callable[[NodeMemory], bool]) -> int:
        return sum(1 << node for node, memory in self._nodes.items() if test(memory))

    def _alone(self, columns: Sequence[tuple[str, _Sums, int]]) -> int:
        if not all(sums.grow for _, sums, _ in columns):
            return 0
        return sum(1 << node for node in self._nodes if self._suffices(columns, 1 << node))

    def _column(self, name: str, *, free: bool) -> _Sums:
        column = {}
        for node, memory in self._nodes.items():
            table = memory.tables.get(name)
            column[node] = 0 if table is None else table.free if free else table.allocatable
        return _Sums(column)

    def _suffices(
        self, columns: Sequence[tuple[str, _Sums, int]], mask: int, left: Mapping[str, int] = _NOTHING
    ) -> bool:
        return all((sums.over(mask) + left.get(name, 0)) % WRAP >= amount for name, sums, amount in columns)

    def matters(self, node: int) -> bool:
        """Tell whether a node has anything of what is asked, is in use, or is named by what can be reused."""
        if self._in_use >> node & 1 or any(mask >> node & 1 for mask in self._reusable):
            return True
        return any(sums.over(1 << node) for _, sums, _ in self._allocatable)

    def capable(self, mask: int) -> bool:
        """Tell whether the mask could hold all amounts on an empty machine."""
        return bool(mask & self._capable_alone) or self._suffices(self._allocatable, mask)

    def extensible(self, mask: int) -> bool:
        """Tell whether unused nodes may join: only when no member is in use, alone or in a group."""
        return not mask & self._in_use

    def available(self, mask: int) -> bool:
        """Tell whether the mask can hold all amounts now, groups kept apart."""
        if mask & (mask - 1):
            if mask & self._used_alone or (mask & self._in_use and breaks_a_group(self._nodes, mask)):
                return False
        elif mask & self._joined:
            return False
        if not mask & self._room_alone and not self._suffices(self._free, mask, self._reusable.get(mask, _NOTHING)):
            return False
        return self.capable(mask)
