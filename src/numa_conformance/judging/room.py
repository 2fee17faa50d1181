"""``Room``: what each NUMA node can still give, and whether it holds a request of CPUs, memory and devices together."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import ClassVar

from ..cpuset import bit_of, bits_of, union
from ..machine import Device, Machine, MemoryNode
from ..wire.history.quantities import huge_pages, size_of
from .alignment import CpuAlignment, ResourceRequest
from .choice import cpus_of
from .hinted import sets_of_nodes
from .world import World


def allocatable(machine: Machine, reserved: Mapping[int, Mapping[str, int]]) -> dict[int, dict[str, int]]:
    """Return what each NUMA node can give by type, in bytes: huge pages are no ordinary memory."""
    room = {}
    for node in machine.memory:
        reservation = reserved.get(node.node, {})
        amounts = {"memory": ordinary(node), **huge_pages(node)}
        room[node.node] = {kind: number - reservation.get(kind, 0) for kind, number in amounts.items()}
    return room


def ordinary(node: MemoryNode) -> int:
    """Return the bytes of a NUMA node that are not in huge pages."""
    return (node.memory or 0) - sum(huge_pages(node).values())


def whole(node: MemoryNode) -> dict[str, int]:
    """Return the bytes of a NUMA node by type; of memory those in huge pages too."""
    return {"memory": node.memory or 0, **huge_pages(node)}


class Room:
    """What a node has left, by its answers."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._machine = world.machine

    _last: "ClassVar[Room | None]" = None

    @classmethod
    def of(cls, world: World) -> "Room":
        """Return what a world has left; of the world that was looked at last, with what is known of it by then."""
        last = cls._last
        if last is None or last._world is not world:
            last = cls._last = cls(world)
        return last

    @cached_property
    def allocatable(self) -> dict[int, dict[str, int]]:
        """Bytes by NUMA node and type that the node began with."""
        return allocatable(self._machine, self._world.settings.reserved_memory)

    @cached_property
    def _blocks(self) -> list[tuple[str, int, int]]:
        """Type, bytes and NUMA nodes (bits) of every block that is held."""
        return [
            (block.type, size_of(block.bytes), block.nodes)
            for pod in self._world.pods.values()
            for container in pod.spec.containers
            if container.name in pod.held and not (container.kind == "init" and pod.ran)
            for block in pod.held[container.name].memory or ()
        ]

    @cached_property
    def grouped(self) -> int:
        """NUMA nodes (bits) that serve some container together with others."""
        return union(nodes for nodes in self.groups if nodes & (nodes - 1))

    @cached_property
    def groups(self) -> frozenset[int]:
        """The sets of NUMA nodes (bits) that serve containers, each block from one of them."""
        return frozenset(nodes for _, number, nodes in self._blocks if number)

    @cached_property
    def block_nodes(self) -> frozenset[int]:
        """The sets of NUMA nodes (bits) of every block that a pod was given, of ended init containers too."""
        held = (holding for pod in self._world.pods.values() for holding in pod.held.values())
        return frozenset(block.nodes for holding in held for block in holding.memory or ())

    @cached_property
    def touched(self) -> int:
        """All NUMA nodes (bits) of these."""
        return union(self.block_nodes)

    def capacity(self, nodes: int, kind: str, *, reserved: bool = True) -> int:
        """Return the bytes of a type that NUMA nodes (bits) have for pods; ``reserved`` False: in all."""
        had = self.allocatable if reserved else self._whole
        return sum(amounts.get(kind, 0) for node, amounts in had.items() if nodes >> node & 1)

    @cached_property
    def _whole(self) -> dict[int, dict[str, int]]:
        return allocatable(self._machine, {})

    def assigned_within(self, nodes: int, kind: str) -> int:
        """Return the bytes of a type that lie in some of these NUMA nodes, and nowhere else."""
        return sum(number for name, number, where in self._blocks if name == kind and not where & ~nodes)

    def overdrawn(self) -> Iterator[tuple[int, str, int, int]]:
        """Yield NUMA nodes (bits) that give more of a type than they have, the type, and the bytes given and had."""
        known = {kind for amounts in self.allocatable.values() for kind in amounts}
        kinds = sorted(known.intersection(kind for kind, _, _ in self._blocks))
        sets = {nodes for _, _, nodes in self._blocks}
        sets |= {first | second for first in tuple(sets) for second in tuple(sets) if len(sets) < 40}
        for nodes in sorted(sets) if kinds else ():
            for kind in kinds:
                had = self.capacity(nodes, kind)
                assigned = self.assigned_within(nodes, kind)
                if assigned > had:
                    yield nodes, kind, assigned, had

    def left_of(self, nodes: int, kind: str) -> int:
        """Return the bytes of a type that NUMA nodes (bits) have, less what apps and sidecars hold on them alone.

        What init containers hold may serve others of their pod, and parts of what a pod has as a whole may overlap.
        """
        held = (
            block.bytes
            for pod in self._world.pods.values()
            for container in pod.spec.containers
            if container.name in pod.held and container.kind != "init" and not pod.spec.whole
            for block in pod.held[container.name].memory or ()
            if block.type == kind and not block.nodes & ~nodes
        )
        return self.capacity(nodes, kind) - sum(held)

    def nodes_that_hold(self, request: ResourceRequest, *, surely: bool) -> list[int]:
        """Return the NUMA nodes that can give all of a request.

        ``surely``: leave out those that serve in a group of NUMA nodes, as a proposal keeps such from serving alone.
        Of a resource that mixes devices with and without NUMA nodes count those of a node alone.
        """
        return [
            node
            for node in self._machine.numa_ids
            if (self._machine.numa_bits[node] & self._world.free).bit_count() >= request.cpus
            and not (surely and request.memory and self.grouped >> node & 1)
            and self.gives(request.memory, bit_of(node))
            and all(
                self.free_devices(bit_of(node), name, surely=surely) >= number
                for name, number in request.devices.items()
            )
        ]

    def has(self, request: ResourceRequest) -> bool:
        """Whether the node as a whole has so much free, wherever it lies, and leaves the shared pool a CPU."""
        return (
            self._world.free.bit_count() > request.cpus
            and self.gives(request.memory)
            and all(self.free_devices(None, name) >= number for name, number in request.devices.items())
        )

    def free_devices(self, nodes: int | None, resource: str, *, surely: bool = False) -> int:
        """Return how many healthy devices nobody has, of these NUMA nodes or of none; of all for None.

        ``surely``: those of none count only where no device of the resource is of one.
        """
        free = self.free_device_ids(resource)
        devices = [device for device in self._machine.devices if device.resource == resource]
        located = surely and any(device.numa for device in devices)
        return sum(
            device.id in free and local(device.numa_bits, nodes) and not (located and not device.numa)
            for device in devices
        )

    def free_device_ids(self, resource: str) -> frozenset[str]:
        """Return the healthy devices that nobody has."""
        healthy = (device.id for device in self._machine.devices if device.resource == resource and device.healthy)
        held: set[str] = set()
        for pod in self._world.pods.values():
            for holding in pod.held.values():
                held |= (holding.devices or {}).get(resource, frozenset())
        return frozenset(healthy) - held

    def surely_give(self, request: ResourceRequest) -> list[int]:
        """Return the sets of NUMA nodes (bits) that prefer a request of CPUs and memory alike, and can give it now.

        As few nodes as either ever needs, of which no memory is given yet; none where one needs more than the other.
        """
        few = self._fewest_for(request.memory) if request.memory else set[int]()
        width = CpuAlignment(self._world, request.cpus).width if request.cpus else min(few, default=0)
        few = few or {width}
        if few != {width} or any(request.devices.values()):
            return []
        return [
            nodes
            for nodes in sets_of_nodes(self._machine.numa_ids)
            if nodes.bit_count() == width
            and not nodes & self.touched
            and self.can_have(nodes, request.memory)
            and (cpus_of(self._machine, nodes) & self._world.free).bit_count() >= request.cpus
        ]

    def _fewest_for(self, memory: Mapping[str, int]) -> set[int]:
        """Return how many NUMA nodes hold so much, were all of it free: with and without what is reserved."""
        needs = set()
        for reserved in (True, False):
            sets = sets_of_nodes(self._machine.numa_ids)
            fit = (nodes.bit_count() for nodes in sets if self.can_have(nodes, memory, reserved=reserved))
            needs.add(next(fit, len(self._machine.numa_ids) + 1))
        return needs

    def fewest_around(self, nodes: int, memory: Mapping[str, int]) -> int:
        """Return how many NUMA nodes hold so much, these (bits) among them, and give nothing but together; 0: none."""
        around = (some for some in sets_of_nodes(self._machine.numa_ids) if not nodes & ~some)
        alone = (some for some in around if all(block == some for block in self.block_nodes if block & some))
        return next((some for some in alone if self.gives(memory, some)), 0).bit_count()

    def gives(self, memory: Mapping[str, int], nodes: int | None = None) -> bool:
        """Whether NUMA nodes (bits; None: all together) have so much of each type of memory left."""
        some = bits_of(self._machine.numa_ids) if nodes is None else nodes
        return all(self.capacity(some, kind) - self.assigned_within(some, kind) >= n for kind, n in memory.items())

    def can_have(self, nodes: int, memory: Mapping[str, int], *, reserved: bool = True) -> bool:
        """Tell whether NUMA nodes (bits) have so much of each type, were all of it free; ``reserved`` as above."""
        return all(self.capacity(nodes, kind, reserved=reserved) >= number for kind, number in memory.items())

    def _memory_unaligned(self, memory: Mapping[str, int]) -> bool:
        """Tell whether no set of as few NUMA nodes as ever hold it has so much free, wherever what is given lies."""
        few = self._fewest_for(memory)
        sets = [nodes for nodes in sets_of_nodes(self._machine.numa_ids) if nodes.bit_count() in few]
        return bool(sets) and not any(self.gives(memory, nodes) for nodes in sets)

    def prefers_nothing(self, request: ResourceRequest) -> bool:
        """Whether some resource is free on no set of as few NUMA nodes as it ever needs: it has no preferred hint."""
        if request.cpus and not CpuAlignment(self._world, request.cpus).preferred:
            return True
        if request.memory and self._memory_unaligned(request.memory):
            return True
        return any(self._devices_unaligned(name, number) for name, number in request.devices.items() if number)

    def _devices_unaligned(self, resource: str, count: int) -> bool:
        """Tell so whether or not unhealthy devices count for how many NUMA nodes a request needs."""
        devices = [device for device in self._machine.devices if device.resource == resource]
        if any(not device.numa for device in devices) or not sets_of_nodes(_near(devices)):
            return False
        healthy = [device for device in devices if device.healthy]
        return bool(devices) and all(self._not_where(some, resource, count) for some in (devices, healthy))

    def _not_where(self, devices: Sequence[Device], resource: str, count: int) -> bool:
        sets = sets_of_nodes(_near(devices))
        fit = (some.bit_count() for some in sets if sum(local(device.numa_bits, some) for device in devices) >= count)
        width = next(fit, 0)
        return not any(self.free_devices(some, resource) >= count for some in sets if some.bit_count() == width)


def _near(devices: Iterable[Device]) -> tuple[int, ...]:
    return tuple(sorted({node for device in devices for node in device.numa if node >= 0}))


def local(numa: int, nodes: int | None) -> bool:
    """Tell whether a device's NUMA nodes (bits) are some of these (None: all of them), or it tells of none."""
    return nodes is None or not numa or numa & nodes != 0
