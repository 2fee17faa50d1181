"""Building the managers of a node in the kubelet's order, each refusing what it cannot work with."""

from collections.abc import Iterator, Sequence

from ...cpuset import format_bits
from ...errors import StartError
from ...kube.kubelet_config import KubeletConfiguration
from ...kube.quantity import Quantity
from ...kube.reservation import explicit_reserved_cpus, node_reservation
from ...machine.model import Machine
from ...sources.changes import Changes
from ..managers.policy_options import check_gates
from ..managers.provider import MakeProvider, NodeSetup, Provider
from ..managers.topology import TopologyPolicy, make_topology_policy


def bring_up(setup: NodeSetup, managers: Sequence[MakeProvider]) -> tuple[TopologyPolicy, tuple[Provider, ...]]:
    """Build the Topology Manager's policy and then the managers, in this order.

    Raises ``StartError`` with the first stage that refuses; the configuration itself is looked at first.
    """
    machine, config = setup.machine, setup.config
    if explicit_reserved_cpus(config) & ~machine.online_bits:
        online = format_bits(machine.online_bits)
        raise StartError(
            "kubelet", f"reserved-cpus: {config.reserved_system_cpus} is not a subset of online-cpus: {online}"
        )
    check_gates(config, setup.gates)
    policy = make_topology_policy(config, machine.numa_ids, machine.distances, setup.gates, setup.quirks.topology)
    return policy, tuple(make(setup) for make in managers)


def excessive_reservations(
    machine: Machine, config: KubeletConfiguration, disk: int | None = None
) -> Iterator[tuple[str, Quantity, Quantity]]:
    """Yield each resource of which more is reserved than there is, with both amounts (ADM-RSV-01).

    ``disk``: bytes of the file system that has ephemeral storage. Memory and disk are left out where nobody knows.
    """
    capacity = {"cpu": len(machine.cpus)}
    if machine.memory and all(node.memory is not None for node in machine.memory):
        capacity["memory"] = machine.total_memory
    if disk is not None:
        capacity["ephemeral-storage"] = disk
    for name, reservation in node_reservation(config, capacity).items():
        if reservation > Quantity(capacity[name]):
            yield name, reservation, Quantity(capacity[name], "decimal" if name == "cpu" else "binary")


def unreserved_enforcement(config: KubeletConfiguration) -> str:
    """Return what a kubelet says of a cgroup whose limits it is to enforce, and nothing is reserved (ADM-RSV-02)."""
    obj = config.to_dict()
    for suffix in ("", "-compressible"):
        for kind, amounts in (("system", config.system_reserved), ("kube", config.kube_reserved)):
            if f"{kind}-reserved{suffix}" in (obj.get("enforceNodeAllocatable") or ()) and not amounts:
                group, words = str(obj.get(f"{kind}ReservedCgroup")), suffix.replace("-c", " C")
                parts = " ".join(f'"{part}"' for part in group.split("/") if part)
                what = f'{kind.capitalize()} Reserved{words} Cgroup Limits on "{group}"'
                return f"Failed to enforce {what}: [{parts}] cgroup is not configured properly"
    return ""


def check_reservations(machine: Machine, config: KubeletConfiguration, changes: Changes, disk: int | None) -> None:
    """Raise ``StartError`` where too much is reserved, or nothing that is to be enforced; amounts are quantities."""
    faults = []
    for name, reservation, capacity in excessive_reservations(machine, config, disk):
        if changes.reservations_are_told_beside_capacity:
            fault = f"a reservation of {reservation} but capacity of {capacity}. Expected capacity >= reservation."
        else:
            fault = f"an allocatable of {reservation}, capacity of {capacity - reservation}"
        faults.append(f'Resource "{name}" has {fault}')
    text = f"invalid Node Allocatable configuration. {' '.join(faults)}" if faults else unreserved_enforcement(config)
    if text:
        raise StartError("kubelet", text)
