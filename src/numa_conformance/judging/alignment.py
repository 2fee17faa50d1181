"""What a request asks for, how many NUMA nodes it needs, and what these can give, by the Topology Manager's pages."""

from collections.abc import Iterable, Mapping

import msgspec

from ..machine import Machine
from ..wire.history.quantities import HUGE, huge_pages
from .choice import BY_SOCKET, WHOLE_CORES, fewest, numa_cpus, split_cores
from .pods import ContainerSpec, PodSpec
from .world import World


class CpuAlignment:
    """A request for CPUs on a node as it is: the fewest NUMA nodes that hold so many, and whether so many are free."""

    def __init__(self, world: World, count: int) -> None:
        """Take the node before the request; all CPUs of a NUMA node count for the width, free ones for the rest."""
        nodes = numa_cpus(world.machine)
        self._free = sorted(((cpus & world.free).bit_count() for cpus in nodes), reverse=True)
        self.count = count
        sockets = world.machine.socket_bits.values()
        self._most_of_a_socket = max((cpus & world.free).bit_count() for cpus in sockets)
        self.width = fewest((cpus.bit_count() for cpus in nodes), count)

    @property
    def on_one_node(self) -> bool:
        """Whether one NUMA node can give them."""
        return self._free[0] >= self.count

    @property
    def on_one_socket(self) -> bool:
        """Whether one socket can give them."""
        return self._most_of_a_socket >= self.count

    @property
    def preferred(self) -> bool:
        """Whether as few NUMA nodes as can ever hold them can give them now."""
        return sum(self._free[: self.width]) >= self.count


def asks_for_devices(world: World, containers: Iterable[ContainerSpec]) -> bool:
    """Tell whether a container asks for a device of the machine; 0 devices are none."""
    known = {device.resource for device in world.machine.devices}
    return any(container.requests.get(name) for container in containers for name in known)


def empties_the_pool(world: World, pod: PodSpec) -> bool:
    """Whether a pod whose CPUs serve only once would empty the shared pool."""
    return world.strict and sum(container.exclusive for container in pod.containers) >= world.free.bit_count()


def fits(world: World, pod: PodSpec) -> bool:
    """Tell whether a pod's requests fit beside those on the node, so that no other admission handler may refuse it.

    Of memory half counts: some is reserved, some is in huge pages.
    """
    capacity = {
        "cpu": world.online.bit_count() - world.settings.reserved_count,
        "memory": world.machine.total_memory // 2,
        **{name: 0 for name in pod.resources if name.startswith(HUGE)},
    }
    for node in world.machine.memory:
        for name, number in huge_pages(node).items():
            capacity[name] = capacity.get(name, 0) + number
    pods = [pod, *(other.spec for other in world.others(pod.uid))]
    return all(sum(spec.scheduled(name) for spec in pods) <= room for name, room in capacity.items())


def only_cpus(world: World, pod: PodSpec) -> bool:
    """Whether only CPUs of a pod are aligned, at NUMA nodes and by simple counting."""
    return BY_SOCKET not in world.settings.options and only_a_number(world, pod)


def only_a_number(world: World, pod: PodSpec) -> bool:
    """Whether only a number of CPUs is aligned for a pod, at NUMA nodes or sockets.

    Not so where memory or devices take part, where the pod as a whole has resources, where half free cores count as
    free although full-pcpus-only cannot give them, and where it is not told which CPUs are reserved.
    """
    if not world.knows_reserved or pod.whole or asks_for_devices(world, pod.containers):
        return False
    if world.settings.memory_static and pod.qos == "Guaranteed":
        return False
    return WHOLE_CORES not in world.settings.options or whole_cores_only(world, pod)


def whole_cores_only(world: World, pod: PodSpec) -> bool:
    """Tell whether all free CPUs are those of whole cores, and all requests too, on a machine of equal cores."""
    cores = world.machine.core_bits
    if len({core.bit_count() for core in cores}) > 1 or split_cores(world.machine, world.free):
        return False
    return all(container.exclusive % cores[0].bit_count() == 0 for container in pod.containers)


class ResourceRequest(msgspec.Struct, frozen=True):
    """What a container, or a pod as a whole, asks the managers for: CPUs of its own, bytes by type, devices."""

    cpus: int
    memory: Mapping[str, int]
    devices: Mapping[str, int]

    @classmethod
    def of(cls, world: World, pod: PodSpec, containers: Iterable[ContainerSpec]) -> "ResourceRequest":
        """Add up what containers of a pod ask for."""
        asking = tuple(containers)
        cpus, memory = 0, dict[str, int]()
        for container in asking:
            cpus += container.exclusive if world.settings.static else 0
            for kind, number in memory_of(world, pod, container).items():
                memory[kind] = memory.get(kind, 0) + number
        devices = asked_devices(world.machine, asking)
        return cls(cpus, {kind: number for kind, number in memory.items() if number}, devices)

    @classmethod
    def at_once(cls, world: World, pod: PodSpec) -> "ResourceRequest":
        """Return what a pod needs at its busiest moment: the larger of app containers and each init container."""
        every = cls.of(world, pod, pod.containers)
        memory = {kind: int(pod.effective(kind)) for kind in every.memory}
        devices = {name: int(pod.effective(name)) for name in every.devices}
        return cls(pod.exclusive if world.settings.static else 0, memory, devices)

    @property
    def nothing(self) -> bool:
        """Whether no manager is asked for anything."""
        return not self.cpus and not self.memory and not any(self.devices.values())


def asked_devices(machine: Machine, containers: Iterable[ContainerSpec]) -> dict[str, int]:
    """Add up the devices of the machine that containers ask for."""
    known = {device.resource for device in machine.devices}
    devices: dict[str, int] = {}
    for container in containers:
        for name in sorted(known & container.limits.keys()):
            devices[name] = devices.get(name, 0) + int(container.limits[name])
    return devices


def memory_of(world: World, pod: PodSpec, container: ContainerSpec) -> dict[str, int]:
    """Return the bytes by type that the Memory Manager is to give a container; nothing for other classes."""
    if not world.settings.memory_static or pod.qos != "Guaranteed":
        return {}
    kinds = [name for name in container.requests if name == "memory" or name.startswith(HUGE)]
    return {kind: int(container.requests[kind]) for kind in kinds}
