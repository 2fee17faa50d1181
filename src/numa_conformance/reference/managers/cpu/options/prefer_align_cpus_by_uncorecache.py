"""``prefer-align-cpus-by-uncorecache``: a container is kept within as few uncore caches as possible, by best effort.

https://v1-32.docs.kubernetes.io/docs/concepts/policy/node-resource-managers/#prefer-align-cpus-by-uncorecache

What one cache can hold comes from one: ``take_first``. Else a step of the packed algorithm after whole NUMA nodes
and sockets: whole caches first, then the rest from one cache that can hold it (CPU-UNC). The kubelet has that step
alone, quirk ``uncore-after-larger-groups``, and takes the rest in fewer cases: ``as_the_kubelet_does``, quirks
``uncore-odd-size-unaligned`` and ``uncore-half-used-core-unaligned``.
"""

from __future__ import annotations

from collections.abc import Callable

from .....cpuset import iter_bits
from ..accumulator import INDEX_BITS, INDEX_MASK, Accumulator
from ..topology import lowest


def take_first(taking: Accumulator) -> bool:
    """Take all that is needed from one cache if one has so much free; tell whether one had."""
    if taking.quirks.uncore_after_larger_groups or not taking.topology.cpus_per_core:
        return False
    part = _way(taking)
    return any(
        key >> INDEX_BITS >= taking.need and _take_part(taking, key & INDEX_MASK, part) for key in taking.uncore_order()
    )


def take(taking: Accumulator) -> None:
    """Take whole caches, then what is left from one cache, as far as that is possible (CPU-UNC-07)."""
    topology = taking.topology
    if not topology.cpus_per_core:
        return
    part = _way(taking)
    tried_full = False
    for key in taking.uncore_order():
        if not tried_full and taking.need >= topology.cpus_per_uncore:
            # Once is enough: nothing becomes free and the need only shrinks.
            tried_full = True
            taking.take_full(topology.uncores, taking.uncore_order())
            if taking.need < 1:
                return
            part = _way(taking)
        index = key & INDEX_MASK
        if key >> INDEX_BITS < taking.need and topology.uncores_hold_cores:
            continue
        if _take_part(taking, index, part):
            return


def _take_part(taking: Accumulator, index: int, part: Callable[[Accumulator, int], int]) -> bool:
    """Take all that is needed from one cache if ``part`` finds it there."""
    topology = taking.topology
    cpus = part(taking, taking.free & topology.uncores.masks[index])
    if not cpus:
        return False
    if taking.trace is not None:
        taking.trace.append(f"part of uncore cache {topology.uncores.ids[index]}")
        taking.trace.extend(f"core {core}" for core in iter_bits(topology.cores_touched(cpus)))
    taking.take(cpus, taking.need)
    return True


def _way(taking: Accumulator) -> Callable[[Accumulator, int], int]:
    """Return how to choose CPUs of one cache for the whole need: given its free CPUs, some of them or none."""
    quirks = taking.quirks
    odd = bool(taking.need % taking.topology.cpus_per_core)
    if quirks.uncore_half_used_core_unaligned or (odd and quirks.uncore_odd_size_unaligned):
        return as_the_kubelet_does
    return _whole_cores_then_threads


def _whole_cores_then_threads(taking: Accumulator, inside: int) -> int:
    """Return whole cores of one cache by ascending id, then CPUs of its most used cores."""
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


def as_the_kubelet_does(taking: Accumulator, inside: int) -> int:
    """Return what the lowest cores of a cache have free, if that is what is needed (CPU-UNC-03, CPU-UNC-04).

    A partly used core among them spoils the cache. Where the quirk ``uncore-odd-size-unaligned`` is mended, a need that
    is no multiple of the threads of a core takes one core more. An odd need leaves the last of these CPUs. How many
    threads a core has is the machine-wide average, so a core may have more CPUs than that.
    """
    topology, need = taking.topology, taking.need
    mended = not taking.quirks.uncore_odd_size_unaligned
    wanted, rest = divmod(need, topology.cpus_per_core)
    if rest and mended:
        wanted += 1
    cores = topology.cores_touched(inside)
    if cores.bit_count() > wanted:
        cores = lowest(cores, wanted)
    cpus = topology.threads_of(cores) & taking.free
    count = cpus.bit_count()
    if mended and need % 2 and topology.cpus_per_core > 1 and count == need + 1:
        return lowest(cpus, need)
    return cpus if count == need else 0
