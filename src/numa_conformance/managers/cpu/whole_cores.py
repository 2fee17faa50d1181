"""``full-pcpus-only``: whether a request comes out as whole physical cores (CPU-ADM-01, 02, 03, 08, 09)."""

from __future__ import annotations

from collections.abc import Iterable

from ...cpuset import iter_bits
from ...documentation.quirks.cpu import CpuQuirks
from ...errors import Refusal
from .topology import CpuTopology, lowest

__all__ = ["WholeCores"]

_REASON = "SMTAlignmentError"


class WholeCores:
    """The checks of ``full-pcpus-only``, and the pool that keeps its promise.

    With the quirk ``smt-check-by-machine-average`` a request has to be a multiple of the machine-wide average of CPUs
    per core, else of what whole cores add up to. With ``smt-check-ignores-reusable`` the pod's reusable CPUs do not
    count as free. With ``full-pcpus-only-takes-partial-cores`` CPUs of partly used cores stay on offer.
    """

    def __init__(self, topology: CpuTopology, reserved: int, quirks: CpuQuirks) -> None:
        """Find the cores that a reservation touches (CPU-RSV-08)."""
        self._topology = topology
        self._reserved_cores = topology.threads_of(topology.cores_touched(reserved))
        self._quirks = quirks

    def check(self, count: int, default: int, reusable: int) -> None:
        """Refuse a request that does not fit whole cores; raises ``Refusal``. ``default`` is the shared pool."""
        topology, averaged = self._topology, self._quirks.smt_check_by_machine_average
        threads = topology.cpus_per_core
        divides = not count % threads if averaged and threads else _sums_to(topology.cores.values(), count)
        if not divides:
            raise Refusal(
                _REASON,
                f"SMT Alignment Error: requested {count} cpus not multiple cpus per core = {threads}",
            )
        free = default & ~self._reserved_cores
        if not self._quirks.smt_check_ignores_reusable:
            free |= reusable
        if not self._quirks.full_pcpus_only_takes_partial_cores:
            free = topology.whole_cores(free)
        if count > free.bit_count() or not (averaged or self.can_give(free, count)):
            raise Refusal(
                _REASON,
                "SMT Alignment Error: not enough free physical CPUs: "
                f"available physical CPUs = {free.bit_count()}, requested CPUs = {count}, CPUs per core = {threads}",
            )

    def offered(self, available: int) -> int:
        """Return what may be taken of the available CPUs."""
        return available if self._quirks.full_pcpus_only_takes_partial_cores else self._topology.whole_cores(available)

    def can_give(self, free: int, count: int) -> bool:
        """Tell whether whole cores in ``free`` add up to ``count`` CPUs."""
        cores = self._topology.cores
        return _sums_to([cores[core] for core in iter_bits(self._topology.cores_touched(free))], count)

    def take(self, free: int, count: int) -> int:
        """Return whole cores of ``free`` with ``count`` CPUs together, for machines whose cores differ in threads.

        ``free`` holds whole cores that can add up to it. Cores with more threads go first, then the lower id.
        """
        topology = self._topology
        taken = 0
        for threads in reversed(topology.thread_counts):
            cores = topology.cores_touched(free) & topology.cores_with_threads(threads)
            for number in range(min(cores.bit_count(), count // threads), -1, -1):
                rest = free & ~topology.threads_of(cores)
                if self.can_give(rest, count - number * threads):
                    taken |= topology.threads_of(lowest(cores, number))
                    count -= number * threads
                    free = rest
                    break
        return taken


def _sums_to(cores: Iterable[int], count: int) -> bool:
    reach = 1
    for core in cores:
        reach |= reach << core.bit_count()
    return bool(reach >> count & 1)
