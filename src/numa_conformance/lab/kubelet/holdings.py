"""What a kubelet gives: to its node by what it tells, to containers by the state files and as the runtime was told."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec
from msgspec import UNSET

from ...cpuset import CpuSet, bits_of, format_bits
from ...machine import Machine
from ...wire.messages.node import ContainerHolding, MemoryBlock, NodeStarted
from ..kubelet_apis.interfaces import POD_RESOURCES, ask
from .cri_objects import CriContainer
from .files import StateFiles

_PERIOD = 100_000
"""Microseconds of CPU time of which a quota is told."""


def allocatable_cpus(folder: Path) -> int:
    """Return the CPUs that a kubelet says can be given to containers exclusively; 0 under policy none."""
    socket = str(folder / "pod-resources" / "kubelet.sock")
    method = "PodResourcesLister/GetAllocatableResources"
    allocatable = ask(socket, POD_RESOURCES, method, POD_RESOURCES.Empty(), "AllocatableResourcesResponse")
    return bits_of(allocatable.cpu_ids)


def node_started(machine: Machine, folder: Path, files: StateFiles) -> NodeStarted:
    """Return what is told of a node whose kubelet has come up in a folder."""
    allocatable = allocatable_cpus(folder)
    return NodeStarted(
        files.shared_pool,
        reserved_cpus=format_bits(machine.online_bits & ~allocatable) if allocatable else None,
        allocatable_cpus=format_bits(allocatable) if allocatable else None,
        memory_state=files.memory_nodes(),
    )


def holdings(
    uid: str,
    names: Iterable[str],
    made: Mapping[str, CriContainer],
    files: StateFiles,
    started: int,
    *,
    has_devices: bool,
    whole: tuple[str, str] | None = None,
) -> dict[str, ContainerHolding]:
    """Return container to what it holds, where ``made`` are the containers that the runtime has.

    ``started``: when the kubelet was started, in ns; what was made before has the NUMA nodes of then. ``whole``: the
    CPUs and NUMA nodes that a container may use of which the runtime was told none; None: what containers may use is
    not told.
    """
    exclusive = files.cpus(uid)
    held = {}
    for name in names:
        container = made.get(name)
        cpus = container.resources.cpuset_cpus if container is not None else ""
        held[name] = ContainerHolding(
            cpus=str(cpus) or exclusive[name] if name in exclusive else "",  # assigned, and the runtime not told yet
            memory=_runtime_memory(
                container if container and container.created > started else None, files.memory(uid, name)
            ),
            devices=files.devices(uid, name) if has_devices else None,
            cpu_quota=UNSET if container is None else _runtime_quota(container),
        )
        if whole and container and container.is_running:
            resources = container.resources
            cpuset, mems = resources.cpuset_cpus or whole[0], resources.cpuset_mems or whole[1]
            held[name] = msgspec.structs.replace(held[name], cpuset=cpuset, mems=mems)
    return held


def _runtime_memory(container: CriContainer | None, assigned: list[MemoryBlock] | None) -> list[MemoryBlock] | None:
    """Return the blocks assigned, on the NUMA nodes that the runtime was told, where these are others."""
    if container is None or not assigned:
        return assigned
    nodes = list(CpuSet.parse(container.resources.cpuset_mems))
    if nodes == sorted({node for block in assigned for node in block.nodes}):
        return assigned
    return [MemoryBlock(block.type, block.bytes, nodes) for block in assigned]


def _runtime_quota(container: CriContainer) -> int:
    """Return the CPU time that the runtime was told, in microseconds of each 100,000; -1 for no bound."""
    resources = container.resources
    return (
        resources.cpu_quota * _PERIOD // resources.cpu_period
        if resources.cpu_quota > 0 and resources.cpu_period > 0
        else -1
    )
