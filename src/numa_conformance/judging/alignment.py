"""What can be aligned, by the Topology Manager's pages: how many NUMA nodes a request needs, what these can give."""

from __future__ import annotations

from collections.abc import Iterable

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
    """Tell whether a container asks for a device of the machine."""
    known = {device.resource for device in world.machine.devices}
    return any(known & container.requests.keys() for container in containers)


def empties_the_pool(world: World, pod: PodSpec) -> bool:
    """Tell whether a pod would leave the shared pool without a CPU, were none of its CPUs to serve twice."""
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
    """Tell whether CPUs are all that is aligned for a pod, and that at NUMA nodes, by simple counting."""
    return BY_SOCKET not in world.settings.options and only_a_number(world, pod)


def only_a_number(world: World, pod: PodSpec) -> bool:
    """Tell whether a number of CPUs is all that is aligned for a pod, at NUMA nodes or sockets.

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
