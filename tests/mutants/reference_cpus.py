"""Faults of the reference that concern CPUs: which, whose, when, and what hints say of them."""

from __future__ import annotations

from unittest.mock import patch

from msgspec.structs import replace

from numa_conformance.reference.managers import eligibility
from numa_conformance.reference.managers.cpu import CpuAllocator, cpu_state, hint_request, packed, static_policy
from numa_conformance.reference.managers.cpu import manager as cpu_manager
from numa_conformance.reference.managers.cpu.options import align_by_socket
from numa_conformance.reference.managers.cpu.options import distribute_cpus_across_cores as spread
from numa_conformance.reference.managers.cpu.options import prefer_align_cpus_by_uncorecache as uncore
from numa_conformance.reference.managers.cpu.options.distribute_cpus_across_numa.shares import Distribution

from .mutant import mutant

# CPUs: which


@mutant().instead_of(packed.Packing, "_take_single")
def takes_single_cpus_of_the_first_node(right, taking):
    """Looks for single CPUs by id."""
    cpus = packed.lowest(taking.free, taking.need)
    taking.take(cpus, taking.need)


@mutant().instead_of(align_by_socket.SocketAlignment, "preference")
def reckons_with_two_sockets(right, self, topology, smallest):
    """Takes half of the NUMA nodes for those of a socket, whatever the machine has."""
    return topology.subsets.by_socket(0, -(-smallest // max(topology.num_nodes // 2, 1)))


@mutant().instead_of(CpuAllocator, "allocate")
def takes_the_last_cpu_from_another_node(right, self, available, count, trace=None):
    """Opens a second NUMA node for one CPU."""
    cpus = right(self, available, count, trace)
    if not self._few_nodes or self._across_numa or count < 2:
        return cpus
    used = sum(node for node in self.topology.nodes.masks if node & cpus)
    others = available & self.topology.all & ~used
    return cpus & (cpus - 1) | packed.lowest(others, 1) if others else cpus


@mutant().instead_of(Distribution, "_take_remainder")
def gives_the_remainder_to_one_node(right, self, taking, choice, count, pack):
    """Takes what is left over from the first NUMA node alone."""
    node = choice.nodes[0]
    inside = taking.free & taking.topology.nodes.masks[node]
    more = min(taking.need, inside.bit_count())
    if more:
        self._take_from(taking, node, more, pack)
    right(self, taking, choice, choice.share * len(choice.nodes) + taking.need, pack)


@mutant().instead_of(spread, "_take_one_each")
def spreads_two_threads_at_once(right, taking, cores):
    """Takes two threads of each core."""
    wanted = taking.need
    cpus = packed.lowest(taking.topology.threads_of(cores) & taking.free, min(2 * cores.bit_count(), wanted))
    taking.take(cpus, cpus.bit_count())


@mutant(strength="SHOULD").instead_of(uncore.UncoreAlignment, "take_first")
def fills_no_single_cache(right, self, taking):
    """Does not look for one uncore cache that holds all."""
    return False


@mutant(strength="SHOULD").instead_of(uncore.UncoreAlignment, "_take_part")
def takes_no_part_of_a_cache(right, self, taking, index):
    """Takes whole caches or none."""
    return False


@mutant().instead_of(static_policy.FullPcpusOnly, "offered")
def offers_half_cores(right, self, available):
    """Leaves half used cores on offer under full-pcpus-only."""
    return available


@mutant().instead_of(static_policy.FullPcpusOnly, "check")
def checks_no_cores(right, self, count, default, reusable):
    """Admits what is no multiple of a core."""


@mutant().instead_of(static_policy.StaticPolicy, "_near")
def forgets_the_hint(right, self, available, mask):
    """Takes CPUs from anywhere."""
    return []


# CPUs: how many, whose


@mutant().instead_of(static_policy, "exclusive_cpus")
def gives_burstable_pods_cpus(right, pod, container):
    """Asks for no class."""
    return container.whole_cpus


@mutant().instead_of(static_policy, "pod_exclusive_cpus")
def adds_init_containers_up(right, pod):
    """Counts init containers and apps together."""
    return sum(eligibility.exclusive_cpus(pod, container) for container in pod.all_containers)


@mutant().instead_of(static_policy, "pod_exclusive_cpus")
def counts_apps_alone(right, pod):
    """Leaves init containers out of what a pod needs."""
    return sum(eligibility.exclusive_cpus(pod, container) for container in pod.containers)


@mutant().instead_of(static_policy.StaticPolicy, "_note_reuse")
def lets_all_cpus_be_reused(right, self, pod, container, cpus):
    """Lets an app have CPUs of an app before it."""
    self.reusable = {pod.uid: self.reusable.get(pod.uid, 0) | cpus}


@mutant().instead_of(static_policy.StaticPolicy, "_note_reuse")
def lets_other_pods_reuse(right, self, pod, container, cpus):
    """Keeps what init containers leave, and lets any pod have it."""
    right(self, pod, container, cpus)
    left = self.reusable[pod.uid]
    self.reusable = dict.fromkeys((pod.uid, *(f"p{number}" for number in range(40))), left)


@mutant().instead_of(static_policy.StaticPolicy, "_note_reuse")
def lets_no_cpus_be_reused(right, self, pod, container, cpus):
    """Never lets CPUs of init containers serve again."""


@mutant().instead_of(cpu_state.CpuState, "release")
def releases_one_cpu_too_few(right, self, uid, container):
    """Keeps one CPU of every second container."""
    freed = right(self, uid, container)
    if len(self.assignments) % 2:
        self.default &= ~(freed & -freed)
    return freed


@mutant().instead_of(cpu_state.CpuState, "cpus_of")
def shared_containers_get_an_exclusive_cpu(right, self, uid, container):
    """Sends shared containers the lowest CPU that is exclusive to another, besides the pool."""
    cpus, taken = right(self, uid, container), 0
    for own in self.assignments.values():
        for exclusive in own.values():
            taken |= exclusive
    return cpus if self.exclusive_cpus_of(uid, container) else cpus | taken & -taken


@mutant().instead_of(cpu_manager, "reserved_count")
def reserves_rounded_down(right, config, quirks):
    """Rounds a reservation down."""
    return max(1, right(config, quirks) - 1)


@mutant().instead_of(cpu_manager, "_ascending_cores")
def reserves_the_last_cores(right, topology, count):
    """Reserves in descending order."""
    reserved = 0
    for cpus in reversed(list(topology.cores.values())):
        reserved |= packed.lowest(cpus, min(count - reserved.bit_count(), cpus.bit_count()))
    return reserved


# Hints and their merge


@mutant().instead_of(hint_request.HintRequest, "smallest")
def widths_by_free_cpus(right, self):
    """Counts free CPUs for how many NUMA nodes a request needs."""
    total = 0
    for number, free in enumerate(sorted(self.available, reverse=True), 1):
        total += free
        if total >= self.needed:
            return number
    return len(self.available)


@mutant().instead_of(hint_request.HintRequest, "smallest")
def prefers_single_nodes_alone(right, self):
    """Prefers no set of several NUMA nodes."""
    return 1


@mutant().instead_of(hint_request.HintRequest, "hints")
def hints_for_one_cpu_less(right, self, **how):
    """Offers NUMA nodes that lack one CPU."""
    less = replace(self, needed=max(1, self.needed - 1)) if self.needed > 1 else self
    return right(less, **how)


@mutant().instead_of(hint_request.HintRequest, "hints")
def hints_of_few_nodes(right, self, **how):
    """Offers no set of more than two NUMA nodes."""
    return [hint for hint in right(self, **how) if hint.mask.bit_count() <= 2]


@mutant().instead_of(static_policy.StaticPolicy, "hint_request")
def hints_count_reserved_cpus(right, self, pod, container):
    """Counts reserved CPUs as free when it offers hints."""
    with patch.object(self, "reserved", 0):
        return right(self, pod, container)


@mutant().instead_of(static_policy.StaticPolicy, "hint_request")
def hints_count_all_cpus(right, self, pod, container):
    """Offers hints by what the machine has."""
    with patch.object(self.state, "default", self.topology.all):
        return right(self, pod, container)
