"""The reference with other choices where the pages leave several open: of hints, NUMA nodes, caches and devices."""

from __future__ import annotations

from numa_conformance.reference.managers.cpu.accumulator import INDEX_BITS, INDEX_MASK
from numa_conformance.reference.managers.cpu.options.distribute_cpus_across_numa.search import NodeSearch
from numa_conformance.reference.managers.cpu.options.prefer_align_cpus_by_uncorecache import UncoreAlignment
from numa_conformance.reference.managers.device import manager as device_manager
from numa_conformance.reference.managers.memory import static_policy as memory_policy
from numa_conformance.reference.managers.topology import policy as topology_policy
from numa_conformance.reference.managers.topology.merge import narrower

from .alternative import alternative


@alternative().instead_of(topology_policy, "merge_axes")
def prefers_the_highest_numa_nodes(right, axes, everything, fitness=narrower):
    """Takes the highest NUMA nodes of hints that are as narrow."""
    return right(axes, everything, (lambda mask: (-mask,)) if fitness is narrower else fitness)


@alternative().instead_of(NodeSearch, "choice")
def gives_the_remainder_to_the_last_nodes(right, self, search, best, **crossing):
    """Takes what does not divide from the last of the NUMA nodes."""
    chosen = right(self, search, best, **crossing)
    able = [node for node in chosen.nodes if search.left[node] >= search.group]
    return chosen._replace(remainder=tuple(able[-search.groups :])) if 0 < search.groups <= len(able) else chosen


@alternative().instead_of(UncoreAlignment, "take_first")
def takes_the_emptiest_cache(right, self, taking):
    """Takes what one cache can hold from the one with most free CPUs."""
    caches = sorted(taking.uncore_order(), reverse=True) if taking.topology.cpus_per_core else ()
    return any(key >> INDEX_BITS >= taking.need and self._take_part(taking, key & INDEX_MASK) for key in caches)


@alternative().instead_of(memory_policy, "charge")
def takes_memory_of_the_last_node_first(right, nodes, mask, resource, amount):
    right(nodes, mask[::-1], resource, amount)
    for node in mask:
        nodes[node].group = tuple(mask)


@alternative().instead_of(device_manager, "choose")
def does_not_ask_for_preferred_devices(right, devices, free, reusable, count, mask, preference, quirks):
    """Takes a plugin's preference for the advice that it is."""
    return right(devices, free, reusable, count, mask, None, quirks)
