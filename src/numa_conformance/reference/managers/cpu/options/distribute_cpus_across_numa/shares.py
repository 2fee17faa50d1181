"""Even shares from as few NUMA nodes as possible, then the remainder group by group (CPU-DIST)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from ......sources.changes import UNCHANGED, Changes
from ......sources.quirks.cpu import CpuQuirks
from ...accumulator import INDEX_MASK, Accumulator, NotEnoughCpus
from ...topology import CpuTopology
from .by_socket import can_choose_by_socket, choose_nodes_by_socket
from .endless import never_answered
from .search import Choice, choose_nodes
from .subset_by_subset import choose_repeated_nodes

Pack = Callable[[int, int], int]
"""Takes free CPUs and a count; returns CPUs by the packed algorithm."""


class Distribution:
    """Distributes CPUs over NUMA nodes in groups of ``group`` CPUs."""

    def __init__(self, group: int, quirks: CpuQuirks, changes: Changes = UNCHANGED, *, by_socket: bool = False) -> None:
        """Choose which departures and changes to follow; ``by_socket``: the option align-by-socket is on."""
        self._group = group
        self._quirks = quirks
        self._clamps = changes.distribution_keeps_to_sockets
        self._by_socket = by_socket and changes.distribution_keeps_to_sockets

    def take(self, taking: Accumulator, pack: Pack) -> int:
        """Return the CPUs that ``taking`` needs; raise ``NotEnoughCpus`` or ``KubeletHangs``."""
        count, group = taking.need, self._group
        if group < 1 or count % group:
            return pack(taking.free, count)
        masks = taking.topology.nodes.masks
        order = [key & INDEX_MASK for key in taking.node_order()]
        if not self._quirks.distribution_of_single_node_requests:
            for node in order:
                inside = taking.free & masks[node]
                if inside.bit_count() >= count:
                    return pack(inside, count)
        choice = self._choose(taking, order, count)
        if choice is None:
            return pack(taking.free, count)
        self._take_shares(taking, choice, pack)
        self._take_remainder(taking, choice, count, pack)
        if taking.need > 0:
            raise NotEnoughCpus(f"accounting error, not enough CPUs allocated, remaining: {taking.need}")
        if taking.need < 0:
            raise NotEnoughCpus(f"accounting error, too many CPUs allocated, remaining: {taking.need}")
        return taking.taken

    def _choose(self, taking: Accumulator, order: list[int], count: int) -> Choice | None:
        """Choose nodes by index; the least number of them follows from the capacity of the machine (CPU-DIST-03)."""
        topology, group = taking.topology, self._group
        free = {node: (taking.free & topology.nodes.masks[node]).bit_count() for node in order}
        groups = -(-topology.all.bit_count() // group)
        per_node = -(-groups // topology.num_nodes)
        smallest = -(-(count // group) // per_node)
        distinct = list(free.values()) if len(free) == len(order) else None
        if distinct is not None and self._by_socket and can_choose_by_socket(distinct, group):
            choice = choose_nodes_by_socket(
                distinct, _positions_by_socket(topology, order), count, group, smallest, self._quirks
            )
            choice = _named(choice, order)
        elif self._by_socket or distinct is None:
            in_one_socket = partial(_in_one_socket, topology) if self._by_socket else None
            choice = choose_repeated_nodes(order, free, count, group, smallest, self._quirks, in_one_socket)
        else:
            choice = _named(choose_nodes(distinct, count, group, smallest, self._quirks), order)
        if choice is not None and self._clamps:
            most = min(free[node] // group * group for node in choice.nodes)
            choice = choice._replace(share=min(choice.share, most))
        return choice

    def _take_shares(self, taking: Accumulator, choice: Choice, pack: Pack) -> None:
        for node in choice.nodes:
            self._take_from(taking, node, choice.share, pack)

    def _take_remainder(self, taking: Accumulator, choice: Choice, count: int, pack: Pack) -> None:
        """Take one group from each node of the remainder in turn (CPU-DIST-09)."""
        masks = taking.topology.nodes.masks
        groups = (count - choice.share * len(choice.nodes)) // self._group
        while groups > 0:
            before = groups
            for node in choice.remainder:
                if groups and (taking.free & masks[node]).bit_count() >= self._group:
                    self._take_from(taking, node, self._group, pack)
                    groups -= 1
            if groups == before:
                if self._quirks.distribution_hang:
                    raise never_answered(count, self._group)
                return

    def _take_from(self, taking: Accumulator, node: int, count: int, pack: Pack) -> None:
        level = taking.topology.nodes
        if taking.trace is not None:
            taking.trace.append(f"{count} CPU{'' if count == 1 else 's'} from {level.kind} {level.ids[node]}")
        try:
            cpus = pack(taking.free & level.masks[node], count)
        except NotEnoughCpus:
            # The kubelet ignores it; what is missing shows in the accounting at the end.
            return
        taking.take(cpus, cpus.bit_count())


def _named(choice: Choice | None, order: Sequence[int]) -> Choice | None:
    """Return a choice with the nodes of an order in place of positions in it."""
    if choice is None:
        return None
    nodes, remainder = (tuple(order[i] for i in chosen) for chosen in (choice.nodes, choice.remainder))
    return Choice(nodes, choice.share, remainder)


def _positions_by_socket(topology: CpuTopology, order: Sequence[int]) -> list[list[int]]:
    """Return, for each socket, where in an order its NUMA nodes stand; a node without CPUs is in each of them."""
    masks = topology.nodes.masks
    return [[at for at, node in enumerate(order) if not masks[node] & ~socket] for socket in topology.sockets.masks]


def _in_one_socket(topology: CpuTopology, nodes: Iterable[int]) -> bool:
    """Tell whether NUMA nodes, by index, have parts in one socket only (CPU-DIST-18)."""
    cpus = 0
    for node in nodes:
        cpus |= topology.nodes.masks[node]
    return sum(bool(cpus & socket) for socket in topology.sockets.masks) <= 1
