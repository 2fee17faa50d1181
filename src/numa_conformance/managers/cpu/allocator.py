"""``CpuAllocator``: n CPUs out of a set of available ones; the algorithm follows from the options (CPU-ALLOC-01)."""

from __future__ import annotations

from ...documentation.options import StaticOptions
from ...documentation.quirks.cpu import CpuQuirks
from .accumulator import Accumulator, NotEnoughCpus
from .distributed import Distribution
from .packed import take_packed
from .spread import take_spread
from .topology import CpuTopology
from .uncore import UncoreStep

__all__ = ["CpuAllocator"]


class CpuAllocator:
    """Chooses CPUs on one machine under fixed options. Stateless; one is built per policy."""

    def __init__(self, topology: CpuTopology, options: StaticOptions, quirks: CpuQuirks) -> None:
        """Settle which algorithm and which quirks are in force."""
        self.topology = topology
        self._options = options
        self._quirks = quirks
        self._uncore_step = UncoreStep() if options.prefer_align_cpus_by_uncorecache else None
        self._distribution = (
            Distribution(topology.cpus_per_core if options.full_pcpus_only else 1, quirks)
            if options.distribute_cpus_across_numa
            else None
        )

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
            raise NotEnoughCpus(
                f"not enough cpus available to satisfy request: requested={count}, available={available.bit_count()}"
            )
        taking = self._accumulator(free, count, trace)
        if self._distribution is not None:
            return self._distribution.take(taking, lambda cpus, number: self._pack(cpus, number, trace))
        across_cores = self._options.distribute_cpus_across_cores
        if across_cores and not self._quirks.spread_by_cpu_id:
            return take_spread(taking)
        return take_packed(taking, by_id=across_cores, uncore_step=self._uncore_step)

    def _pack(self, free: int, count: int, trace: list[str] | None) -> int:
        if free.bit_count() < count:
            raise NotEnoughCpus(
                f"not enough cpus available to satisfy request: requested={count}, available={free.bit_count()}"
            )
        return take_packed(self._accumulator(free, count, trace))

    def _accumulator(self, free: int, count: int, trace: list[str] | None) -> Accumulator:
        return Accumulator(self.topology, free, count, self._quirks, trace)
