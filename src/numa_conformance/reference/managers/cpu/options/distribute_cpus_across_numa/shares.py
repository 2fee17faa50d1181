"""Even shares from as few NUMA nodes as possible, then the remainder group by group (CPU-DIST)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from ......cpuset import union
from ....departures import Documented
from ...accumulator import INDEX_MASK, Accumulator, NotEnoughCpus
from ...topology import CpuTopology, number_touched
from .search import NodeChoice, NodeSearch, ScoredSet, SetSearch
from .subset_by_subset import choose_repeated_nodes


def can_choose_by_socket(free: Sequence[int], group: int) -> bool:
    """Tell whether the search applies: no node has CPUs beside whole groups, so that no remainder is endless."""
    return all(cpus % group == 0 for cpus in free)


def choose_nodes_by_socket(
    free: Sequence[int], sockets: Sequence[Sequence[int]], count: int, group: int, smallest: int, chooser: NodeSearch
) -> NodeChoice | None:
    """Choose among nodes with ``free`` CPUs as ``chooser.choose`` does; ``sockets`` are the positions in each of them.

    A share is what each of the nodes can give. Those of one socket are preferred (CPU-DIST-18), without a look at every
    subset: nodes with equally many free CPUs in one socket are interchangeable, and of equal choices the kubelet meets
    the one with the first nodes first. So a choice is a number of nodes for each amount of free CPUs.
    """
    for size in range(smallest, min(-(-count // group), len(free)) + 1):
        for places, crosses in ((sockets, False), ([range(len(free))], True)):
            if (outcome := _best(free, places, count, group, size)) is not None:
                return chooser.choice(*outcome, crosses=crosses)
    return None


def _best(
    free: Sequence[int], places: Sequence[Sequence[int]], count: int, group: int, size: int
) -> tuple[SetSearch, ScoredSet] | None:
    """Return the first set with the lowest score among those within one of the places, and the search it is of."""
    even = count // size // group * group
    by_share: dict[int, SetSearch] = {}
    best: tuple[SetSearch, ScoredSet] | None = None
    for inside in places:
        for nodes in _sets(free, inside, size):
            if sum(free[i] for i in nodes) < count:
                continue
            share = min(even, *(free[i] for i in nodes))
            search = by_share.get(share)
            if search is None:
                search = by_share[share] = SetSearch(free, count, group, size, share=share)
            outcome = search.evaluate(nodes)
            if best is None or (outcome.score, nodes) < (best[1].score, best[1].nodes):
                best = search, outcome
    return best


def _sets(free: Sequence[int], inside: Sequence[int], size: int) -> Iterator[tuple[int, ...]]:
    """Yield, for each way to take nodes by their free CPUs, the first set of ``size`` positions."""
    alike: dict[int, list[int]] = {}
    for position in inside:
        alike.setdefault(free[position], []).append(position)
    kinds = list(alike.values())

    def extend(kind: int, chosen: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        wanted = size - len(chosen)
        if wanted == 0:
            yield tuple(sorted(chosen))
        elif kind < len(kinds):
            for take in range(min(wanted, len(kinds[kind])) + 1):
                yield from extend(kind + 1, (*chosen, *kinds[kind][:take]))

    return extend(0, ())


Pack = Callable[[int, int], int]
"""Takes free CPUs and a count; returns CPUs by the packed algorithm."""


class Distribution(Documented):
    """Distributes CPUs over NUMA nodes in groups of ``group`` CPUs."""

    def __init__(self, group: int, *, by_socket: bool = False) -> None:
        """Take the size of a group; ``by_socket``: the option align-by-socket is on."""
        self._group = group
        self._by_socket = by_socket
        self._search = NodeSearch.of(self.quirks)()

    def take(self, taking: Accumulator, pack: Pack) -> int:
        """Return the CPUs that ``taking`` needs; raise ``NotEnoughCpus`` or ``KubeletHangs``."""
        count, group = taking.need, self._group
        if group < 1 or count % group:
            return pack(taking.free, count)
        order = [key & INDEX_MASK for key in taking.node_order()]
        if inside := self._on_one_node(taking, order):
            return pack(inside, count)
        choice = self._choose(taking, order, count)
        if choice is None:
            return pack(taking.free, count)
        for node in choice.nodes:
            self._take_from(taking, node, choice.share, pack)
        self._take_remainder(taking, choice, count, pack)
        if taking.need > 0:
            raise NotEnoughCpus(f"accounting error, not enough CPUs allocated, remaining: {taking.need}")
        if taking.need < 0:
            raise NotEnoughCpus(f"accounting error, too many CPUs allocated, remaining: {taking.need}")
        return taking.taken

    def _on_one_node(self, taking: Accumulator, order: list[int]) -> int:
        """Return what is free on the first NUMA node that holds the request; nothing where none does."""
        free = (taking.free & taking.topology.nodes.masks[node] for node in order)
        return next((cpus for cpus in free if cpus.bit_count() >= taking.need), 0)

    def _choose(self, taking: Accumulator, order: list[int], count: int) -> NodeChoice | None:
        """Choose nodes by index; the least number of them follows from the capacity of the machine (CPU-DIST-03)."""
        topology, group = taking.topology, self._group
        free = {node: (taking.free & topology.nodes.masks[node]).bit_count() for node in order}
        groups = -(-topology.all.bit_count() // group)
        per_node = -(-groups // topology.num_nodes)
        smallest = -(-(count // group) // per_node)
        choice = self._nodes(topology, order, free, count, smallest)
        return None if choice is None else self._fair(choice, free)

    def _nodes(
        self, topology: CpuTopology, order: list[int], free: dict[int, int], count: int, smallest: int
    ) -> NodeChoice | None:
        """Choose by the quickest of the searches that serves the machine and its options."""
        group, distinct = self._group, list(free.values()) if len(free) == len(order) else None
        if distinct is not None and self._by_socket and can_choose_by_socket(distinct, group):
            masks = topology.nodes.masks  # a node without CPUs stands in each socket
            sockets = [
                [at for at, node in enumerate(order) if not masks[node] & ~cpus] for cpus in topology.sockets.masks
            ]
            return _named(choose_nodes_by_socket(distinct, sockets, count, group, smallest, self._search), order)
        if self._by_socket or distinct is None:
            in_one_socket = partial(_in_one_socket, topology) if self._by_socket else None
            return choose_repeated_nodes(order, free, count, group, smallest, self._search, in_one_socket)
        return _named(self._search.choose(distinct, count, group, smallest), order)

    def _fair(self, choice: NodeChoice, free: dict[int, int]) -> NodeChoice:
        """Return the choice with a share that each of its nodes has (CPU-DIST-18)."""
        most = min(free[node] // self._group * self._group for node in choice.nodes)
        return choice._replace(share=min(choice.share, most))

    def _take_remainder(self, taking: Accumulator, choice: NodeChoice, count: int, pack: Pack) -> None:
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
                self._search.meet_endless(count, self._group)
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


class _ForSingleNodes(Distribution, quirk="distribution_of_single_node_requests"):
    """Distributes also what fits one NUMA node: its even share comes from the node with most free CPUs."""

    def _on_one_node(self, taking: Accumulator, order: list[int]) -> int:
        return 0


class _AcrossSockets(Distribution, before="distribution_keeps_to_sockets"):
    """Takes no notice of sockets, nor of a node that has less than its share."""

    def __init__(self, group: int, *, by_socket: bool = False) -> None:
        super().__init__(group)

    def _fair(self, choice: NodeChoice, free: dict[int, int]) -> NodeChoice:
        return choice


def _named(choice: NodeChoice | None, order: Sequence[int]) -> NodeChoice | None:
    """Return a choice with the nodes of an order in place of positions in it."""
    if choice is None:
        return None
    nodes, remainder = (tuple(order[i] for i in chosen) for chosen in (choice.nodes, choice.remainder))
    return NodeChoice(nodes, choice.share, remainder)


def _in_one_socket(topology: CpuTopology, nodes: Iterable[int]) -> bool:
    """Tell whether NUMA nodes, by index, have parts in one socket only (CPU-DIST-18)."""
    return number_touched(topology.sockets.masks, union(topology.nodes.masks[node] for node in nodes)) <= 1
