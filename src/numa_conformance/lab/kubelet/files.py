"""What a kubelet gives: what its state files say, read as they are, and what it tells its node and runtime."""

import json
from collections.abc import Callable, Iterable, Mapping, Set
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET

from ...cpuset import CpuSet, bits_of, checked, format_bits, union
from ...machine import Machine
from ...machine.hostfs.stores import STATE_FILES
from ...wire.messages.node import ContainerHolding, MemoryBlock, MemoryNode, MemoryTable, NodeStarted
from ..kubelet_apis.interfaces import POD_RESOURCES, ask
from .cri_objects import CriContainer

_CPUS, _MEMORY, _DEVICES = "cpu_manager_state", "memory_manager_state", "kubelet_internal_checkpoint"


class StateFiles:
    """The state files below a root, read when this is made."""

    def __init__(self, root: Path) -> None:
        places = {name: root / place for name, place in STATE_FILES.items()}
        self.texts = {name: place.read_text() for name, place in places.items() if place.exists()}
        self._cpu = self._read(_CPUS)
        self._memory = self._read(_MEMORY)
        devices = self._read(_DEVICES).get("Data") or {}
        self._devices = devices.get("PodDeviceEntries") or []
        self._registered = devices.get("RegisteredDevices") or {}

    def _read(self, name: str) -> dict[str, Any]:
        try:
            document = json.loads(self.texts.get(name, ""))
        except ValueError:
            return {}
        return document if isinstance(document, dict) else {}

    @property
    def shared_pool(self) -> str:
        """The default set of CPUs."""
        return str(self._cpu.get("defaultCpuSet") or "")

    def cpus(self, uid: str) -> dict[str, str]:
        """Return container to its exclusive CPUs."""
        return (self._cpu.get("entries") or {}).get(uid) or {}

    def memory(self, uid: str, container: str) -> list[MemoryBlock] | None:
        """Return a container's blocks; None where the Memory Manager keeps none."""
        if self._memory.get("policyName") != "Static":
            return None
        blocks = ((self._memory.get("entries") or {}).get(uid) or {}).get(container) or ()
        return [MemoryBlock(block["type"], block["size"], block["numaAffinity"]) for block in blocks]

    def devices(self, uid: str, container: str) -> dict[str, list[str]]:
        """Return resource to the ids that a container has."""
        return {
            entry["ResourceName"]: sorted({device for ids in entry["DeviceIDs"].values() for device in ids})
            for entry in self._devices
            if (entry["PodUID"], entry["ContainerName"]) == (uid, container)
        }

    def all_devices(self, uids: Set[str]) -> dict[str, list[str]]:
        """Return resource to the ids that containers of these pods have."""
        held: dict[str, set[str]] = {}
        for entry in self._devices:
            if entry["PodUID"] in uids:
                ids = {id for listed in entry["DeviceIDs"].values() for id in listed}
                held.setdefault(entry["ResourceName"], set()).update(ids)
        return {resource: sorted(ids) for resource, ids in held.items()}

    def books(self, uids: Set[str]) -> list[dict[str, Any]] | None:
        """Return NUMA nodes with what is allocatable and what is free of it once all but these pods have let go.

        The kubelet takes memory back when the next pod comes. ``free`` is None where what is to come back lies on
        several NUMA nodes. None where the Memory Manager keeps no books.
        """
        nodes = self.memory_nodes()
        if nodes is None:
            return None
        back: dict[tuple[int, str], int | None] = {}
        for uid, containers in (self._memory.get("entries") or {}).items():
            for block in (block for blocks in containers.values() for block in blocks if uid not in uids):
                for node in block["numaAffinity"]:
                    key, alone = (node, block["type"]), len(block["numaAffinity"]) == 1
                    known = back.get(key, 0)
                    back[key] = known + block["size"] if alone and known is not None else None
        listed = []
        for node in nodes:
            tables = {}
            for name, table in (node.tables or {}).items():
                more = back.get((checked(node.node), name), 0)
                tables[name] = {"allocatable": table.allocatable, "free": None if more is None else table.free + more}
            listed.append({"node": node.node, "tables": tables})
        return listed

    def registered(self) -> int:
        """Return how many healthy devices the kubelet knows."""
        return sum(map(len, self._registered.values()))

    def holders(self) -> Set[str]:
        """Return the uids of the pods that hold CPUs."""
        return (self._cpu.get("entries") or {}).keys()

    def memory_holders(self) -> Set[str]:
        """Return the uids of the pods to which memory is assigned."""
        return (self._memory.get("entries") or {}).keys()

    def held(self, uids: Iterable[str]) -> CpuSet:
        """Return the CPUs that pods hold together."""
        return CpuSet.from_bits(union(CpuSet.parse(cpus).bits for uid in uids for cpus in self.cpus(uid).values()))

    def has_freed(self, uids: Iterable[str], held: CpuSet) -> bool:
        """Tell whether these pods hold nothing and what they held is shared: the file is written for each by itself."""
        return not self.held(uids) and held <= CpuSet.parse(self.shared_pool)

    def memory_nodes(self) -> list[MemoryNode] | None:
        """Return every NUMA node with its books; None where the Memory Manager keeps none."""
        return self._memory_nodes(lambda tables: {"tables": {name: _table(table) for name, table in tables.items()}})

    def free_memory(self) -> list[MemoryNode] | None:
        """Return every NUMA node with what is free on it; None where the Memory Manager keeps no books."""
        return self._memory_nodes(lambda tables: {"free": {name: table["free"] for name, table in tables.items()}})

    def _memory_nodes(self, read: Callable[[Mapping[str, Any]], dict[str, Any]]) -> list[MemoryNode] | None:
        if self._memory.get("policyName") != "Static":
            return None
        return [
            MemoryNode(int(number), node["numberOfAssignments"], sorted(node["cells"]), **read(node["memoryMap"]))
            for number, node in sorted(self._memory["machineState"].items(), key=lambda item: int(item[0]))
        ]


def _table(table: Mapping[str, int]) -> MemoryTable:
    return MemoryTable(table["total"], table["systemReserved"], table["allocatable"], table["reserved"], table["free"])


_PERIOD = 100_000
"""Microseconds of CPU time of which a quota is told."""


def allocatable_cpus(folder: Path) -> int:
    """Return the CPUs that a kubelet says can be given to containers exclusively; 0 under policy none."""
    socket = str(folder / "pod-resources" / "kubelet.sock")
    method = "PodResourcesLister/GetAllocatableResources"
    return bits_of(ask(socket, POD_RESOURCES, method, POD_RESOURCES.Empty(), "AllocatableResourcesResponse").cpu_ids)


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
    quota, period = container.resources.cpu_quota, container.resources.cpu_period
    return quota * _PERIOD // period if quota > 0 and period > 0 else -1
