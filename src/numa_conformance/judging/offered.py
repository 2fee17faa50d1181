"""What the managers of a node hinted for one request, as the target tells beside an admission: feature node/hints."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import msgspec

from ..cpuset import union
from ..wire.history.quantities import HUGE
from ..wire.history.values import Affinity, AlignmentBits, HoldingBits
from .alignment import ResourceRequest, asked_devices
from .hinted import CpuHints, sets_of_nodes
from .merged import axes_of, merged_by
from .node_subjects import OfBefore
from .pods import ContainerSpec, PodSpec
from .room import Room, local
from .world import AdmittedPod, World, exclusive_of

CPU, MEMORY = "cpu", "memory"
Offered = tuple[Affinity, ...] | None
"""The hints for one resource; None is no opinion."""


class MemoryHints(OfBefore, msgspec.Struct, frozen=True, dict=True):
    """The hints for memory and huge pages of a container, or of the pod as a whole. Sets of NUMA nodes are bits.

    ``before``: the node then, with what earlier containers of the pod hold. ``amounts``: bytes by type to guarantee;
    none for other classes. ``offered``: hints by type; of a type that is not named nothing is said.
    """

    before: World
    qos: str
    amounts: Mapping[str, int]
    offered: Mapping[str, Offered]

    @cached_property
    def _room(self) -> Room:
        return Room.of(self.before)

    @property
    def sets(self) -> Sequence[int]:
        """Every set of the machine's NUMA nodes, narrow ones first."""
        return sets_of_nodes(self.before.machine.numa_ids)

    def can_hold(self, nodes: int, kind: str) -> bool:
        """Tell whether NUMA nodes may have so much of a type free: what is held beside others may lie elsewhere."""
        return self._room.capacity(nodes, kind) - self._room.assigned_within(nodes, kind) >= self.amounts[kind]

    def surely_hold(self, nodes: int) -> bool:
        """Tell whether any allocator would say that NUMA nodes have all that is asked: nothing of them is given."""
        return not nodes & self._room.touched and self._room.can_have(nodes, self.amounts)

    @cached_property
    def widths(self) -> frozenset[int]:
        """How many NUMA nodes the request needs on an empty machine: with and without what is reserved."""
        needs, room, amounts = set(), self._room, self.amounts
        for reserved in (True, False):
            fit = (nodes.bit_count() for nodes in self.sets if room.can_have(nodes, amounts, reserved=reserved))
            needs.add(next(fit, len(self.before.machine.numa_ids)))
        return frozenset(needs)


class DeviceHints(msgspec.Struct, frozen=True, dict=True):
    """The hints for devices of one resource, of a container or of the pod as a whole. Sets of NUMA nodes are bits.

    ``reusable``: devices that ended init containers of the pod leave.
    """

    before: World
    resource: str
    count: int
    reusable: frozenset[str]
    offered: Offered

    @property
    def sets(self) -> Sequence[int]:
        """Every set of the machine's NUMA nodes, narrow ones first."""
        return sets_of_nodes(self.before.machine.numa_ids)

    @cached_property
    def _places(self) -> Mapping[str, int]:
        """Devices of the resource to their NUMA nodes (bits)."""
        devices = self.before.machine.devices
        return {device.id: device.numa_bits for device in devices if device.resource == self.resource}

    @cached_property
    def near(self) -> int:
        """The NUMA nodes (bits) near which there are devices of the resource."""
        return union(self._places.values())

    @property
    def has_topology(self) -> bool:
        """Whether the plugin tells NUMA nodes."""
        return any(self._places.values())

    @cached_property
    def _usable(self) -> tuple[int, ...]:
        free = Room.of(self.before).free_device_ids(self.resource) | self.reusable
        return tuple(numa for id, numa in self._places.items() if id in free)

    @property
    def enough(self) -> bool:
        """Whether so many are free at all."""
        return len(self._usable) >= self.count

    def can_hold(self, nodes: int) -> bool:
        """Tell whether so many devices of these NUMA nodes, or of none, can be had."""
        return sum(local(numa, nodes) for numa in self._usable) >= self.count

    def surely_hold(self, nodes: int) -> bool:
        """Tell so of devices of these NUMA nodes alone: how others count beside them is left open."""
        return sum(numa & nodes != 0 for numa in self._usable) >= self.count

    def covers_reusable(self, nodes: int) -> bool:
        """Tell whether every device that can be used again belongs to one of these NUMA nodes."""
        return all(local(self._places.get(id, 0), nodes) for id in self.reusable)

    @cached_property
    def widths(self) -> frozenset[int]:
        """How many NUMA nodes the request ever needs: by all devices or healthy ones, with or without those of none."""
        healthy = {device.id for device in self.before.machine.devices if device.healthy}
        every = frozenset(self._places)
        located = frozenset(id for id, numa in self._places.items() if numa) or every
        needs = set()
        for known in (every, every & healthy, located, located & healthy):
            near = [self._places[id] for id in known]
            fit = (nodes.bit_count() for nodes in self.sets if sum(local(numa, nodes) for numa in near) >= self.count)
            needs.add(next(fit, len(self.before.machine.numa_ids)))
        return frozenset(needs)


def hints_of(
    before: World, pod: PodSpec, held: Mapping[str, HoldingBits], merges: Sequence[AlignmentBits]
) -> Iterator[object]:
    """Yield what was hinted and what was merged of it, for each request in order.

    Of a refused pod the first request alone: what earlier containers were given is not told.
    """
    world, settings = before, before.settings
    earlier: list[ContainerSpec] = []
    for number, merge in enumerate(merges):
        yield merged_by(settings, before.machine, axes_of(merge.providers), merge.affinity, admit=merge.admit)
        if number and not held:
            return
        if merge.container is not None and merge.container not in pod.by_name:
            return
        offered = {resource: hints for provider in merge.providers for resource, hints in (provider or {}).items()}
        containers = pod.containers if merge.container is None else (pod.by_name[merge.container],)
        yield from _requests(world, pod, containers, earlier, offered)
        if merge.container is not None:
            earlier.append(pod.by_name[merge.container])
            holdings = {name: holding for name, holding in held.items() if name in {spec.name for spec in earlier}}
            world = before.with_pod(AdmittedPod(pod, holdings))


def _requests(
    world: World,
    pod: PodSpec,
    containers: Sequence[ContainerSpec],
    earlier: Sequence[ContainerSpec],
    offered: Mapping[str, Offered],
) -> Iterator[object]:
    """Yield what is asked of each manager. What an init container leaves is counted where the pages say how."""
    after_init = any(container.kind == "init" for container in earlier)
    here = world.pods.get(pod.uid)
    spent = exclusive_of(here.held) if here else 0
    if world.settings.reserved is not None and not after_init and not pod.whole:
        cpus = pod.exclusive if len(containers) != 1 else containers[0].exclusive
        if len(containers) == 1 or all(spec.cpu == spec.exclusive for spec in pod.containers):
            free, parts = world.free & ~spent, tuple(each.exclusive for each in containers)
            yield CpuHints(world.machine, world.settings, cpus, free, 0, None, offered.get(CPU), parts)
    if not after_init and not pod.whole:
        alone = len(containers) == 1
        request = ResourceRequest.of(world, pod, containers) if alone else ResourceRequest.at_once(world, pod)
        named = {kind: hints for kind, hints in offered.items() if kind == MEMORY or kind.startswith(HUGE)}
        yield MemoryHints(world, pod.qos, dict(sorted(request.memory.items())), named)
    for resource, number in asked_devices(world.machine, containers).items():
        count = number if len(containers) == 1 else int(pod.effective(resource))
        left: frozenset[str] = frozenset()
        for container in earlier:
            holding = here.held.get(container.name) if here else None
            ids = (holding.devices or {}).get(resource, frozenset()) if holding else frozenset[str]()
            left = left | ids if container.kind == "init" else left - ids
        yield DeviceHints(world, resource, count, left, offered.get(resource))
