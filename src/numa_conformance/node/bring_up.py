"""Building the managers of a node in the kubelet's order, each refusing what it cannot work with."""

from __future__ import annotations

from dataclasses import dataclass

from ..cpuset import format_bits
from ..documentation.quirks import Quirks
from ..errors import StartError
from ..kube.features import FeatureGates
from ..kube.kubelet_config import KubeletConfiguration
from ..kube.reservation import explicit_reserved_cpus
from ..machine.kubelet_view import KubeletView
from ..machine.model import Machine
from ..managers.cpu import CpuManager, CpuTopology, make_cpu_manager, view_of
from ..managers.device import DeviceManager
from ..managers.memory import MemoryManager, make_memory_manager
from ..managers.topology import TopologyPolicy, make_topology_policy
from .admission import Provider

__all__ = ["Managers", "bring_up"]


@dataclass(frozen=True)
class Managers:
    """The managers of one node, as one start of the node agent made them."""

    cpu_topology: CpuTopology
    topology: TopologyPolicy
    cpu: CpuManager
    memory: MemoryManager
    device: DeviceManager

    @property
    def providers(self) -> tuple[Provider, ...]:
        """The managers that offer hints, in the order in which they are asked and allocate (TOPO-PROV-06)."""
        return (self.device, self.cpu, self.memory)


def bring_up(
    machine: Machine,
    view: KubeletView | None,
    config: KubeletConfiguration,
    gates: FeatureGates,
    quirks: Quirks,
) -> Managers:
    """Build the managers; raises ``StartError`` with the stage that refuses.

    The stages come in the kubelet's order: configuration, Topology Manager, CPU Manager, Memory Manager.
    """
    topology = CpuTopology.of(view or view_of(machine, quirks.cpu))
    _check_reserved_cpus(config, topology)
    policy = make_topology_policy(config, machine.numa_ids, machine.distances, gates, quirks.topology)
    cpu = make_cpu_manager(topology, config, gates, quirks.cpu)
    memory = make_memory_manager(machine, config, gates, quirks.memory)
    device = DeviceManager(machine, quirks=quirks.device)
    return Managers(topology, policy, cpu, memory, device)


def _check_reserved_cpus(config: KubeletConfiguration, topology: CpuTopology) -> None:
    reserved = explicit_reserved_cpus(config)
    if reserved & ~topology.all:
        raise StartError(
            "kubelet",
            f"reserved cpus list {config.reserved_system_cpus} is not a subset of the online cpus "
            f"{format_bits(topology.all)}",
        )
