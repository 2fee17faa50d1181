"""``prefer-align-cpus-by-uncorecache``: a container is kept within as few uncore caches as possible, by best effort.

https://v1-32.docs.kubernetes.io/docs/concepts/policy/node-resource-managers/#prefer-align-cpus-by-uncorecache

What one cache can hold comes from one: ``take_first``. Else ``take`` is a step of packing after whole NUMA nodes and
sockets: whole caches first, then the rest from one cache that can hold it (CPU-UNC). The kubelet has that step alone,
and takes the rest in fewer cases.
"""

from .....cpuset import iter_bits
from ...departures import Documented
from ..accumulator import INDEX_BITS, INDEX_MASK, Accumulator
from ..topology import CpuTopology, fewest, lowest, number_touched


class UncoreAlignment(Documented):
    """Keeps a container within few uncore caches."""

    def take_first(self, taking: Accumulator) -> bool:
        """Take all that is needed from one cache if one has so much free; tell whether one had."""
        return any(
            key >> INDEX_BITS >= taking.need and self._take_part(taking, key & INDEX_MASK)
            for key in (taking.uncore_order() if taking.topology.cpus_per_core else ())
        )

    def take(self, taking: Accumulator) -> None:
        """Take whole caches, then what is left from one cache, as far as that is possible (CPU-UNC-07)."""
        topology = taking.topology
        if not topology.cpus_per_core:
            return
        tried_full = False
        for key in taking.uncore_order():
            if not tried_full and taking.need >= topology.cpus_per_uncore:
                # Once is enough: nothing becomes free and the need only shrinks.
                tried_full = True
                taking.take_full(topology.uncores, taking.uncore_order())
                if taking.need < 1:
                    return
            index = key & INDEX_MASK
            if key >> INDEX_BITS < taking.need and topology.uncores_hold_cores:
                continue
            if self._take_part(taking, index):
                return

    def narrowed(self, topology: CpuTopology, free: int, count: int) -> int:
        """Return what is free in as few caches as can give so many: those of one NUMA node if these are as few."""
        caches = [cache & free for cache in topology.uncores.masks]
        few = fewest(caches, count)
        if few.bit_count() < count:
            return free
        number = number_touched(caches, few)
        for node in topology.nodes.masks:
            here = fewest([cache & node for cache in caches], count)
            if here.bit_count() >= count and number_touched(caches, here) <= number:
                return here
        return few

    def _take_part(self, taking: Accumulator, index: int) -> bool:
        """Take all that is needed from one cache if ``_part`` finds it there."""
        topology = taking.topology
        cpus = self._part(taking, taking.free & topology.uncores.masks[index])
        if not cpus:
            return False
        if taking.trace is not None:
            taking.trace.append(f"part of uncore cache {topology.uncores.ids[index]}")
            taking.trace.extend(f"core {core}" for core in iter_bits(topology.cores_touched(cpus)))
        taking.take(cpus, taking.need)
        return True

    def _part(self, taking: Accumulator, inside: int) -> int:
        """Return whole cores of one cache by ascending id, then CPUs of its most used cores; none if it lacks some."""
        if inside.bit_count() < taking.need:
            return 0
        topology, need = taking.topology, taking.need
        by_free = topology.cores_by_free(inside)
        chosen = 0
        for threads in range(len(by_free) - 1, 1, -1):
            cores = by_free[threads] & topology.cores_with_threads(threads)
            count = min(cores.bit_count(), need // threads)
            chosen |= topology.threads_of(lowest(cores, count))
            need -= count * threads
        rest = inside & ~chosen
        by_free = topology.cores_by_free(rest)
        for threads in range(1, len(by_free)):
            cpus = topology.threads_of(by_free[threads]) & rest
            count = min(cpus.bit_count(), need)
            chosen |= lowest(cpus, count)
            need -= count
        return chosen


class _AfterLargerGroups(UncoreAlignment, quirk="uncore_after_larger_groups"):
    """Looks for one cache only when NUMA nodes, sockets and whole caches are taken."""

    def take_first(self, taking: Accumulator) -> bool:
        return False

    def narrowed(self, topology: CpuTopology, free: int, count: int) -> int:
        return free


class _PassesHalfUsedCores(UncoreAlignment, quirk="uncore_half_used_core_unaligned"):
    """Passes a cache over whose lowest cores are partly used (CPU-UNC-04)."""

    rounds_up = True

    def _part(self, taking: Accumulator, inside: int) -> int:
        return _of_lowest_cores(taking, inside, rounds_up=self.rounds_up)


class _PassesOddRequests(UncoreAlignment, quirk="uncore_odd_size_unaligned"):
    """Places no request on purpose that is no multiple of the threads of a core (CPU-UNC-03)."""

    rounds_up = False

    def _part(self, taking: Accumulator, inside: int) -> int:
        if taking.need % taking.topology.cpus_per_core:
            return _of_lowest_cores(taking, inside, rounds_up=False)
        return super()._part(taking, inside)


def _of_lowest_cores(taking: Accumulator, inside: int, *, rounds_up: bool) -> int:
    """Return what the lowest cores of a cache have free, if that is what is needed.

    With ``rounds_up`` a need that is no multiple of the threads of a core takes one core more, and an odd need leaves
    the last of these CPUs. The threads of a core are the machine-wide average: a core may have more CPUs than that.
    """
    topology, need = taking.topology, taking.need
    wanted, rest = divmod(need, topology.cpus_per_core)
    if rest and rounds_up:
        wanted += 1
    cores = topology.cores_touched(inside)
    if cores.bit_count() > wanted:
        cores = lowest(cores, wanted)
    cpus = topology.threads_of(cores) & taking.free
    count = cpus.bit_count()
    if rounds_up and need % 2 and topology.cpus_per_core > 1 and count == need + 1:
        return lowest(cpus, need)
    return cpus if count == need else 0


CHOOSES_FIRST = UncoreAlignment
