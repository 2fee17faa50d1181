"""``distribute-cpus-across-cores``: hardware threads come from as many different physical cores as possible.

https://v1-32.docs.kubernetes.io/docs/concepts/policy/node-resource-managers/#distribute-cpus-across-cores

The kubelet packs whole NUMA nodes and sockets as always, and then takes CPUs by id in place of whole cores.
"""

from .....cpuset import iter_bits
from ...departures import Documented
from ..accumulator import INDEX_MASK, Accumulator
from ..topology import lowest


class CoreSpread(Documented):
    """Spreads over cores."""

    def take_first(self, taking: Accumulator) -> bool:
        """Take one CPU from each core, the least used cores first, then a second one, and so on.

        Among cores alike the socket that comes first in the kubelet's order goes first, then the lower id.
        """
        topology = taking.topology
        sockets = [topology.sockets.masks[key & INDEX_MASK] for key in taking.socket_order()]
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
        return True

    def rest(self, taking: Accumulator) -> None:
        """Take what is still needed in place of whole cores: nothing is."""


def _take_one_each(taking: Accumulator, cores: int) -> None:
    topology, free = taking.topology, taking.free
    # A core's id is its lowest CPU: where that one is free it is the one to take.
    cpus = free & cores
    for core in iter_bits(cores & ~free):
        threads = topology.cores[core] & free
        cpus |= threads & -threads  # the lowest bit: in two's complement only it survives
    if taking.trace is not None:
        taking.trace.extend(f"CPU {cpu}" for cpu in iter_bits(cpus))
    taking.take(cpus, cores.bit_count())


class _ByCpuId(CoreSpread, quirk="spread_by_cpu_id"):
    """Packs, and takes free CPUs by id, socket by socket, in place of whole cores (CPU-ALLOC-24)."""

    def take_first(self, taking: Accumulator) -> bool:
        return False

    def rest(self, taking: Accumulator) -> None:
        free = taking.free
        for key in taking.socket_order():
            cpus = free & taking.topology.sockets.masks[key & INDEX_MASK]
            count = min(cpus.bit_count(), taking.need)
            cpus = lowest(cpus, count)
            if taking.trace is not None:
                taking.trace.extend(f"CPU {cpu}" for cpu in iter_bits(cpus))
            taking.take(cpus, count)
            if taking.need < 1:
                return


CHOOSES_FIRST = CoreSpread
