"""``full-pcpus-only``: exclusive CPUs are whole physical cores; a pod that cannot have them is not admitted.

https://v1-32.docs.kubernetes.io/docs/concepts/policy/node-resource-managers/#full-pcpus-only

A request is checked before anything is chosen (CPU-ADM-01, 02), and CPUs of partly used cores are not offered. What the
kubelet does otherwise stands beneath the algorithm.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from .....cpuset import iter_bits
from .....errors import Refusal
from .....sources.options import StaticOptions
from ...departures import Documented
from ..accumulator import NotEnoughCpus
from ..topology import CpuTopology, lowest

MOST_GROUPS = 8
"""NUMA nodes or caches whose sets are looked at one by one."""


class FullPcpusOnly(Documented):
    """The check at admission, and what keeps its promise afterwards."""

    def __init__(self, topology: CpuTopology, reserved: int) -> None:
        """Find the cores that a reservation touches (CPU-RSV-08)."""
        self._topology = topology
        self._reserved_cores = topology.threads_of(topology.cores_touched(reserved))

    def check(self, count: int, pool: int, reusable: int) -> None:
        """Refuse a request that does not fit whole cores; raises ``Refusal``. ``pool`` is the shared pool."""
        if not self._is_whole(count):
            raise self._not_whole(count)
        free = self._free(pool, reusable)
        if not self._suffices(free, count):
            raise self._too_few(count, free)

    def _is_whole(self, count: int) -> bool:
        return _add_up(self._topology.cores.values(), count)

    def _free(self, pool: int, reusable: int) -> int:
        """Return the CPUs that count as free: without cores that a reservation touches, with what the pod may reuse."""
        return self.offered(pool & ~self._reserved_cores | reusable)

    def _suffices(self, free: int, count: int) -> bool:
        return self.has(free, count)

    def has(self, free: int, count: int) -> bool:
        """Tell whether whole cores in ``free`` add up to ``count`` CPUs."""
        cores = self._topology.cores
        return _add_up([cores[core] for core in iter_bits(self._topology.cores_touched(free))], count)

    def has_each(self, free: int, count: int, together: Sequence[int]) -> bool:
        """Tell whether ``free`` has ``count`` CPUs in whole cores, and for each of several, one by one, so many."""
        if not self.has(free, count):
            return False
        for part in together:
            if not self.has(free, part):
                return False
            free &= ~self._take(free, part)
        return True

    def offered(self, available: int) -> int:
        """Return what may be taken of the available CPUs: whole cores (CPU-ADM-08)."""
        return self._topology.whole_cores(available)

    def offered_for(self, available: int, count: int) -> int:
        """Return what may be taken where partial cores are not refused: whole cores if these add up to ``count``."""
        offered = self.offered(available)
        return offered if self.has(offered, count) else available

    def counted(self, free: int, reusable: int) -> tuple[int, int]:
        """Return the free and the reusable CPUs that hints count: those of whole cores."""
        whole = self.offered(free | reusable)
        return whole & ~reusable, whole & reusable

    def _not_whole(self, count: int) -> Refusal:
        return _refusal(f"requested {count} cpus not multiple cpus per core = {self._topology.cpus_per_core}")

    def _too_few(self, count: int, free: int) -> Refusal:
        return _refusal(
            f"not enough free physical CPUs: available physical CPUs = {free.bit_count()}, "
            f"requested CPUs = {count}, CPUs per core = {self._topology.cpus_per_core}"
        )

    # Which cores, where cores differ in threads

    @property
    def chooses(self) -> bool:
        """Whether cores differ in threads, so that which of them add up to a request has to be found out here."""
        return not self._topology.even

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
                if self.has(part, count):
                    if not options.distribute_cpus_across_numa:
                        return self._take(part, count)
                    if even := self._evenly(part, count):
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
                if shares := self._shares(parts, count, range(least, least + spread + 1)):
                    return sum(self._take(part, share) for part, share in zip(parts, shares, strict=True))
        return 0

    def _shares(self, parts: Sequence[int], count: int, allowed: range) -> list[int] | None:
        """Return an allowed number of CPUs for each part, in whole cores and so many together."""
        by_total: dict[int, list[int]] = {0: []}
        for part in parts:
            possible = [share for share in allowed if self.has(part, share)]
            by_total = {total + share: [*shares, share] for total, shares in by_total.items() for share in possible}
        return by_total.get(count)

    def _take(self, free: int, count: int) -> int:
        """Return whole cores of ``free``, which add up to ``count``: those of more threads first, then lower ids."""
        topology = self._topology
        taken = 0
        for threads in reversed(topology.thread_counts):
            cores = topology.cores_touched(free) & topology.cores_with_threads(threads)
            for number in range(min(cores.bit_count(), count // threads), -1, -1):
                rest = free & ~topology.threads_of(cores)
                if self.has(rest, count - number * threads):
                    taken |= topology.threads_of(lowest(cores, number))
                    count -= number * threads
                    free = rest
                    break
        return taken


class _ByMachineAverage(FullPcpusOnly, quirk="smt_check_by_machine_average"):
    """Asks for a multiple of the machine-wide average of CPUs per core, and for so many free CPUs."""

    def _is_whole(self, count: int) -> bool:
        threads = self._topology.cpus_per_core
        return not count % threads if threads else super()._is_whole(count)

    def _suffices(self, free: int, count: int) -> bool:
        return count <= free.bit_count()


class _WithoutReusable(FullPcpusOnly, quirk="smt_check_ignores_reusable"):
    """Does not count as free what the pod may reuse."""

    def _free(self, pool: int, reusable: int) -> int:
        return super()._free(pool, 0)


class _WithPartialCores(FullPcpusOnly, quirk="full_pcpus_only_takes_partial_cores"):
    """Offers and counts parts of cores."""

    chooses = False

    def offered(self, available: int) -> int:
        return available

    def counted(self, free: int, reusable: int) -> tuple[int, int]:
        return free, reusable


class _WithoutFreeCores(FullPcpusOnly, before="free_cores_told_when_none_are"):
    """Says of too few cores, where none is free, that the request is no multiple."""

    def _too_few(self, count: int, free: int) -> Refusal:
        return super()._too_few(count, free) if free else self._not_whole(count)


def _few_at_first(pool: int, groups: Iterable[int]) -> Iterator[int]:
    """Yield what of a pool lies in one of some groups, the smallest first, then in two, and so on; never in all."""
    parts = sorted((pool & group for group in groups if pool & group), key=int.bit_count)
    for number in range(1, len(parts) if len(parts) <= MOST_GROUPS else 2):
        yield from map(sum, combinations(parts, number))


def _refusal(text: str) -> Refusal:
    return Refusal("SMTAlignmentError", f"SMT Alignment Error: {text}")


def _add_up(cores: Iterable[int], count: int) -> bool:
    # Bit n of `reach` says that some of the cores looked at so far have n CPUs together.
    reach = 1
    for core in cores:
        reach |= reach << core.bit_count()
    return bool(reach >> count & 1)
