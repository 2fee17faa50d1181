"""``CpuTopology``: the masks of cores, uncore caches, NUMA nodes and sockets, computed once per machine."""

from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache
from typing import NamedTuple

from ....cpuset import ids_by_key, iter_bits, union
from ....machine.model import KubeletView, Machine, ViewCpu, derive_view
from ....sources.quirks.areas import CpuQuirks
from .subsets import NodeSubsets


class CoreLayout(NamedTuple):
    """Cores whose threads lie at the same distances from their first thread.

    ``first`` holds the core ids as bits (a core's id is its lowest CPU id, CPU-TOPO-04). A set of free CPUs is shifted
    right by an offset. That lays this thread of every core onto the core's id. So cores are counted without a loop.
    """

    first: int
    offsets: tuple[int, ...]


class Level(NamedTuple):
    """All elements of one kind, ascending by id: a NUMA node, socket or uncore cache each.

    ``full`` is the number of free CPUs at which the kubelet takes an element for fully free (CPU-ALLOC-12).
    """

    kind: str
    ids: tuple[int, ...]
    masks: tuple[int, ...]
    sizes: tuple[int, ...]
    full: tuple[int, ...]
    smallest: int


def lowest(bits: int, count: int) -> int:
    """Return the ``count`` lowest set bits; ``bits`` has at least as many."""
    if count <= 8:
        rest = bits
        for _ in range(count):
            rest &= rest - 1
        return bits ^ rest
    low, high = count, bits.bit_length()
    while low < high:
        middle = (low + high) >> 1
        if (bits & ((1 << middle) - 1)).bit_count() < count:
            low = middle + 1
        else:
            high = middle
    return bits & ((1 << low) - 1)


def view_of(machine: Machine, quirks: CpuQuirks) -> KubeletView:
    """Return the machine as the CPU Manager sees it, with the uncore caches of that version (CPU-DISC-12)."""
    return derive_view(machine, node_wide_cache_is_no_uncore_cache=quirks.node_wide_cache_is_no_uncore_cache)


class CpuTopology:
    """What the CPU Manager knows of a machine (CPU-TOPO). Immutable; build it once per ``KubeletView`` and keep it."""

    def __init__(self, view: KubeletView) -> None:
        """Compute every mask and average from the kubelet's CPU table and totals."""
        self.view = view
        self.num_cpus = view.num_cpus
        self.num_cores = view.num_cores
        self.num_sockets = view.num_sockets
        nodes = _groups(view.cpus, lambda cpu: cpu.numa)
        uncores = _groups(view.cpus, lambda cpu: cpu.uncore)
        self.cpus_per_core = _average(view.num_cpus, view.num_cores)
        self.cpus_per_socket = _average(view.num_cpus, view.num_sockets)
        self.cpus_per_uncore = _average(view.num_cpus, len(uncores))
        self.all = sum(1 << cpu.id for cpu in view.cpus)
        self.nodes = _level("NUMA node", nodes)
        self.sockets = _level("socket", _groups(view.cpus, lambda cpu: cpu.socket), self.cpus_per_socket)
        self.uncores = _level("uncore cache", uncores)
        self.cores = _groups(view.cpus, lambda cpu: cpu.core)
        self.num_nodes = len(nodes)
        self.numa_first = self.num_sockets >= self.num_nodes
        self.outer, self.inner = (self.nodes, self.sockets) if self.numa_first else (self.sockets, self.nodes)
        self.inside = _overlaps(self.outer.masks, self.inner.masks)
        self._layouts = _layouts(self.cores)
        self.thread_counts = tuple(sorted({len(layout.offsets) for layout in self._layouts}))
        self._pair = (
            (self._layouts[0].first, self._layouts[0].offsets[1])
            if len(self._layouts) == 1 and len(self._layouts[0].offsets) == 2
            else None
        )

    def __deepcopy__(self, memo: object) -> "CpuTopology":
        """Return itself, which copies of a node share."""
        return self

    @classmethod
    @lru_cache(maxsize=64)
    def of(cls, view: KubeletView) -> "CpuTopology":
        """Return the topology of a view; equal views share one."""
        return cls(view)

    @property
    def even(self) -> bool:
        """Whether every core has as many threads as the machine-wide average says."""
        return self.thread_counts == (self.cpus_per_core,)

    @cached_property
    def node_uncores(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """Per NUMA node: its uncore caches, each as index and the CPUs they share with the node."""
        return _overlaps(self.nodes.masks, self.uncores.masks)

    @cached_property
    def uncores_hold_cores(self) -> bool:
        """Whether every core lies within one uncore cache."""
        return all(not core & mask or not core & ~mask for core in self.cores.values() for mask in self.uncores.masks)

    @cached_property
    def node_index(self) -> dict[int, int]:
        """NUMA node id to its position among the nodes with CPUs."""
        return {node: index for index, node in enumerate(self.nodes.ids)}

    @cached_property
    def node_of(self) -> tuple[int, ...]:
        """By a CPU's id and one: the CPUs of its NUMA node, none where the machine has no such CPU."""
        nodes = [0] * (self.all.bit_length() + 1)
        for mask in self.nodes.masks:
            for cpu in iter_bits(mask):
                nodes[cpu + 1] = mask
        return tuple(nodes)

    @cached_property
    def socket_reach(self) -> tuple[int, ...]:
        """Per NUMA node: all CPUs of every socket that the node has a part in."""
        return tuple(sum(m for m in self.sockets.masks if m & mask) for mask in self.nodes.masks)

    @cached_property
    def subsets(self) -> NodeSubsets:
        """The sets of NUMA nodes, in the order in which hints name them."""
        touched = tuple(sum(1 << i for i, m in enumerate(self.sockets.masks) if m & mask) for mask in self.nodes.masks)
        return NodeSubsets(self.nodes.ids, self.nodes.sizes, touched)

    def cores_by_free(self, free: int) -> list[int]:
        """Return, per number of free threads, the cores (their ids as bits) that have exactly so many."""
        if self._pair is not None:
            first, offset = self._pair
            # The second threads that are free, each laid onto the id of its core: cores are compared all at once.
            here, there = free & first, free >> offset & first
            return [0, here ^ there, here & there]
        counted = [0] * (self.thread_counts[-1] + 1 if self.thread_counts else 1)
        for first, offsets in self._layouts:
            exact = [first] + [0] * len(offsets)
            for used, offset in enumerate(offsets):
                # Cores whose thread at this offset is free move up from ``number - 1`` free threads to ``number``.
                there = free >> offset & first
                for number in range(used + 1, 0, -1):
                    exact[number] = (exact[number] & ~there) | (exact[number - 1] & there)
                exact[0] &= ~there
            for number in range(1, len(exact)):
                counted[number] |= exact[number]
        return counted

    def cores_touched(self, cpus: int) -> int:
        """Return the ids, as bits, of the cores that have a CPU in ``cpus``."""
        touched = 0
        for first, offsets in self._layouts:
            for offset in offsets:
                touched |= cpus >> offset & first
        return touched

    def cores_with_threads(self, threads: int) -> int:
        """Return the ids, as bits, of the cores built with exactly ``threads`` threads."""
        return sum(layout.first for layout in self._layouts if len(layout.offsets) == threads)

    def threads_of(self, cores: int) -> int:
        """Return all CPUs of the cores whose ids are given as bits."""
        cpus = 0
        for first, offsets in self._layouts:
            chosen = cores & first
            for offset in offsets:
                cpus |= chosen << offset
        return cpus

    def whole_cores(self, cpus: int) -> int:
        """Return the CPUs in ``cpus`` whose core lies in ``cpus`` entirely."""
        return cpus & ~self.threads_of(self.cores_touched(self.all & ~cpus))

    def cpus_in_nodes(self, mask: int) -> int:
        """Return the CPUs of the NUMA nodes whose ids are the bits of ``mask``."""
        index = self.node_index
        return sum(self.nodes.masks[index[node]] for node in iter_bits(mask) if node in index)

    def cpus_in_sockets_of(self, mask: int) -> int:
        """Return the CPUs of every socket that a NUMA node in ``mask`` has a part in (CPU-STEP-05)."""
        index = self.node_index
        return union(self.socket_reach[index[node]] for node in iter_bits(mask) if node in index)


def _average(total: int, groups: int) -> int:
    """Divide as CPU-TOPO-02: whole numbers, 0 where there is nothing to divide by."""
    return total // groups if groups else 0


def _groups(cpus: Iterable[ViewCpu], key: Callable[[ViewCpu], int]) -> dict[int, int]:
    """Map each id to its CPUs, ascending by id."""
    return dict(sorted(ids_by_key((key(cpu), cpu.id) for cpu in cpus).items()))


def _level(kind: str, groups: dict[int, int], full: int | None = None) -> Level:
    sizes = tuple(mask.bit_count() for mask in groups.values())
    counts = sizes if full is None else (full,) * len(sizes)
    return Level(kind, tuple(groups), tuple(groups.values()), sizes, counts, min(sizes, default=0))


def _overlaps(parents: tuple[int, ...], children: tuple[int, ...]) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Per parent: the index of each child that shares CPUs with it, and the CPUs they share."""
    return tuple(tuple((i, child & parent) for i, child in enumerate(children) if child & parent) for parent in parents)


def _layouts(cores: dict[int, int]) -> tuple[CoreLayout, ...]:
    by_offsets = ids_by_key((tuple(cpu - core for cpu in iter_bits(mask)), core) for core, mask in cores.items())
    return tuple(CoreLayout(first, offsets) for offsets, first in by_offsets.items())


def fewest(groups: list[int], count: int) -> int:
    """Return the fullest of some groups, by their free CPUs, that holds so many, or else the fewest that do."""
    if holding := [group for group in groups if group.bit_count() >= count]:
        return min(holding, key=int.bit_count)
    few = 0
    for group in sorted(groups, key=int.bit_count, reverse=True):
        few |= group
        if few.bit_count() >= count:
            break
    return few


def number_touched(groups: Iterable[int], cpus: int) -> int:
    """Return how many of the groups some CPUs lie in."""
    return sum(1 for group in groups if group & cpus)
