"""The uncore step: keep a container in as few last-level caches as possible (CPU-UNC)."""

from __future__ import annotations

from ...cpuset import iter_bits
from .accumulator import Accumulator
from .topology import lowest

__all__ = ["UncoreStep"]

_INDEX_MASK = 0xFFFF


class UncoreStep:
    """Takes whole uncore caches, then tries to place the rest into one."""

    def __call__(self, taking: Accumulator) -> None:
        """Take what fits; best effort (CPU-UNC-07)."""
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
            index = key & _INDEX_MASK
            if key >> 16 < taking.need and topology.uncores_hold_cores:
                continue
            if self._take_part(taking, index):
                return

    def take_from_one(self, taking: Accumulator) -> bool:
        """Take all from one cache if one has so much; tells whether one had."""
        if not taking.topology.cpus_per_core:
            return False
        for key in taking.uncore_order():
            if key >> 16 >= taking.need and self._take_part(taking, key & _INDEX_MASK):
                return True
        return False

    def _take_part(self, taking: Accumulator, index: int) -> bool:
        topology = taking.topology
        cpus = self._part(taking, taking.free & topology.uncores.masks[index])
        if cpus and taking.trace is not None:
            taking.trace.append(f"part of uncore cache {topology.uncores.ids[index]}")
            taking.trace.extend(f"core {core}" for core in iter_bits(topology.cores_touched(cpus)))
        if cpus:
            taking.take(cpus, taking.need)
        return bool(cpus)

    def _part(self, taking: Accumulator, inside: int) -> int:
        """Return CPUs of one cache that meet the whole need, or nothing.

        ``inside`` are the free CPUs of the cache.
        """
        topology, need, quirks = taking.topology, taking.need, taking.quirks
        odd = bool(need % topology.cpus_per_core)
        if not quirks.uncore_half_used_core_unaligned and not (odd and quirks.uncore_odd_size_unaligned):
            return self._packed_part(taking, inside)
        cores = topology.cores_touched(inside)
        wanted = need // topology.cpus_per_core
        if odd and not quirks.uncore_odd_size_unaligned:
            wanted += 1
        if cores.bit_count() > wanted:
            cores = lowest(cores, wanted)
        cpus = topology.threads_of(cores) & taking.free
        count = cpus.bit_count()
        if odd and not quirks.uncore_odd_size_unaligned and count == need + 1:
            return lowest(cpus, need)
        return cpus if count == need else 0

    def _packed_part(self, taking: Accumulator, inside: int) -> int:
        """Return whole cores of one cache by ascending id, then CPUs of its most used cores; the documented intent."""
        if inside.bit_count() < taking.need:
            return 0
        topology, need = taking.topology, taking.need
        by_free = topology.cores_by_free(inside)
        chosen = 0
        for threads in (*range(len(by_free) - 1, 1, -1),):
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
