"""What the Device Manager remembers: which devices there are, who has which."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ....cpuset import bits_of
from ....machine.model import Device, Machine
from ....sources.quirks.areas import DeviceQuirks
from ..provider import Holding

NO_NODE = -1
"""The NUMA node under which the checkpoint lists devices without topology (DEV-ALLOC-12)."""
_NODES = 1024
"""NUMA nodes that Linux can have; a node past them cannot be meant."""


@dataclass(frozen=True)
class ResourceDevices:
    """All devices of one resource, healthy or not: id to NUMA nodes, None without a topology.

    The nodes are those that the plugin tells. One that the machine cannot have, such as -1, is topology information
    too, and matches no hint (DEV-MODEL-09).
    """

    nodes: Mapping[str, tuple[int, ...] | None]
    healthy: frozenset[str]

    @cached_property
    def masks(self) -> Mapping[str, int]:
        """Id to the NUMA nodes that hints can name, as bits."""
        return {
            device: bits_of(node for node in nodes or () if 0 <= node < _NODES) for device, nodes in self.nodes.items()
        }

    @cached_property
    def aware(self) -> bool:
        """Whether any device has topology information (DEV-MODEL-04)."""
        return any(self.nodes.values())

    def suiting_all(self, quirks: DeviceQuirks) -> int:
        """Return how many devices suit every NUMA node: those without topology, which to a kubelet suit none."""
        return 0 if quirks.devices_without_topology_never_count else sum(not nodes for nodes in self.nodes.values())


NO_DEVICES = ResourceDevices({}, frozenset())
"""Of a plugin that offers nothing, or has not registered again."""


@dataclass(frozen=True)
class DeviceEntry:
    """One line of the state file: devices of one resource that a container has, by NUMA node.

    ``response`` is what the device plugin answered to the allocation, as written.
    """

    uid: str
    container: str
    resource: str
    devices: Mapping[int, tuple[str, ...]]
    response: bytes = b""


@dataclass(frozen=True, slots=True)
class DeviceHolding(Holding):
    """What one container holds: resource to sorted device ids."""

    ids: Mapping[str, tuple[str, ...]]

    @property
    def devices(self) -> Mapping[str, tuple[str, ...]]:
        """Resource to sorted device ids."""
        return self.ids

    def to_answer(self) -> dict[str, list[str]]:
        """Return resource to device ids."""
        return {resource: list(ids) for resource, ids in self.ids.items()}


class Inventory:
    """The devices of a machine, by resource."""

    def __init__(self, machine: Machine) -> None:
        """Group the machine's devices; a plugin that it names may offer none."""
        grouped: dict[str, list[Device]] = {resource: [] for resource in machine.preferred_allocation}
        for device in machine.devices:
            grouped.setdefault(device.resource, []).append(device)
        self.resources: dict[str, ResourceDevices] = {
            resource: ResourceDevices(
                nodes={device.id: tuple(sorted(set(device.numa))) or None for device in devices},
                healthy=frozenset(device.id for device in devices if device.healthy),
            )
            for resource, devices in grouped.items()
        }

    def nodes_of(self, resource: str, device: str) -> tuple[int, ...]:
        """Return the NUMA nodes under which the checkpoint lists a device."""
        nodes = self.resources[resource].nodes.get(device) if resource in self.resources else None
        return nodes or (NO_NODE,)


@dataclass
class Allocations:
    """Who has which devices: uid to container to resource to ids.

    ``responses``: what a device plugin answered, where there is one, by uid, container and resource.
    """

    by_pod: dict[str, dict[str, dict[str, frozenset[str]]]] = field(default_factory=dict)
    responses: dict[tuple[str, str, str], bytes] = field(default_factory=dict)

    def of(self, uid: str, container: str) -> Mapping[str, frozenset[str]]:
        """Return a container's devices by resource."""
        return self.by_pod.get(uid, {}).get(container, {})

    def of_pod(self, uid: str, resource: str) -> frozenset[str]:
        """Return the devices of one resource that any container of a pod has."""
        return frozenset().union(*(held.get(resource, frozenset()) for held in self.by_pod.get(uid, {}).values()))

    def in_use(self, resource: str) -> frozenset[str]:
        """Return every device of a resource that some container has."""
        return frozenset().union(
            *(held.get(resource, frozenset()) for containers in self.by_pod.values() for held in containers.values())
        )

    def give(self, uid: str, container: str, resource: str, ids: frozenset[str], response: bytes = b"") -> None:
        """Record devices for a container."""
        self.by_pod.setdefault(uid, {}).setdefault(container, {})[resource] = ids
        if response:
            self.responses[uid, container, resource] = response

    def take_back(self, uid: str, container: str) -> None:
        """Forget what a container has."""
        containers = self.by_pod.get(uid, {})
        for resource in containers.pop(container, {}):
            self.responses.pop((uid, container, resource), None)
        if not containers:
            self.by_pod.pop(uid, None)

    def entries(self, inventory: Inventory) -> Iterator[DeviceEntry]:
        """Yield the lines of the checkpoint, sorted by pod, container and resource."""
        for uid, containers in sorted(self.by_pod.items()):
            for container, resources in sorted(containers.items()):
                for resource, ids in sorted(resources.items()):
                    response = self.responses.get((uid, container, resource), b"")
                    yield DeviceEntry(uid, container, resource, _by_node(inventory, resource, ids), response)


def _by_node(inventory: Inventory, resource: str, ids: frozenset[str]) -> dict[int, tuple[str, ...]]:
    grouped: dict[int, list[str]] = {}
    for device in sorted(ids):
        for node in inventory.nodes_of(resource, device):
            grouped.setdefault(node, []).append(device)
    return {node: tuple(devices) for node, devices in sorted(grouped.items())}
