"""What a kubelet keeps, by NUMA node: what an object that tells of the node should say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...cpuset import CpuSet
from ...kube.resource_names import page_bytes
from ...machine import Machine, machine_from_dict


@dataclass(frozen=True, slots=True)
class Amounts:
    """How much of a resource a NUMA node has, gives to pods, and has left; None where the kubelet does not say.

    ``unhealthy``: devices of the capacity that no interface tells the NUMA node of, and that may be left out.
    """

    capacity: int
    allocatable: int | None = None
    available: int | None = None
    unhealthy: int = 0

    def allowed(self, part: str) -> tuple[int, ...] | None:
        """Return the numbers that an object may tell; None where any may be."""
        if part == "capacity":
            return tuple({self.capacity, self.capacity - self.unhealthy})
        amount = self.allocatable if part == "allocatable" else self.available
        return None if amount is None else (amount,)


@dataclass(frozen=True)
class NodeAmounts:
    """A node: its machine, the Topology Manager's policy and scope, and NUMA node to resource to amounts.

    ``shared``: resources of which some device is near several NUMA nodes. How zones tell of those is not said anywhere.
    """

    machine: Machine
    policy: str
    scope: str
    amounts: Mapping[int, Mapping[str, Amounts]]
    shared: frozenset[str] = field(default_factory=frozenset)


def node_amounts(report: Mapping[str, Any]) -> NodeAmounts:
    """Return what a kubelet keeps, as a cluster of real parts tells it of a node."""
    machine = machine_from_dict(report["machine"], "machine")
    amounts: dict[int, dict[str, Amounts]] = {node: {} for node in machine.numa_ids}
    _add_cpus(amounts, machine, report)
    _add_memory(amounts, machine, report)
    shared = _add_devices(amounts, machine, report["devices"])
    return NodeAmounts(machine, report["policy"], report["scope"], amounts, shared)


def _add_cpus(amounts: dict[int, dict[str, Amounts]], machine: Machine, report: Mapping[str, Any]) -> None:
    """Under policy none the kubelet gives no CPUs by number, and says nothing of them."""
    allocatable = CpuSet.parse(report["allocatable_cpus"]).bits
    left = allocatable & ~CpuSet.parse(report["held_cpus"]).bits
    for node, cpus in machine.numa_bits.items():
        capacity = (cpus & machine.online_bits).bit_count()
        counts = ((cpus & allocatable).bit_count(), (cpus & left).bit_count()) if allocatable else ()
        amounts[node]["cpu"] = Amounts(capacity, *counts)


def _add_memory(amounts: dict[int, dict[str, Amounts]], machine: Machine, report: Mapping[str, Any]) -> None:
    for memory in machine.memory:
        sizes = {"memory": memory.memory or 0}
        sizes |= {f"hugepages-{size}": page_bytes(size) * count for size, count in memory.hugepages.items()}
        amounts[memory.node] |= {kind: Amounts(size) for kind, size in sizes.items() if size}
    for node in report["memory"] or ():
        of_node = amounts[node["node"]]
        for kind, table in node["tables"].items():
            if kind in of_node:
                of_node[kind] = Amounts(of_node[kind].capacity, table["allocatable"], table["free"])


def _add_devices(
    amounts: dict[int, dict[str, Amounts]], machine: Machine, held: Mapping[str, Iterable[str]]
) -> frozenset[str]:
    shared = {device.resource for device in machine.devices if len(device.numa) > 1}
    for resource in {device.resource for device in machine.devices} - shared:
        taken = set(held.get(resource, ()))
        for node in machine.numa_ids:
            near = [device for device in machine.devices if (device.resource, device.numa) == (resource, (node,))]
            if near:
                healthy = [device for device in near if device.healthy]
                left = sum(device.id not in taken for device in healthy)
                amounts[node][resource] = Amounts(len(near), len(healthy), left, len(near) - len(healthy))
    return frozenset(shared)
