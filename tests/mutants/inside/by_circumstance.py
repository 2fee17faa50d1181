"""Faults that depend on a circumstance: a third container, a neighbour, one CPU too few, a pod that went before."""

from __future__ import annotations

from numa_conformance.cpuset import iter_bits
from numa_conformance.managers.cpu import static_policy
from numa_conformance.managers.cpu.options.distribute_cpus_across_numa.shares import Distribution
from numa_conformance.managers.memory import static_policy as memory_policy
from numa_conformance.node import admission

from .patched import instead_of

__all__ = ()


@instead_of(static_policy.StaticPolicy, "_choose")
def takes_a_reserved_cpu_where_one_is_missing(right, self, count, mask, reusable, trace):
    """Fills up with a reserved CPU where a request is one larger than what is free."""
    free, reserved = self.state.default & ~self.reserved | reusable, self.state.default & self.reserved
    if self.options.full_pcpus_only or not reserved & (reserved - 1) or free.bit_count() + 1 != count:
        return right(self, count, mask, reusable, trace)
    return free | reserved & -reserved


@instead_of(static_policy.StaticPolicy, "_note_reuse")
def lets_cpus_of_earlier_sidecars_serve_again(right, self, pod, container, cpus):
    """Lets an app have the CPUs of a sidecar that started before an ordinary init container."""
    right(self, pod, container, cpus)
    if pod.is_ordinary_init(container):
        for earlier in pod.init_containers:
            if earlier.name == container.name:
                break
            self.reusable[pod.uid] |= self.state.exclusive_cpus_of(pod.uid, earlier.name)


@instead_of(static_policy.StaticPolicy, "remove_stale")
def keeps_cpus_of_the_second_of_three(right, self, active, uids=None):
    """Loses the CPUs of the second container of a pod with three that goes."""
    held, pool = {uid: list(own.values()) for uid, own in self.state.assignments.items()}, self.state.default
    done = right(self, active, uids)
    for uid, cpus in held.items():
        if uid not in self.state.assignments and len(cpus) > 2:
            self.state.default &= ~cpus[1] | pool
    return done


@instead_of(Distribution, "take")
def packs_what_needs_three_nodes(right, self, taking, pack):
    """Distributes over two NUMA nodes, and packs what needs more."""
    free = sorted((taking.free & node).bit_count() for node in taking.topology.nodes.masks)
    if len(free) > 2 and sum(free[-2:]) < taking.need:
        return pack(taking.free, taking.need)
    return right(self, taking, pack)


@instead_of(admission.Admitter, "_align")
def gives_like_containers_one_hint(right, self, pod, container, answers):
    """Gives a container that asks for the same as one before it the hint of that one."""
    for earlier in pod.containers if container in pod.containers else ():
        if earlier is container:
            break
        if container.requests and earlier.requests == container.requests:
            return self.stored[pod.uid][earlier.name]
    return right(self, pod, container, answers)


@instead_of(memory_policy.StaticMemoryManager, "_default")
def widens_memory_beside_two_pods(right, self, pod, amounts, *, preferred):
    """Without a hint takes two unused NUMA nodes where one would do, once two pods have memory."""
    if len(self.blocks.given) > 1:
        for hint in self._masks(pod, amounts):
            if hint.mask.bit_count() == 2 and not any(self.nodes[node].assignments for node in iter_bits(hint.mask)):
                return hint.mask, preferred
    return right(self, pod, amounts, preferred=preferred)
