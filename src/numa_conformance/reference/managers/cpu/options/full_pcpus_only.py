"""``full-pcpus-only``: exclusive CPUs are whole physical cores; a pod that cannot have them is not admitted.

https://v1-32.docs.kubernetes.io/docs/concepts/policy/node-resource-managers/#full-pcpus-only

A request is checked before anything is chosen (CPU-ADM-01, 02), and CPUs of partly used cores are not offered. The
kubelet reckons with the machine-wide average of threads per core, forgets reusable CPUs and offers parts of cores: the
quirks ``smt-check-by-machine-average``, ``smt-check-ignores-reusable``, ``full-pcpus-only-takes-partial-cores``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from .....cpuset import iter_bits
from .....errors import Refusal
from .....sources.changes import UNCHANGED, Changes
from .....sources.options import StaticOptions
from .....sources.quirks.cpu import CpuQuirks
from ..accumulator import NotEnoughCpus
from ..topology import CpuTopology, lowest

MOST_GROUPS = 8
"""NUMA nodes or caches whose sets are looked at one by one."""


class FullPcpusOnly:
    """The check at admission, and what keeps its promise afterwards."""

    def __init__(self, topology: CpuTopology, reserved: int, quirks: CpuQuirks, changes: Changes = UNCHANGED) -> None:
        """Find the cores that a reservation touches (CPU-RSV-08)."""
        self._changes = changes
        self._topology = topology
        self._reserved_cores = topology.threads_of(topology.cores_touched(reserved))
        self._quirks = quirks

    def check(self, count: int, pool: int, reusable: int) -> None:
        """Refuse a request that does not fit whole cores; raises ``Refusal``. ``pool`` is the shared pool."""
        threads = self._topology.cpus_per_core
        if not self._is_whole(count):
            raise _smt_alignment_error(f"requested {count} cpus not multiple cpus per core = {threads}")
        free = self._free(pool, reusable)
        if not free and not self._changes.free_cores_told_when_none_are:
            raise _smt_alignment_error(f"requested {count} cpus not multiple cpus per core = {threads}")
        if count > free.bit_count() or not self._adds_up(free, count):
            raise _smt_alignment_error(
                "not enough free physical CPUs: "
                f"available physical CPUs = {free.bit_count()}, requested CPUs = {count}, CPUs per core = {threads}"
            )

    def offered(self, available: int) -> int:
        """Return what may be taken of the available CPUs (CPU-ADM-08)."""
        if self._quirks.full_pcpus_only_takes_partial_cores:
            return available
        return self._topology.whole_cores(available)

    def offered_for(self, available: int, count: int) -> int:
        """Return what may be taken where partial cores are not refused: whole cores if these add up to ``count``."""
        offered = self.offered(available)
        return offered if self._sums_up(offered, count) else available

    @property
    def chooses(self) -> bool:
        """Whether cores differ in threads, so that which of them add up to a request has to be found out here."""
        return not self._topology.even and not self._quirks.full_pcpus_only_takes_partial_cores

    def choose(self, pools: Iterable[int], count: int, options: StaticOptions) -> int:
        """Return whole cores with ``count`` CPUs from the first pool that has such; raises ``NotEnoughCpus``.

        They come from few uncore caches or one socket where an option promises that, else from few NUMA nodes; from
        several NUMA nodes by even shares where these are to be distributed.
        """
        if count < 1:
            return 0
        pool = 0
        for pool in pools:
            uneven = 0
            for part in self._narrowest_first(pool, options):
                if self._sums_up(part, count):
                    if not options.distribute_cpus_across_numa:
                        return self._take(part, count)
                    even = self._evenly(part, count)
                    if even:
                        return even
                    uneven = uneven or self._take(part, count)
            if uneven:
                return uneven
        raise NotEnoughCpus(
            f"not enough cpus available to satisfy request: requested={count}, available={pool.bit_count()}"
        )

    def _narrowest_first(self, pool: int, options: StaticOptions) -> Iterator[int]:
        """Yield what of a pool lies in one uncore cache, socket or set of NUMA nodes, and all of it."""
        topology = self._topology
        if options.prefer_align_cpus_by_uncorecache:
            yield from map(self.offered, _few_at_first(pool, topology.uncores.masks))
        if options.align_by_socket:
            yield from (self.offered(pool & socket) for socket in topology.sockets.masks)
        yield from _few_at_first(pool, topology.nodes.masks)
        yield pool

    def _evenly(self, pool: int, count: int) -> int:
        """Return whole cores with even shares of the NUMA nodes, as far as cores allow that; none if they do not."""
        parts = [pool & node for node in self._topology.nodes.masks if pool & node]
        even = count // len(parts)
        for spread in range(self._topology.thread_counts[-1] + 1):
            for least in range(even, max(even - spread, 1) - 1, -1):
                shares = self._shares(parts, count, range(least, least + spread + 1))
                if shares:
                    return sum(self._take(part, share) for part, share in zip(parts, shares, strict=True))
        return 0

    def _shares(self, parts: Sequence[int], count: int, allowed: range) -> list[int] | None:
        """Return an allowed number of CPUs for each part, in whole cores and so many together."""
        found: dict[int, list[int]] = {0: []}
        for part in parts:
            possible = [share for share in allowed if self._sums_up(part, share)]
            found = {total + share: [*shares, share] for total, shares in found.items() for share in possible}
        return found.get(count)

    def _take(self, free: int, count: int) -> int:
        """Return whole cores of ``free``, which add up to ``count``: those of more threads first, then lower ids."""
        topology = self._topology
        taken = 0
        for threads in reversed(topology.thread_counts):
            cores = topology.cores_touched(free) & topology.cores_with_threads(threads)
            for number in range(min(cores.bit_count(), count // threads), -1, -1):
                rest = free & ~topology.threads_of(cores)
                if self._sums_up(rest, count - number * threads):
                    taken |= topology.threads_of(lowest(cores, number))
                    count -= number * threads
                    free = rest
                    break
        return taken

    def _sums_up(self, free: int, count: int) -> bool:
        """Tell whether whole cores in ``free`` add up to ``count`` CPUs."""
        cores = self._topology.cores
        return _sums_to([cores[core] for core in iter_bits(self._topology.cores_touched(free))], count)

    def _is_whole(self, count: int) -> bool:
        """Tell whether some cores of the machine add up to ``count``; to the kubelet multiples of the average do."""
        threads = self._topology.cpus_per_core
        if self._quirks.smt_check_by_machine_average and threads:
            return not count % threads
        return _sums_to(self._topology.cores.values(), count)

    def _adds_up(self, free: int, count: int) -> bool:
        return self._quirks.smt_check_by_machine_average or self._sums_up(free, count)

    def _free(self, pool: int, reusable: int) -> int:
        """Return the CPUs that count as free: without cores that a reservation touches, with what the pod may reuse."""
        free = pool & ~self._reserved_cores
        if not self._quirks.smt_check_ignores_reusable:
            free |= reusable
        return self.offered(free)


def _few_at_first(pool: int, groups: Iterable[int]) -> Iterator[int]:
    """Yield what of a pool lies in one of some groups, the smallest first, then in two, and so on; never in all."""
    parts = sorted((pool & group for group in groups if pool & group), key=int.bit_count)
    for number in range(1, len(parts) if len(parts) <= MOST_GROUPS else 2):
        yield from map(sum, combinations(parts, number))


def _smt_alignment_error(text: str) -> Refusal:
    return Refusal("SMTAlignmentError", f"SMT Alignment Error: {text}")


def _sums_to(cores: Iterable[int], count: int) -> bool:
    # Bit n of `reach` says that some of the cores looked at so far have n CPUs together.
    reach = 1
    for core in cores:
        reach |= reach << core.bit_count()
    return bool(reach >> count & 1)
