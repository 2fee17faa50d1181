"""The packed algorithm: whole NUMA nodes and sockets, caches, whole cores, then single CPUs (CPU-ALLOC-14..19)."""

from __future__ import annotations

from collections.abc import Callable

from ....cpuset import iter_bits
from .accumulator import INDEX_MASK, Accumulator, NotEnoughCpus
from .topology import lowest

Step = Callable[[Accumulator], None]
"""Takes some of the CPUs that are needed."""


def take_packed(taking: Accumulator, *, caches: Step | None = None, rest: Step | None = None) -> int:
    """Gather what ``taking`` needs and return it; raise ``NotEnoughCpus`` when it cannot be had.

    ``caches`` is a step between whole sockets and whole cores. ``rest`` replaces the steps from whole cores on.
    """
    topology = taking.topology
    if taking.need >= topology.outer.smallest:
        taking.take_full(topology.outer, taking.outer_order())
        if taking.need < 1:
            return taking.taken
    if taking.need >= topology.inner.smallest:
        taking.take_full(topology.inner, taking.inner_order())
        if taking.need < 1:
            return taking.taken
    if caches is not None:
        caches(taking)
        if taking.need < 1:
            return taking.taken
    if rest is not None:
        rest(taking)
    else:
        _take_cores(taking)
        if taking.need > 0:
            _take_single(taking)
    if taking.need > 0:
        raise NotEnoughCpus("failed to allocate cpus")
    return taking.taken


def _take_cores(taking: Accumulator) -> None:
    """Take fully free cores (CPU-ALLOC-17)."""
    topology = taking.topology
    if not topology.even:
        _take_uneven_cores(taking)
        return
    threads = topology.cpus_per_core
    if taking.need < threads:
        return
    full = topology.cores_by_free(taking.free)[threads]
    masks = topology.inner.masks
    for key in taking.inner_order():
        cores = full & masks[key & INDEX_MASK]
        wanted = taking.need // threads
        whole = cores.bit_count()
        if whole > wanted:
            cores, whole = lowest(cores, wanted), wanted
        if whole:
            _take_whole(taking, cores, whole * threads)
            if taking.need < threads:
                return


def _take_uneven_cores(taking: Accumulator) -> None:
    """Take fully free cores where cores differ in their number of threads.

    Fully free means as many free CPUs as the machine-wide average (CPU-ALLOC-25), or all of its own without that quirk.
    """
    topology = taking.topology
    by_free = topology.cores_by_free(taking.free)
    average = topology.cpus_per_core
    if taking.quirks.full_by_machine_average:
        full = [by_free[average]] if average < len(by_free) else []
    else:
        # Those with most threads first: so the CPUs come from few cores.
        full = [by_free[size] & topology.cores_with_threads(size) for size in reversed(topology.thread_counts)]
    for key in taking.inner_order():
        inside, larger = topology.inner.masks[key & INDEX_MASK], 0
        for core in (core for cores in full for core in iter_bits(cores & inside)):
            size = topology.cores[core].bit_count()
            if size > taking.need:
                larger = core + 1
            elif larger and size < taking.need and not taking.quirks.full_by_machine_average:
                # A part of a larger core is one core, this one and more are several.
                _take_threads(taking, 1 << larger - 1, topology.cores[larger - 1].bit_count(), taking.free)
            else:
                _take_whole(taking, 1 << core, size)
            if taking.need < 1:
                return


def _take_whole(taking: Accumulator, cores: int, count: int) -> None:
    if taking.trace is not None:
        taking.trace.extend(f"core {core}" for core in iter_bits(cores))
    taking.take(taking.topology.threads_of(cores), count)


def _take_single(taking: Accumulator) -> None:
    """Take CPUs one by one, from the cores with fewest free threads (CPU-ALLOC-18)."""
    topology, free = taking.topology, taking.free
    by_free = topology.cores_by_free(free)
    for key in taking.inner_order():
        inside = topology.inner.masks[key & INDEX_MASK]
        for threads in range(1, len(by_free)):
            cores = by_free[threads] & inside
            if cores:
                _take_threads(taking, cores, threads, free)
                if taking.need < 1:
                    return


def _take_threads(taking: Accumulator, cores: int, threads: int, free: int) -> None:
    """Take free CPUs of ``cores`` in order of core, then id; each core has ``threads`` of them."""
    topology = taking.topology
    wanted, rest = divmod(taking.need, threads)
    available = cores.bit_count()
    if available <= wanted:
        cpus, count = topology.threads_of(cores) & free, available * threads
    else:
        entire = lowest(cores, wanted)
        cpus, count = topology.threads_of(entire) & free, taking.need
        if rest:
            following = cores ^ entire
            cpus |= lowest(topology.cores[(following & -following).bit_length() - 1] & free, rest)
    if taking.trace is not None:
        taking.trace.extend(f"CPU {cpu} of {_described(threads, taking, cpu)}" for cpu in iter_bits(cpus))
    taking.take(cpus, count)


def _described(threads: int, taking: Accumulator, cpu: int) -> str:
    core = next(core for core, mask in taking.topology.cores.items() if mask >> cpu & 1)
    used = threads < taking.topology.cores[core].bit_count()
    return f"partly used core {core}" if used else f"core {core}"
