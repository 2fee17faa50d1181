"""What a node holds, as the reference goes on from it: its state files, its devices, and the pods that hold something.

State files tell what containers were given, and not what they asked for. A pod of which nothing else is known is made
of that: it asks for what it holds. With its manifest it asks for all that it did.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ..kube import Container, Pod, Quantity
from ..kube.container import QosClass
from ..machine import Device, Machine
from ..reference.managers.device import DEVICE_FILE
from .look import Sight

Amounts = dict[str, dict[str, int]]


@dataclass(frozen=True)
class NodeHoldings:
    """A node to go on from.

    ``files``: its state files by name. ``pods``: those that hold something. ``names``: namespace and name by uid, the
    uid where they are not known. ``new``: the manifests that are of none of them. ``notes``: what is not known.
    """

    machine: Machine
    files: Mapping[str, str]
    pods: tuple[Pod, ...]
    names: Mapping[str, str]
    new: tuple[Pod, ...]
    notes: tuple[str, ...]


def node_holdings(sight: Sight, manifests: Sequence[Pod]) -> NodeHoldings:
    """Return what a node holds; manifests are matched by uid, or by namespace and name where the node tells them."""
    holdings, guaranteed = _amounts(sight)
    names = {container.uid: (container.namespace, container.pod) for container in sight.names.values() if container.uid}
    by_name = {name: uid for uid, name in names.items() if uid in holdings}
    known: dict[str, Pod] = {}
    new: list[Pod] = []
    for pod in manifests:
        uid = pod.uid if pod.uid in holdings else by_name.get((pod.namespace, pod.name))
        if uid is None:
            new.append(pod)
        else:
            known[uid] = replace(pod, uid=uid)
    made = {
        uid: _made(uid, *names.get(uid, ("", uid)), containers, "Guaranteed" if uid in guaranteed else None)
        for uid, containers in holdings.items()
        if uid not in known
    }
    pods = sorted({**known, **made}.values(), key=lambda pod: (pod.created, pod.uid))
    machine, unplaced = _with_devices(sight, sight.machine)
    return NodeHoldings(
        machine,
        {name: file.text for name, file in sight.state.files.items()},
        tuple(pods),
        {pod.uid: f"{pod.namespace}/{pod.name}" if pod.namespace else pod.uid for pod in pods},
        tuple(new),
        tuple(_notes(made, unplaced)),
    )


def _amounts(sight: Sight) -> tuple[dict[str, Amounts], set[str]]:
    """Return what each container holds of each resource, by uid and name, and the uids of Guaranteed pods."""
    by_pod: dict[str, Amounts] = {}
    state = sight.state

    def container(uid: str, name: str) -> dict[str, int]:
        return by_pod.setdefault(uid, {}).setdefault(name, {})

    for uid, containers in (state.cpus.assignments if state.cpus else {}).items():
        for name, cpus in containers.items():
            container(uid, name)["cpu"] = cpus.bit_count()
    for uid, memory in state.blocks.items():
        for name, blocks in memory.items():
            for block in blocks:
                amounts = container(uid, name)
                amounts[block.type] = amounts.get(block.type, 0) + block.bytes
    guaranteed = set(by_pod)  # none else is given CPUs or memory of its own
    for entry in state.devices or ():
        ids = {device for listed in entry.devices.values() for device in listed}
        container(entry.uid, entry.container)[entry.resource] = len(ids)
    return by_pod, guaranteed


def _made(uid: str, namespace: str, name: str, holdings: Amounts, qos: QosClass | None) -> Pod:
    containers = []
    for container, amounts in sorted(holdings.items()):
        limits = {resource: _quantity(resource, amount) for resource, amount in amounts.items()}
        containers.append(Container(container, limits, limits))
    return Pod(uid, name, namespace, (), tuple(containers), status_qos_class=qos)


def _quantity(resource: str, amount: int) -> Quantity:
    return Quantity(amount, "binary" if resource == "memory" or resource.startswith("hugepages-") else "decimal")


def _with_devices(sight: Sight, machine: Machine) -> tuple[Machine, int]:
    """Add the devices that the Device Manager knows, unless the machine has some; count those of unknown NUMA node.

    A host tree tells of no devices, and the Device Manager's file of the NUMA nodes of those alone that are given.
    """
    if sight.state.devices is None or machine.devices:
        return machine, 0
    near: dict[tuple[str, str], set[int]] = {}
    for entry in sight.state.devices:
        for node, ids in entry.devices.items():
            for device in ids:
                near.setdefault((entry.resource, device), set()).update({node} - {-1})
    registered = json.loads(sight.state.files[DEVICE_FILE].text)["Data"].get("RegisteredDevices") or {}
    healthy = {(resource, device) for resource, ids in registered.items() for device in ids or ()}
    devices = [
        Device(resource, name, tuple(sorted(near.get((resource, name), ()))), (resource, name) in healthy)
        for resource, name in sorted(near.keys() | healthy)
    ]
    return replace(machine, devices=tuple(devices)), len(healthy - near.keys())


def _notes(made: Mapping[str, Pod], unplaced: int) -> Iterable[str]:
    if made:
        yield (
            f"pods known by what they hold alone, and taken to ask for just that: {len(made)}; "
            "name their manifests (kubectl get pods -A -o yaml) to have all counted that they ask for"
        )
    if unplaced:
        yield f"of {unplaced} devices that are free the NUMA nodes are not known: a machine with them is --machine FILE"
