"""``CpuAllocator``: n CPUs out of a set of available ones; the algorithm follows from the options (CPU-ALLOC-01)."""

import importlib
import importlib.util
from collections.abc import Iterator
from types import ModuleType

from ....errors import Fault, UsageError
from ....sources.options import STATIC_OPTIONS, StaticOptions
from ..departures import Documented
from .accumulator import NotEnoughCpus
from .options import distribute_cpus_across_cores, prefer_align_cpus_by_uncorecache
from .options.distribute_cpus_across_numa import Distribution
from .packed import Packing
from .topology import CpuTopology, fewest, number_touched


def _choosing_first() -> Iterator[tuple[str, ModuleType]]:
    """Yield the files of options that choose before CPUs are packed: those that say so in ``CHOOSES_FIRST``.

    The ``take_first`` of that class takes all that an ``Accumulator`` needs or nothing, and tells whether it did.
    """
    for option in STATIC_OPTIONS.values():
        if importlib.util.find_spec(f"{__package__}.options.{option.field}") is None:
            place = f"src/numa_conformance/reference/managers/cpu/options/{option.field}.py"
            raise UsageError(Fault(place, f"option {option.name} has no file that says how it is met"))
        file = importlib.import_module(f"{__package__}.options.{option.field}")
        if hasattr(file, "CHOOSES_FIRST"):
            yield option.field, file


_CHOOSING_FIRST = tuple(_choosing_first())
"""By option, in the order of the options."""


class CpuAllocator(Documented):
    """Chooses CPUs on one machine under fixed options. Stateless; one is built per policy."""

    def __init__(self, topology: CpuTopology, options: StaticOptions) -> None:
        self.topology = topology
        self._packing = Packing.of(self.quirks)
        self._first = tuple(
            file.CHOOSES_FIRST.of(self.quirks)() for option, file in _CHOOSING_FIRST if getattr(options, option)
        )
        cores = distribute_cpus_across_cores.CoreSpread.of(self.quirks)()
        caches = prefer_align_cpus_by_uncorecache.UncoreAlignment.of(self.quirks)()
        self._rest = cores.rest if options.distribute_cpus_across_cores else None
        self._caches = caches if options.prefer_align_cpus_by_uncorecache else None
        group = topology.cpus_per_core if options.full_pcpus_only else 1
        distribution = Distribution.of(self.quirks, self.changes)(group, by_socket=options.align_by_socket)
        self._across_numa = distribution if options.distribute_cpus_across_numa else None
        self._few_nodes = self._rest is None and self._caches is None and topology.num_nodes > 1
        self._uneven_caches = len(set(topology.uncores.sizes)) > 1

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
        taking = self._packing(self.topology, free, count, trace)
        if self._across_numa is not None:
            return self._across_numa.take(taking, lambda cpus, number: self._pack(cpus, number, trace))
        if any(option.take_first(taking) for option in self._first):
            return taking.taken
        if self._caches is not None:
            if self._uneven_caches:
                taking.free = self._caches.narrowed(self.topology, free, count)
            return taking.pack(caches=self._caches.take, rest=self._rest)
        if self._few_nodes:
            return self._pack_on_few_nodes(taking, free, count)
        return taking.pack(rest=self._rest)

    def _pack_on_few_nodes(self, taking: Packing, free: int, count: int) -> int:
        """Pack, and once more on fewer NUMA nodes where these suffice."""
        trace = taking.trace
        before = len(trace) if trace is not None else 0
        cpus = taking.pack()
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
        if sum(sorted([(node & free).bit_count() for node in masks])[1 - number_touched(masks, cpus) :]) < count:
            return 0
        if self.topology.whole_cores(free) != free:
            return 0
        return fewest([node & free for node in masks], count)

    def _pack(self, free: int, count: int, trace: list[str] | None) -> int:
        if free.bit_count() < count:
            raise self._not_enough(count, free)
        return self._packing(self.topology, free, count, trace).pack()

    def _not_enough(self, count: int, available: int) -> NotEnoughCpus:
        numbers = f"requested={count}, available={available.bit_count()}"
        return NotEnoughCpus(f"not enough cpus available to satisfy request: {numbers}")


class _GatheredAcrossNodes(CpuAllocator, quirk="cores_gathered_across_nodes"):
    """Packs from the NUMA node with fewest free CPUs on, wherever that ends (CPU-ALLOC-11, 17)."""

    def _pack_on_few_nodes(self, taking: Packing, free: int, count: int) -> int:
        return taking.pack()


class _WithoutNumbers(CpuAllocator, before="missing_cpus_are_numbered"):
    """Does not say how many CPUs are missing."""

    def _not_enough(self, count: int, available: int) -> NotEnoughCpus:
        return NotEnoughCpus("not enough cpus available to satisfy request")
