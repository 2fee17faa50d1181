"""Faults of the reference in merging, memory, devices, and the node around the managers."""

from __future__ import annotations

from dataclasses import replace

from numa_conformance.chapters import node_admission
from numa_conformance.chapters.devices import allocation
from numa_conformance.errors import Refusal
from numa_conformance.reference.managers.device import device_state
from numa_conformance.reference.managers.device import manager as device_manager
from numa_conformance.reference.managers.hint import NO_AFFINITY
from numa_conformance.reference.managers.memory import charging as memory_charging
from numa_conformance.reference.managers.memory import static_policy as memory_policy
from numa_conformance.reference.managers.topology import merge
from numa_conformance.reference.managers.topology import policy as topology_policy
from numa_conformance.reference.node import admission, checkpoints, node

from .mutant import mutant


@mutant().instead_of(merge, "preferred_masks")
def merges_to_any_preferred(right, axes, everything):
    """Takes what one provider prefers for what all prefer."""
    masks = {mask for axis in axes for mask in merge._preferred_of(axis)[0]}
    return masks or right(axes, everything)


@mutant().instead_of(topology_policy, "merge_axes")
def merges_the_first_provider_alone(right, axes, everything, *fitness):
    """Looks at the first resource only."""
    return right(axes[:1], everything, *fitness)


@mutant().instead_of(topology_policy, "merge_axes")
def merges_the_last_provider_alone(right, axes, everything, *fitness):
    """Looks at the last resource only."""
    return right(axes[-1:], everything, *fitness)


@mutant().instead_of(topology_policy, "single_node_axis")
def one_node_need_not_be_preferred(right, axis):
    """Under single-numa-node keeps all hints."""
    return axis


@mutant().instead_of(admission.Admitter, "_align")
def aligns_the_first_container_alone(right, self, pod, container, answers):
    """Asks for hints of the first container, and puts the others there."""
    if container is not None and container.name != pod.all_containers[0].name:
        return self.stored[pod.uid][pod.all_containers[0].name]
    return right(self, pod, container, answers)


@mutant().instead_of(admission.Admitter, "_allocate")
def allocates_without_the_hint(right, self, pod, container, affinity):
    """Aligns, and allocates anywhere."""
    right(self, pod, container, NO_AFFINITY)


# Memory


@mutant().instead_of(memory_policy, "container_amounts")
def takes_huge_pages_from_memory(right, container):
    """Takes huge pages for ordinary memory."""
    amounts = right(container)
    return None if amounts is None else {"memory": sum(amounts.values())}


@mutant().instead_of(memory_policy, "container_amounts")
def forgets_huge_pages(right, container):
    """Gives no huge pages."""
    amounts = right(container)
    return None if amounts is None else {name: size for name, size in amounts.items() if name == "memory"}


@mutant().instead_of(memory_policy, "container_amounts")
def rounds_memory_to_gigabytes(right, container):
    """Gives whole gigabytes."""
    amounts = right(container)
    return None if amounts is None else {name: -(-size >> 30) << 30 for name, size in amounts.items()}


@mutant().instead_of(memory_policy, "charge")
def charges_half_the_memory(right, nodes, mask, resource, amount):
    """Books half of what it gives."""
    right(nodes, mask, resource, amount // 2)


@mutant().instead_of(memory_policy, "charge")
def charges_the_first_node_only(right, nodes, mask, resource, amount):
    """Books on one NUMA node of a group what the group gives."""
    right(nodes, mask[:1], resource, amount)


@mutant().instead_of(memory_policy, "discharge")
def never_returns_memory(right, nodes, block):
    """Keeps the memory of pods that are gone."""


@mutant().instead_of(memory_policy, "discharge")
def returns_memory_twice(right, nodes, block):
    """Gives back twice what a block had."""
    right(nodes, block)
    for node_id in block.nodes:
        table = nodes[node_id].tables.get(block.type)
        if table:
            table.free += block.size


@mutant().instead_of(memory_policy.StaticMemoryManager, "_choose")
def spreads_memory_over_all_nodes(right, self, pod, amounts, affinity):
    """Gives memory of every NUMA node."""
    return sum(1 << node_id for node_id in self.nodes)


@mutant().instead_of(memory_policy.StaticMemoryManager, "_choose")
def memory_of_the_first_node(right, self, pod, amounts, affinity):
    """Gives memory of the first NUMA node, whatever the hint."""
    mask = right(self, pod, amounts, affinity)
    first = 1 << min(self.nodes)
    return first if self._has_room(first, amounts) and mask.bit_count() == 1 else mask


@mutant().instead_of(memory_policy.StaticMemoryManager, "_has_room")
def memory_always_fits(right, self, mask, amounts):
    """Believes every hint, and gives what is not there."""
    return True


@mutant().instead_of(memory_charging.ReusableMemory, "update")
def apps_leave_their_memory(right, self, uid, blocks, *, gives):
    """Lets later containers have the memory of apps."""
    right(self, uid, blocks, gives=True)


@mutant().instead_of(memory_policy.StaticMemoryManager, "restore")
def begins_its_books_anew(right, self, nodes, blocks):
    """Counts nothing of what two pods and more hold as given, once the node agent is started anew."""
    anew = right(self, nodes, blocks)
    if len(blocks.by_pod) > 1:
        for node_id, memory in memory_policy._copied(self._empty).items():
            self.nodes[node_id].tables = memory.tables
    return anew


@mutant().instead_of(memory_policy, "is_pinned")
def pins_burstable_memory(right, pod):
    """Gives Burstable pods memory of their own."""
    return pod.qos != "BestEffort"


# Devices


@mutant().instead_of(device_manager, "pod_limits")
def sidecars_bring_no_devices(right, pod):
    """Counts devices of apps and ordinary init containers for a pod as a whole, and none of sidecars."""
    ordinary = tuple(init for init in pod.init_containers if not init.restart_always)
    return right(replace(pod, init_containers=ordinary))


@mutant().instead_of(device_manager, "choose")
def devices_without_the_hint(right, devices, free, reusable, count, mask, preference, quirks):
    """Gives the lowest devices wherever they are."""
    return right(devices, free, reusable, count, None, preference, quirks)


@mutant().instead_of(device_manager, "choose")
def devices_of_the_other_node(right, devices, free, reusable, count, mask, preference, quirks):
    """Takes a mask for its complement."""
    other = None if mask is None else ~mask & (1 << max(m.bit_length() for m in devices.masks.values())) - 1
    return right(devices, free, reusable, count, other or None, preference, quirks)


@mutant().instead_of(device_manager, "choose")
def one_device_too_few(right, devices, free, reusable, count, mask, preference, quirks):
    """Gives one device where two are asked for."""
    return right(devices, free, reusable, min(count, 1), mask, preference, quirks)


@mutant().instead_of(device_manager, "choose")
def devices_reused_by_apps(right, devices, free, reusable, count, mask, preference, quirks):
    """Gives devices that are in use."""
    return right(devices, frozenset(devices.masks), reusable, count, mask, preference, quirks)


@mutant(allocation.init_devices_serve_later_containers).instead_of(device_manager, "choose")
def reuses_devices_that_suffice(right, devices, free, reusable, count, mask, preference, quirks):
    """Gives none of the devices of init containers where more are asked for than they have."""
    enough = reusable if len(reusable) >= count else frozenset()
    return right(devices, free, enough, count, mask, preference, quirks)


@mutant(node_admission.admits_a_pod_that_is_there).instead_of(device_manager.DeviceManager, "_allocate")
def counts_devices_twice(right, self, pod, container, resource, count, affinity):
    """Refuses a container that has its devices, where its pod is asked for once more."""
    if self.allocations.of(pod.uid, container.name).get(resource):
        raise Refusal.unexpected(f"devices of {resource} are in use")
    return right(self, pod, container, resource, count, affinity)


@mutant().instead_of(device_state.Allocations, "in_use")
def sees_devices_of_one_pod(right, self, resource):
    """Counts as in use what the pod that came first has."""
    first = dict(list(self.by_pod.items())[:1])
    return right(device_state.Allocations(first), resource)


@mutant().instead_of(device_manager, "device_hints")
def device_hints_count_all(right, devices, pools, count, numa_ids, quirks):
    """Offers NUMA nodes by the devices they have, free or not."""
    every = device_manager.DevicePools(available=frozenset(devices.masks), reusable=pools.reusable)
    return right(devices, every, count, numa_ids, quirks)


@mutant().instead_of(device_manager.DeviceManager, "remove_stale")
def never_returns_devices(right, self, active, uids):
    """Keeps the devices of pods that are gone."""
    return False


# The node


@mutant().instead_of(checkpoints.CheckpointKeeper, "save")
def writes_no_file_with_three_pods(right, self):
    """Forgets to write a change beside the changes before."""
    if len(self._changed) != 1:
        right(self)


@mutant().instead_of(node.Node, "_settle")
def leaves_what_refused_pods_had(right, self, provider, *uids):
    """Collects nothing that belongs to nobody."""


@mutant().instead_of(node, "reconcile")
def reconciles_the_first_pod(right, pods, cpusets, containers, quirks, *, write=None):
    """Looks at the pods that came first only."""
    return right(list(pods)[:1], cpusets, containers, quirks, write=write)
