"""Machines with devices and pods that ask for them, in one line each."""

from collections.abc import Mapping, Sequence

from numa_conformance.kube.container import Container
from numa_conformance.kube.pod import Pod
from numa_conformance.kube.quantity import Quantity
from numa_conformance.machine.model import Cpu, Device, Machine, MemoryNode

GPU = "example.com/gpu"


def machine(
    devices: Sequence[tuple[str, Sequence[int]]] | Sequence[Device], nodes: int = 2, prefers: str | None = None
) -> Machine:
    """Return a machine with one CPU on node 0; a device is (id, NUMA nodes) or a ``Device``."""
    return Machine(
        name="devices",
        cpus=(Cpu(0, 0, 0, 0),),
        memory=tuple(MemoryNode(node, 0) for node in range(nodes)),
        devices=tuple(one if isinstance(one, Device) else Device(GPU, one[0], tuple(one[1])) for one in devices),
        preferred_allocation={GPU: prefers},
    )


def container(name: str, gpus: int | None = None, *, sidecar: bool = False, **others: int) -> Container:
    """Return a container that asks for ``gpus`` and for other resources by their short name."""
    limits = {GPU: gpus, **{f"example.com/{name}": count for name, count in others.items()}}
    amounts: Mapping[str, Quantity] = {name: Quantity(count) for name, count in limits.items() if count is not None}
    return Container(name, amounts, amounts, restart_always=sidecar)


def pod(uid: str, *containers: Container, init: Sequence[Container] = ()) -> Pod:
    """Return a pod of these containers."""
    return Pod(uid, uid, "default", tuple(init), containers)
