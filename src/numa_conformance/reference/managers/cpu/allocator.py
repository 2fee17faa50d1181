"""``CpuAllocator``: n CPUs out of a set of available ones; the algorithm follows from the options (CPU-ALLOC-01)."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterable, Iterator
from types import ModuleType

from ....errors import Fault, UsageError
from ....sources.changes import UNCHANGED, Changes
from ....sources.options import STATIC_OPTIONS, StaticOptions
from ....sources.quirks.cpu import CpuQuirks
from .accumulator import Accumulator, NotEnoughCpus
from .options import distribute_cpus_across_cores, prefer_align_cpus_by_uncorecache
from .options.distribute_cpus_across_numa import Distribution
from .packed import take_packed
from .topology import CpuTopology


def _choosing_first() -> Iterator[tuple[str, ModuleType]]:
    """Yield the files of options that choose before CPUs are packed: those that have a function ``take_first``.

    It is given an ``Accumulator``, takes all that is needed or nothing, and tells whether it did.
    """
    for option in STATIC_OPTIONS.values():
        if importlib.util.find_spec(f"{__package__}.options.{option.field}") is None:
            place = f"src/numa_conformance/reference/managers/cpu/options/{option.field}.py"
            raise UsageError(Fault(place, f"option {option.name} has no file that says how it is met"))
        file = importlib.import_module(f"{__package__}.options.{option.field}")
        if hasattr(file, "take_first"):
            yield option.field, file


_CHOOSING_FIRST = tuple(_choosing_first())
"""By option, in the order of the options."""


class CpuAllocator:
    """Chooses CPUs on one machine under fixed options. Stateless; one is built per policy."""

    def __init__(
        self, topology: CpuTopology, options: StaticOptions, quirks: CpuQuirks, changes: Changes = UNCHANGED
    ) -> None:
        """Settle which algorithm is in force."""
        self.topology = topology
        self._quirks = quirks
        self._numbered = changes.missing_cpus_are_numbered
        self._first = tuple(file for option, file in _CHOOSING_FIRST if getattr(options, option))
        by_id = options.distribute_cpus_across_cores and quirks.spread_by_cpu_id
        self._rest = distribute_cpus_across_cores.as_the_kubelet_does if by_id else None
        self._caches = prefer_align_cpus_by_uncorecache.take if options.prefer_align_cpus_by_uncorecache else None
        group = topology.cpus_per_core if options.full_pcpus_only else 1
        distribution = Distribution.of(quirks, changes)(group, by_socket=options.align_by_socket)
        self._across_numa = distribution if options.distribute_cpus_across_numa else None
        packs_alone = self._rest is None and self._caches is None
        self._few_nodes = packs_alone and not quirks.cores_gathered_across_nodes and topology.num_nodes > 1
        uneven_caches = len(set(topology.uncores.sizes)) > 1
        self._few_caches = self._caches is not None and not quirks.uncore_after_larger_groups and uneven_caches

    def allocate(self, available: int, count: int, trace: list[str] | None = None) -> int:
        """Return ``count`` CPUs of ``available`` as bits.

        Raises ``NotEnoughCpus``, or ``KubeletHangs`` where the kubelet would not come back. On machines it misreads the
        kubelet may return CPUs that were not offered, or fewer (CPU-ALLOC-25, 26). ``trace`` receives the order in
        which groups were taken.
        """
        if count < 1:
            return 0
        free = available & self.topology.all
        if free.bit_count() < count:
            raise self._not_enough(count, available)
        taking = Accumulator(self.topology, free, count, self._quirks, trace)
        if self._across_numa is not None:
            return self._across_numa.take(taking, lambda cpus, number: self._pack(cpus, number, trace))
        if any(option.take_first(taking) for option in self._first):
            return taking.taken
        if self._few_caches:
            taking.free = _few_caches(self.topology, free, count)
        if not self._few_nodes:
            return take_packed(taking, caches=self._caches, rest=self._rest)
        before = len(trace) if trace is not None else 0
        cpus = take_packed(taking)
        if not cpus & ~self.topology.node_of[(cpus & -cpus).bit_length()]:
            return cpus
        fewer = self._fewer_nodes(free, count, cpus)
        if not fewer:
            return cpus
        if trace is not None:
            del trace[before:]
        return self._pack(fewer, count, trace)

    def _fewer_nodes(self, free: int, count: int, cpus: int) -> int:
        """Return what is free on as few NUMA nodes as can give so many, where packed CPUs lie on more; else nothing.

        Where cores are partly in use this is left: fewer nodes could be had by CPUs of more cores only.
        """
        masks = self.topology.nodes.masks
        if sum(sorted([(node & free).bit_count() for node in masks])[1 - _touched(masks, cpus) :]) < count:
            return 0
        if self.topology.whole_cores(free) != free:
            return 0
        return _few([node & free for node in masks], count)

    def _pack(self, free: int, count: int, trace: list[str] | None) -> int:
        if free.bit_count() < count:
            raise self._not_enough(count, free)
        return take_packed(Accumulator(self.topology, free, count, self._quirks, trace))

    def _not_enough(self, count: int, available: int) -> NotEnoughCpus:
        numbers = f": requested={count}, available={available.bit_count()}" if self._numbered else ""
        return NotEnoughCpus(f"not enough cpus available to satisfy request{numbers}")


def _few(groups: list[int], count: int) -> int:
    """Return the fullest of some groups, by their free CPUs, that holds so many, or else the fewest that do."""
    holding = [group for group in groups if group.bit_count() >= count]
    if holding:
        return min(holding, key=int.bit_count)
    few = 0
    for group in sorted(groups, key=int.bit_count, reverse=True):
        few |= group
        if few.bit_count() >= count:
            break
    return few


def _few_caches(topology: CpuTopology, free: int, count: int) -> int:
    """Return what is free in as few uncore caches as can give so many: those of one NUMA node if these are as few."""
    caches = [cache & free for cache in topology.uncores.masks]
    few = _few(caches, count)
    if few.bit_count() < count:
        return free
    number = _touched(caches, few)
    for node in topology.nodes.masks:
        here = _few([cache & node for cache in caches], count)
        if here.bit_count() >= count and _touched(caches, here) <= number:
            return here
    return few


def _touched(groups: Iterable[int], cpus: int) -> int:
    return sum(1 for group in groups if group & cpus)
