"""Small machines of two to four NUMA nodes: which they are, and what the nodes of alike ones are given."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ...machine import Device, Machine
from ..judge.choice import numa_cpus
from .cells import devices_near

__all__ = ["OF_EVERY_MANAGER", "are_alike", "has_few_nodes", "with_pages_and_devices"]

OF_EVERY_MANAGER = frozenset(
    {
        "cpu-manager/static",
        "cpu-manager/init-containers",
        "device-manager/allocation",
        "memory-manager/static",
        "memory-manager/hugepages",
    }
)
"""What a target must claim to be asked for CPUs, devices, memory and huge pages of containers in turn."""
MOST_CPUS = 32
ROOM = 4 << 30
"""Memory that each of alike NUMA nodes has at least, in bytes."""


def has_few_nodes(machine: Machine) -> bool:
    """Tell whether a machine is small, and two to four of its NUMA nodes have CPUs."""
    return len(machine.cpus) <= MOST_CPUS and 1 < len(numa_cpus(machine)) < 5


def are_alike(machine: Machine) -> bool:
    """Tell so of one whose NUMA nodes have the same memory, and enough of it for huge pages."""
    sizes = {node.memory or 0 for node in machine.memory}
    each = len(numa_cpus(machine)) == len(machine.memory)
    return has_few_nodes(machine) and each and len(sizes) == 1 and min(sizes) >= ROOM


def with_pages_and_devices(
    machine: Machine, name: str, pages: int, resource: str, number: int, besides: Iterable[Device] = ()
) -> Machine:
    """Return a machine of another name whose NUMA nodes have so many huge pages of 2 MiB and so many devices each."""
    memory = tuple(replace(node, hugepages={"2Mi": pages}) for node in machine.memory)
    near = devices_near(resource, (node.node for node in machine.memory), number)
    return replace(machine, name=f"{machine.name} with {name}", memory=memory, devices=(*besides, *near))
