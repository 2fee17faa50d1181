"""Faults inside the reference: the documented reference with one function of its managers that does another thing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any
from unittest.mock import patch

from numa_conformance.managers import eligibility
from numa_conformance.managers.cpu import CpuAllocator, hint_request, packed, reservation, static_policy
from numa_conformance.managers.cpu import cpu_state as cpu_state
from numa_conformance.managers.cpu import manager as cpu_manager
from numa_conformance.managers.cpu.options import distribute_cpus_across_cores as spread
from numa_conformance.managers.cpu.options import prefer_align_cpus_by_uncorecache as uncore
from numa_conformance.managers.cpu.options.distribute_cpus_across_numa.shares import Distribution
from numa_conformance.managers.device import device_state as device_state
from numa_conformance.managers.device import manager as device_manager
from numa_conformance.managers.hint import NO_AFFINITY
from numa_conformance.managers.memory import reuse as memory_reuse
from numa_conformance.managers.memory import static_policy as memory_policy
from numa_conformance.managers.topology import merge
from numa_conformance.managers.topology import policy as topology_policy
from numa_conformance.node import admission, checkpoints, node
from numa_conformance.protocol import METHODS, ReferenceTarget
from numa_conformance.suite.generators.scenario import Scenario

__all__ = ["PATCHED", "instead_of", "shows_in"]


class Patched:
    """The documented reference; a function of it is another one while it answers."""

    def __init__(self, owner: Any, name: str, wrong: Any) -> None:
        self._owner, self._name, self._wrong = owner, name, wrong
        self._reference = ReferenceTarget("documented")

    def __getattr__(self, attribute: str) -> Callable[[Any], Any]:
        if attribute not in {method.attribute for method in METHODS.values()}:
            raise AttributeError(attribute)
        answer = getattr(self._reference, attribute)

        def patched(message: Any) -> Any:
            with patch.object(self._owner, self._name, self._wrong):
                return answer(message)

        return patched


def shows_in(name: str, scenario: Scenario) -> bool:
    """Tell whether a fault can show in a scenario: only where its room has something to do."""
    if name not in PATCHED:
        return True
    owner = PATCHED[name].args[0]
    room = getattr(owner, "__module__", None) or owner.__name__
    if ".device." in room:
        return scenario.generator == "walk" and bool(scenario.machine.devices)
    if ".memory." in room:
        return "memory Static" in scenario.cell or scenario.cell == "reserved memory"
    if ".topology." in room and scenario.generator == "sweep":
        return scenario.cell.startswith("merge ")
    option = next((option for option in OPTIONS if option.replace("-", "_") in room), None)
    if option:
        return option in scenario.cell
    if room.endswith((".packed", ".accumulator")):
        return True
    generators = ("walk", "start") if ".node." in room else ("walk",)
    return scenario.generator in generators and scenario.cell != "policy none"


PATCHED: dict[str, partial[Patched]] = {}
OPTIONS = ("distribute-cpus-across-numa", "distribute-cpus-across-cores", "prefer-align-cpus-by-uncorecache")


def instead_of(owner: Any, name: str) -> Callable[[Any], Any]:
    """Declare a fault: the decorated function takes the right one as its first argument."""
    right = owner.__dict__[name] if isinstance(owner, type) else getattr(owner, name)

    def declare(wrong: Any) -> Any:
        def instead(*arguments: Any, **named: Any) -> Any:
            call = right.fget if isinstance(right, property) else right
            return wrong(call, *arguments, **named)

        PATCHED[wrong.__name__] = partial(
            Patched, owner, name, property(instead) if isinstance(right, property) else instead
        )
        return wrong

    return declare


# CPUs: which


@instead_of(packed, "_take_single")
def takes_single_cpus_of_the_first_node(right, taking):
    """Looks for single CPUs by id."""
    cpus = packed.lowest(taking.free, taking.need)
    taking.take(cpus, taking.need)


@instead_of(CpuAllocator, "allocate")
def takes_the_last_cpu_from_another_node(right, self, available, count, trace=None):
    """Opens a second NUMA node for one CPU."""
    cpus = right(self, available, count, trace)
    if not self._few_nodes or self._across_numa or count < 2:
        return cpus
    used = sum(node for node in self.topology.nodes.masks if node & cpus)
    others = available & self.topology.all & ~used
    return cpus & (cpus - 1) | packed.lowest(others, 1) if others else cpus


@instead_of(Distribution, "_take_remainder")
def gives_the_remainder_to_one_node(right, self, taking, choice, count, pack):
    """Takes what is left over from the first NUMA node alone."""
    node = choice.nodes[0]
    inside = taking.free & taking.topology.nodes.masks[node]
    more = min(taking.need, inside.bit_count())
    if more:
        self._take_from(taking, node, more, pack)
    right(self, taking, choice, choice.share * len(choice.nodes) + taking.need, pack)


@instead_of(spread, "_take_one_each")
def spreads_two_threads_at_once(right, taking, cores):
    """Takes two threads of each core."""
    wanted = taking.need
    cpus = packed.lowest(taking.topology.threads_of(cores) & taking.free, min(2 * cores.bit_count(), wanted))
    taking.take(cpus, cpus.bit_count())


@instead_of(uncore, "take_first")
def fills_no_single_cache(right, taking):
    """Does not look for one uncore cache that holds all."""
    return False


@instead_of(uncore, "_take_part")
def takes_no_part_of_a_cache(right, taking, index, part):
    """Takes whole caches or none."""
    return False


@instead_of(static_policy.FullPcpusOnly, "offered")
def offers_half_cores(right, self, available):
    """Leaves half used cores on offer under full-pcpus-only."""
    return available


@instead_of(static_policy.FullPcpusOnly, "check")
def checks_no_cores(right, self, count, default, reusable):
    """Admits what is no multiple of a core."""


@instead_of(static_policy.StaticPolicy, "_near")
def forgets_the_hint(right, self, available, mask):
    """Takes CPUs from anywhere."""
    return []


# CPUs: how many, whose


@instead_of(static_policy, "exclusive_cpus")
def gives_burstable_pods_cpus(right, pod, container):
    """Asks for no class."""
    return container.whole_cpus


@instead_of(static_policy, "pod_exclusive_cpus")
def adds_init_containers_up(right, pod):
    """Counts init containers and apps together."""
    return sum(eligibility.exclusive_cpus(pod, container) for container in pod.all_containers)


@instead_of(static_policy, "pod_exclusive_cpus")
def counts_apps_alone(right, pod):
    """Leaves init containers out of what a pod needs."""
    return sum(eligibility.exclusive_cpus(pod, container) for container in pod.containers)


@instead_of(static_policy.StaticPolicy, "_note_reuse")
def lets_all_cpus_be_reused(right, self, pod, container, cpus):
    """Lets an app have CPUs of an app before it."""
    self.reusable = {pod.uid: self.reusable.get(pod.uid, 0) | cpus}


@instead_of(static_policy.StaticPolicy, "_note_reuse")
def lets_other_pods_reuse(right, self, pod, container, cpus):
    """Keeps what init containers leave, and lets any pod have it."""
    right(self, pod, container, cpus)
    left = self.reusable[pod.uid]
    self.reusable = dict.fromkeys((pod.uid, *(f"p{number}" for number in range(40))), left)


@instead_of(static_policy.StaticPolicy, "_note_reuse")
def lets_no_cpus_be_reused(right, self, pod, container, cpus):
    """Never lets CPUs of init containers serve again."""


@instead_of(cpu_state.CpuState, "release")
def releases_one_cpu_too_few(right, self, uid, container):
    """Keeps one CPU of every second container."""
    freed = right(self, uid, container)
    if len(self.assignments) % 2:
        self.default &= ~(freed & -freed)
    return freed


@instead_of(cpu_state.CpuState, "cpus_of")
def shared_containers_get_the_first_cpu(right, self, uid, container):
    """Sends shared containers the lowest CPU of the pool only."""
    cpus = right(self, uid, container)
    return cpus if self.exclusive_cpus_of(uid, container) else cpus & -cpus


@instead_of(cpu_manager, "reserved_count")
def reserves_rounded_down(right, config, quirks):
    """Rounds a reservation down."""
    return max(1, right(config, quirks) - 1)


@instead_of(reservation, "_ascending_cores")
def reserves_the_last_cores(right, topology, count):
    """Reserves in descending order."""
    reserved = 0
    for cpus in reversed(list(topology.cores.values())):
        reserved |= packed.lowest(cpus, min(count - reserved.bit_count(), cpus.bit_count()))
    return reserved


# Hints and their merge


@instead_of(hint_request.HintRequest, "smallest")
def widths_by_free_cpus(right, self):
    """Counts free CPUs for how many NUMA nodes a request needs."""
    total = 0
    for number, free in enumerate(sorted(self.available, reverse=True), 1):
        total += free
        if total >= self.needed:
            return number
    return len(self.available)


@instead_of(hint_request.HintRequest, "smallest")
def prefers_single_nodes_alone(right, self):
    """Prefers no set of several NUMA nodes."""
    return 1


@instead_of(hint_request.HintRequest, "hints")
def hints_for_one_cpu_less(right, self, **how):
    """Offers NUMA nodes that lack one CPU."""
    less = replace(self, needed=max(1, self.needed - 1)) if self.needed > 1 else self
    return right(less, **how)


@instead_of(hint_request.HintRequest, "hints")
def hints_of_few_nodes(right, self, **how):
    """Offers no set of more than two NUMA nodes."""
    return [hint for hint in right(self, **how) if hint.mask.bit_count() <= 2]


@instead_of(static_policy.StaticPolicy, "hint_request")
def hints_count_reserved_cpus(right, self, pod, container):
    """Counts reserved CPUs as free when it offers hints."""
    with patch.object(self, "reserved", 0):
        return right(self, pod, container)


@instead_of(static_policy.StaticPolicy, "hint_request")
def hints_count_all_cpus(right, self, pod, container):
    """Offers hints by what the machine has."""
    with patch.object(self.state, "default", self.topology.all):
        return right(self, pod, container)


@instead_of(merge, "preferred_masks")
def merges_to_any_preferred(right, axes, everything):
    """Takes what one provider prefers for what all prefer."""
    masks = {mask for axis in axes for mask in merge._preferred_of(axis)[0]}
    return masks or right(axes, everything)


@instead_of(topology_policy, "merge_axes")
def merges_the_first_provider_alone(right, axes, everything, *fitness):
    """Looks at the first resource only."""
    return right(axes[:1], everything, *fitness)


@instead_of(topology_policy, "merge_axes")
def merges_the_last_provider_alone(right, axes, everything, *fitness):
    """Looks at the last resource only."""
    return right(axes[-1:], everything, *fitness)


@instead_of(topology_policy, "single_node_axis")
def one_node_need_not_be_preferred(right, axis):
    """Under single-numa-node keeps all hints."""
    return axis


@instead_of(admission.Admitter, "_align")
def aligns_the_first_container_alone(right, self, pod, container, answers):
    """Asks for hints of the first container, and puts the others there."""
    if container is not None and container.name != pod.all_containers[0].name:
        return self.stored[pod.uid][pod.all_containers[0].name]
    return right(self, pod, container, answers)


@instead_of(admission.Admitter, "_allocate")
def allocates_without_the_hint(right, self, pod, container, affinity):
    """Aligns, and allocates anywhere."""
    right(self, pod, container, NO_AFFINITY)


# Memory


@instead_of(memory_policy, "container_amounts")
def takes_huge_pages_from_memory(right, container):
    """Takes huge pages for ordinary memory."""
    amounts = right(container)
    return None if amounts is None else {"memory": sum(amounts.values())}


@instead_of(memory_policy, "container_amounts")
def forgets_huge_pages(right, container):
    """Gives no huge pages."""
    amounts = right(container)
    return None if amounts is None else {name: size for name, size in amounts.items() if name == "memory"}


@instead_of(memory_policy, "container_amounts")
def rounds_memory_to_gigabytes(right, container):
    """Gives whole gigabytes."""
    amounts = right(container)
    return None if amounts is None else {name: -(-size >> 30) << 30 for name, size in amounts.items()}


@instead_of(memory_policy, "charge")
def charges_half_the_memory(right, nodes, mask, resource, amount):
    """Books half of what it gives."""
    right(nodes, mask, resource, amount // 2)


@instead_of(memory_policy, "charge")
def charges_the_first_node_only(right, nodes, mask, resource, amount):
    """Books on one NUMA node of a group what the group gives."""
    right(nodes, mask[:1], resource, amount)


@instead_of(memory_policy, "discharge")
def never_returns_memory(right, nodes, block):
    """Keeps the memory of pods that are gone."""


@instead_of(memory_policy, "discharge")
def returns_memory_twice(right, nodes, block):
    """Gives back twice what a block had."""
    right(nodes, block)
    for node_id in block.nodes:
        table = nodes[node_id].tables.get(block.type)
        if table:
            table.free += block.size


@instead_of(memory_policy.StaticMemoryManager, "_choose")
def spreads_memory_over_all_nodes(right, self, pod, amounts, affinity):
    """Gives memory of every NUMA node."""
    return sum(1 << node_id for node_id in self.nodes)


@instead_of(memory_policy.StaticMemoryManager, "_choose")
def memory_of_the_first_node(right, self, pod, amounts, affinity):
    """Gives memory of the first NUMA node, whatever the hint."""
    mask = right(self, pod, amounts, affinity)
    first = 1 << min(self.nodes)
    return first if self._has_room(first, amounts) and mask.bit_count() == 1 else mask


@instead_of(memory_policy.StaticMemoryManager, "_has_room")
def memory_always_fits(right, self, mask, amounts):
    """Believes every hint, and gives what is not there."""
    return True


@instead_of(memory_reuse.ReusableMemory, "update")
def apps_leave_their_memory(right, self, uid, blocks, *, gives):
    """Lets later containers have the memory of apps."""
    right(self, uid, blocks, gives=True)


@instead_of(memory_policy, "is_pinned")
def pins_burstable_memory(right, pod):
    """Gives Burstable pods memory of their own."""
    return pod.qos != "BestEffort"


# Devices


@instead_of(device_manager, "choose")
def devices_without_the_hint(right, devices, free, reusable, count, mask, preference, quirks):
    """Gives the lowest devices wherever they are."""
    return right(devices, free, reusable, count, None, preference, quirks)


@instead_of(device_manager, "choose")
def devices_of_the_other_node(right, devices, free, reusable, count, mask, preference, quirks):
    """Takes a mask for its complement."""
    other = None if mask is None else ~mask & (1 << max(m.bit_length() for m in devices.masks.values())) - 1
    return right(devices, free, reusable, count, other or None, preference, quirks)


@instead_of(device_manager, "choose")
def one_device_too_few(right, devices, free, reusable, count, mask, preference, quirks):
    """Gives one device where two are asked for."""
    return right(devices, free, reusable, min(count, 1), mask, preference, quirks)


@instead_of(device_manager, "choose")
def devices_reused_by_apps(right, devices, free, reusable, count, mask, preference, quirks):
    """Gives devices that are in use."""
    return right(devices, frozenset(devices.masks), reusable, count, mask, preference, quirks)


@instead_of(device_state.Allocations, "in_use")
def sees_devices_of_one_pod(right, self, resource):
    """Counts as in use what the pod that came first has."""
    first = dict(list(self.given.items())[:1])
    return right(device_state.Allocations(first), resource)


@instead_of(device_manager, "device_hints")
def device_hints_count_all(right, devices, pools, count, numa_ids, quirks):
    """Offers NUMA nodes by the devices they have, free or not."""
    every = device_manager.Pools(available=frozenset(devices.masks), reusable=pools.reusable)
    return right(devices, every, count, numa_ids, quirks)


@instead_of(device_manager.DeviceManager, "remove_stale")
def never_returns_devices(right, self, active, uids):
    """Keeps the devices of pods that are gone."""
    return False


# The node


@instead_of(checkpoints.Checkpoints, "save")
def writes_no_file_with_three_pods(right, self):
    """Forgets to write a change beside the changes before."""
    if len(self._changed) != 1:
        right(self)


@instead_of(node.Node, "_settle")
def leaves_what_refused_pods_had(right, self, provider, *uids):
    """Collects nothing that belongs to nobody."""


@instead_of(node, "reconcile")
def reconciles_the_first_pod(right, pods, cpusets, containers, quirks, *, write=None):
    """Looks at the pods that came first only."""
    return right(list(pods)[:1], cpusets, containers, quirks, write=write)
