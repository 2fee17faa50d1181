"""The check of a whole kubelet that its node has what is kept back from pods (ADM-RSV-01)."""

from __future__ import annotations

from collections.abc import Iterator

from ...errors import StartError
from ...kube.kubelet_config import KubeletConfiguration
from ...kube.quantity import Quantity
from ...kube.reservation import node_reservation
from ...machine.model import Machine
from ...sources.changes import Changes


def excessive_reservations(machine: Machine, config: KubeletConfiguration) -> Iterator[tuple[str, Quantity, Quantity]]:
    """Yield each resource of which more is reserved than the machine has, with both amounts.

    Memory is left out where the machine does not say how much it has.
    """
    capacity = {"cpu": len(machine.cpus)}
    if machine.memory and all(node.memory is not None for node in machine.memory):
        capacity["memory"] = machine.total_memory
    for name, reservation in node_reservation(config, capacity).items():
        if reservation > Quantity(capacity[name]):
            yield name, reservation, Quantity(capacity[name], "binary" if name == "memory" else "decimal")


def check_reservation(machine: Machine, config: KubeletConfiguration, changes: Changes) -> None:
    """Raise ``StartError`` where more is reserved than the machine has; amounts are written as quantities."""
    faults = []
    for name, reservation, capacity in excessive_reservations(machine, config):
        if changes.reservations_are_told_beside_capacity:
            fault = f"a reservation of {reservation} but capacity of {capacity}. Expected capacity >= reservation."
        else:
            fault = f"an allocatable of {reservation}, capacity of {capacity - reservation}"
        faults.append(f'Resource "{name}" has {fault}')
    if faults:
        raise StartError("kubelet", f"invalid Node Allocatable configuration. {' '.join(faults)}")
