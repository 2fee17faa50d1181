"""Spreading over physical cores as documented: from as many different cores as there are.

This is what ``distribute-cpus-across-cores`` does with the quirk ``spread-by-cpu-id`` off; the kubelet's own way is a
mode of the packed algorithm (CPU-ALLOC-24).
"""

from __future__ import annotations

from ...cpuset import iter_bits
from .accumulator import Accumulator
from .topology import lowest

__all__ = ["take_spread"]


def take_spread(taking: Accumulator) -> int:
    """Take one CPU from each core, the least used cores first, then a second one, and so on.

    Among cores alike the socket that comes first in the kubelet's order goes first, then the lower id.
    """
    topology = taking.topology
    sockets = [topology.sockets.masks[key & 0xFFFF] for key in taking.socket_order()]
    untouched = 0
    while taking.need > 0:
        untouched = untouched or taking.free
        by_free = topology.cores_by_free(untouched)
        top = max(threads for threads, cores in enumerate(by_free) if cores and threads)
        for inside in sockets:
            cores = by_free[top] & inside
            cores = lowest(cores, min(cores.bit_count(), taking.need))
            _take_one_each(taking, cores)
            untouched &= ~topology.threads_of(cores)
    return taking.taken


def _take_one_each(taking: Accumulator, cores: int) -> None:
    """Take the lowest free CPU of each core."""
    topology, free = taking.topology, taking.free
    cpus = free & cores
    for core in iter_bits(cores & ~free):
        threads = topology.cores[core] & free
        cpus |= threads & -threads
    if taking.trace is not None:
        taking.trace.extend(f"CPU {cpu}" for cpu in iter_bits(cpus))
    taking.take(cpus, cores.bit_count())
