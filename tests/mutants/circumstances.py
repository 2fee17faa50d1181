"""Faults that depend on a circumstance: a third container, a neighbour, one CPU too few, a pod that went before."""

from __future__ import annotations

from dataclasses import replace

from numa_conformance.cpuset import CpuSet, iter_bits
from numa_conformance.errors import Refusal
from numa_conformance.kube.quantity import Quantity
from numa_conformance.reference.managers.compressed_hints import CompressedHints
from numa_conformance.reference.managers.cpu import static_policy
from numa_conformance.reference.managers.cpu.options.distribute_cpus_across_numa.shares import Distribution
from numa_conformance.reference.managers.cpu.topology import lowest
from numa_conformance.reference.managers.device import device_state
from numa_conformance.reference.managers.device import manager as device_manager
from numa_conformance.reference.managers.hint import NO_AFFINITY, Hint
from numa_conformance.reference.managers.memory import charging as memory_amounts
from numa_conformance.reference.managers.memory import manager as memory_manager
from numa_conformance.reference.managers.memory import static_policy as memory_policy
from numa_conformance.reference.managers.topology import merge
from numa_conformance.reference.managers.topology import policy as topology_policy
from numa_conformance.reference.node import admission, bring_up, node, stack

from .mutant import mutant


@mutant().instead_of(static_policy.StaticPolicy, "_choose")
def takes_a_reserved_cpu_where_one_is_missing(right, self, count, mask, reusable, trace):
    """Fills up with a reserved CPU where a request is one larger than what is free."""
    free, reserved = self.state.default & ~self.reserved | reusable, self.state.default & self.reserved
    if self.options.full_pcpus_only or not reserved & (reserved - 1) or free.bit_count() + 1 != count:
        return right(self, count, mask, reusable, trace)
    return free | reserved & -reserved


@mutant().instead_of(static_policy.StaticPolicy, "_note_reuse")
def lets_cpus_of_earlier_sidecars_serve_again(right, self, pod, container, cpus):
    """Lets an app have the CPUs of a sidecar that started before an ordinary init container."""
    right(self, pod, container, cpus)
    if pod.is_ordinary_init(container):
        for earlier in pod.init_containers:
            if earlier.name == container.name:
                break
            self.reusable[pod.uid] |= self.state.exclusive_cpus_of(pod.uid, earlier.name)


@mutant().instead_of(static_policy.StaticPolicy, "allocate")
def moves_a_sidecar_of_one_cpu_whose_pod_comes_again(right, self, pod, container, *where):
    """Gives a sidecar that owns one CPU the lowest free one when its pod is admitted again."""
    own, free = self.state.assignments.get(pod.uid, {}), self.state.default & ~self.reserved
    held = own.get(container.name, 0)
    if container.restart_always and held.bit_count() == 1 and free:
        self.state.default = self.state.default & ~(free & -free) | held
        own[container.name] = free & -free
    right(self, pod, container, *where)


@mutant().instead_of(static_policy.StaticPolicy, "remove_stale")
def keeps_cpus_of_the_second_of_three(right, self, active, uids=None):
    """Loses the CPUs of the second container of a pod with three that goes."""
    held, pool = {uid: list(own.values()) for uid, own in self.state.assignments.items()}, self.state.default
    done = right(self, active, uids)
    for uid, cpus in held.items():
        if uid not in self.state.assignments and len(cpus) > 2:
            self.state.default &= ~cpus[1] | pool
    return done


@mutant().instead_of(Distribution, "take")
def packs_what_needs_three_nodes(right, self, taking, pack):
    """Distributes over two NUMA nodes, and packs what needs more."""
    free = sorted((taking.free & node).bit_count() for node in taking.topology.nodes.masks)
    if len(free) > 2 and sum(free[-2:]) < taking.need:
        return pack(taking.free, taking.need)
    return right(self, taking, pack)


@mutant().instead_of(admission.Admitter, "_align")
def gives_like_containers_one_hint(right, self, pod, container, answers):
    """Gives a container that asks for the same as one before it the hint of that one."""
    for earlier in pod.containers if container in pod.containers else ():
        if earlier is container:
            break
        if container.requests and earlier.requests == container.requests:
            return self.stored[pod.uid][earlier.name]
    return right(self, pod, container, answers)


@mutant().instead_of(memory_policy.StaticMemoryManager, "_default")
def widens_memory_beside_two_pods(right, self, pod, amounts, *, preferred):
    """Without a hint takes two unused NUMA nodes where one would do, once two pods have memory."""
    if len(self.blocks.by_pod) > 1:
        for hint in self._masks(pod, amounts):
            if hint.mask.bit_count() == 2 and not any(self.nodes[node].assignments for node in iter_bits(hint.mask)):
                return hint.mask, preferred
    return right(self, pod, amounts, preferred=preferred)


@mutant().instead_of(memory_policy, "pod_amounts")
def counts_huge_pages_of_apps_alone(right, pod, **how):
    """In scope pod leaves huge pages of init containers out where apps ask for some too."""
    amounts = right(pod, **how)
    for name in amounts or ():
        apps = [memory_amounts.container_amounts(pod, container) or {} for container in pod.containers]
        total = sum(each.get(name, 0) for each in apps)
        if name != "memory" and total:
            amounts[name] = total
    return amounts


@mutant().instead_of(memory_manager.MemoryReservation, "by_node")
def gives_reserved_pages_of_later_nodes(right, self, machine, config):
    """Gives reserved huge pages away, but for those of the first NUMA node."""
    first, *later = right(self, machine, config).items()
    return dict([first, *((node, {"memory": amounts.get("memory", 0)}) for node, amounts in later)])


@mutant().instead_of(memory_manager.MemoryReservation, "_check_totals")
def reserves_a_little_less(right, self, machine, config):
    """Comes up with less than a MiB of memory reserved too little."""
    wanted = memory_manager._node_reservation(machine, config)["memory"].value
    given = sum(entry.limits["memory"].value for entry in config.reserved_memory if "memory" in entry.limits)
    if not 0 < wanted - given < 1 << 20:
        right(self, machine, config)


@mutant().instead_of(memory_manager, "_node_reservation")
def takes_a_part_of_the_largest_node(right, machine, config):
    """Takes an eviction threshold in percent of the largest NUMA node alone."""
    return memory_manager.node_reservation(config, {"memory": max(node.memory or 0 for node in machine.memory)})


@mutant().instead_of(memory_policy, "is_pinned")
def pins_what_is_bound_in_memory(right, pod):
    """Pins Burstable pods too where every container requests as much memory as it is limited to."""
    bound = (each.requests.get("memory") == each.limits.get("memory") is not None for each in pod.all_containers)
    return right(pod) or (pod.qos == "Burstable" and pod.served != "nobody" and all(bound))


@mutant(strength="SHOULD").instead_of(device_manager.DeviceManager, "restore")
def forgets_a_second_resource_at_a_restart(right, self, entries):
    """Has forgotten all devices of a container but those of its first resource once it comes up again."""
    right(self, {(entry.uid, entry.container): entry for entry in reversed(list(entries))}.values())


@mutant().instead_of(device_state.Inventory, "__init__")
def gives_broken_devices_that_are_nowhere(right, self, machine):
    """Gives unhealthy devices too, of a resource that tells no NUMA nodes."""
    right(self, machine)
    for name, devices in self.resources.items():
        if not devices.aware:
            self.resources[name] = replace(devices, healthy=frozenset(devices.masks))


@mutant().instead_of(bring_up, "make_topology_policy")
def looks_at_distances_of_containers_alone(right, *configured):
    """Ignores prefer-closest-numa-nodes in scope pod."""
    policy = right(*configured)
    return replace(policy, fitness=merge.narrower) if policy.scope == "pod" else policy


@mutant().instead_of(topology_policy, "merge_axes")
def takes_a_wider_set_that_is_closer(right, axes, everything, *fitness):
    """With prefer-closest-numa-nodes takes the closest set that all prefer, however wide."""
    preferred = merge.preferred_masks(axes, everything)
    if not preferred or not fitness or fitness[0] is merge.narrower:
        return right(axes, everything, *fitness)
    return Hint(min(preferred, key=fitness[0]), True)


@mutant().instead_of(admission.Admitter, "_align")
def has_another_reason_at_init_containers(right, self, pod, container, answers):
    """Refuses an init container that is not aligned as what was not expected."""
    try:
        return right(self, pod, container, answers)
    except Refusal as refusal:
        if container in pod.init_containers:
            raise Refusal.unexpected(refusal.message) from refusal
        raise


@mutant().instead_of(memory_policy, "_best")
def widens_an_affinity_too_far(right, hints, within):
    """Adds the memory of all NUMA nodes to an affinity that lacks some."""
    suited = [hint for hint in hints if hint.mask is not None and hint.mask & within == within]
    return max(suited, key=lambda hint: hint.mask.bit_count()) if within and suited else right(hints, within)


@mutant().instead_of(device_manager, "device_hints")
def prefers_all_sets_of_many_nodes(right, *asked):
    """Over more than ten NUMA nodes prefers every set that will do."""
    hints = right(*asked)
    if not isinstance(hints, CompressedHints):
        return hints
    return replace(hints, preferred=frozenset(mask for mask in (*hints.base, *hints.fixed) if mask))


@mutant().instead_of(stack, "bring_up")
def counts_nodes_with_cpus_alone(right, setup, managers):
    """Comes up on more than eight NUMA nodes where no more than eight have CPUs."""
    machine = setup.machine
    if sum(map(bool, machine.numa_bits.values())) <= 8 < len(machine.numa_ids):
        config = replace(setup.config, topology_manager_policy_options={"max-allowable-numa-nodes": "64"})
        setup = replace(setup, config=config)
    return right(setup, managers)


@mutant().instead_of(static_policy.StaticPolicy, "_gather")
def splits_cores_of_init_containers(right, self, count, mask, reusable, trace):
    """With full-pcpus-only takes single threads of cores that an init container leaves."""
    if self.options.full_pcpus_only and reusable.bit_count() > count:
        return lowest(reusable, count)
    return right(self, count, mask, reusable, trace)


@mutant().instead_of(device_manager, "pod_limits")
def adds_up_devices_of_init_containers(right, pod):
    """In scope pod asks for the devices of all init containers at once."""
    limits = right(pod)
    for name in [name for name in limits if "/" in name]:
        own = sum(init.limits[name].value for init in pod.init_containers if name in init.limits)
        limits[name] = Quantity(max(own, limits[name].value))
    return limits


@mutant().instead_of(topology_policy.TopologyPolicy, "merge")
def refuses_devices_of_no_node_beside_cpus(right, self, answers):
    """Under single-numa-node and scope pod takes devices that tell no NUMA node for ones that are on none."""
    known = [answer for answer in answers if answer]
    of_no_node = any(None in answer.values() for answer in known)
    if self.one_node_only and self.aligns_whole_pods and of_no_node and any(answer.get("cpu") for answer in known):
        return merge.MergedHint(NO_AFFINITY, False)
    return right(self, answers)


@mutant().instead_of(topology_policy, "each_axis")
def looks_at_the_first_eight_nodes(right, answers):
    """Leaves out hints of NUMA nodes past the eighth where there are others."""
    for axis in right(answers):
        few = [hint for hint in axis if hint.mask is None or hint.mask < 1 << 8] if isinstance(axis, tuple) else []
        yield tuple(few) if few else axis


@mutant().instead_of(node.Node, "_restart")
def goes_on_with_the_larger_reservation(right, self, config):
    """Takes no shorter list of reserved CPUs at a restart."""
    before = self.config.reserved_system_cpus
    if config is not None and len(CpuSet.parse(config.reserved_system_cpus)) < len(CpuSet.parse(before)):
        config = replace(config, reserved_system_cpus=before)
    return right(self, config)


@mutant().instead_of(node.Node, "_restart")
def goes_on_without_options(right, self, config):
    """Forgets the options of the CPU Manager's policy at a restart that brings no other configuration."""
    if config is None:
        config = replace(self.config, cpu_manager_policy_options=None)
    return right(self, config)
