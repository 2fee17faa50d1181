"""The JSON form of a machine: the one on the wire, in recorded decisions and in ``--json`` output."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..cpuset import MAX_ID, CpuSet
from ..errors import CpuSetSyntaxError, Fault, UsageError, closest
from .model import Cpu, Device, Machine, MemoryNode

__all__ = ["MAX_CPUS", "MAX_NODES", "machine_from_dict", "machine_to_dict"]

MAX_CPUS = 8192
MAX_NODES = 1024
_FIELDS = (
    "name",
    "cpus",
    "memory",
    "distances",
    "devices",
    "devicePlugins",
    "offline",
    "uncoreSource",
    "description",
    "notes",
)
_SOURCES = ("hardware", "reported")


def machine_to_dict(machine: Machine) -> dict[str, Any]:
    """Return the JSON form; optional parts that say nothing are left out."""
    obj: dict[str, Any] = {
        "name": machine.name,
        "cpus": [
            {"id": cpu.id, "core": cpu.core, "socket": cpu.socket, "numa": cpu.numa, "uncore": cpu.uncore}
            for cpu in machine.cpus
        ],
        "memory": [_memory_to_dict(node) for node in machine.memory],
        "distances": None if machine.distances is None else [list(row) for row in machine.distances],
        "devices": [
            {
                "resource": one.resource,
                "id": one.id,
                "numa": list(one.numa),
                **({} if one.healthy else {"healthy": False}),
            }
            for one in machine.devices
        ],
    }
    if machine.preferred_allocation:
        obj["devicePlugins"] = {
            resource: {"preferredAllocation": way} for resource, way in sorted(machine.preferred_allocation.items())
        }
    if machine.offline:
        obj["offline"] = str(CpuSet(machine.offline))
    if machine.uncore_source != "hardware":
        obj["uncoreSource"] = machine.uncore_source
    if machine.description:
        obj["description"] = machine.description
    if machine.notes:
        obj["notes"] = list(machine.notes)
    return obj


def _memory_to_dict(node: MemoryNode) -> dict[str, Any]:
    obj: dict[str, Any] = {"node": node.node, "memory": node.memory}
    if node.hugepages:
        obj["hugepages"] = dict(sorted(node.hugepages.items()))
    return obj


def machine_from_dict(obj: object, place: str = "") -> Machine:
    """Read the JSON form; raises ``UsageError`` with every fault and its field path."""
    return _Reader(place).read(obj)


class _Reader:
    """Reads one machine, gathering faults."""

    def __init__(self, place: str) -> None:
        self._place = place
        self._faults: list[Fault] = []

    def read(self, obj: object) -> Machine:
        machine = self._machine(self._mapping(obj, ""))
        if not self._faults:
            self._check(machine)
        if self._faults:
            raise UsageError(self._faults)
        return machine

    def _fault(self, path: str, message: str, accepted: str | None = None, suggestion: str | None = None) -> None:
        where = ": ".join(part for part in (self._place, path) if part)
        self._faults.append(Fault(where, message, accepted, suggestion))

    def _machine(self, obj: Mapping[str, Any]) -> Machine:
        self._known(obj, _FIELDS, "")
        source = obj.get("uncoreSource", "hardware")
        if source not in _SOURCES:
            self._fault("uncoreSource", f"is {source!r}", " or ".join(_SOURCES))
        cpus = [self._cpu(item, f"cpus[{i}]") for i, item in enumerate(self._list(obj.get("cpus"), "cpus", MAX_CPUS))]
        memory = [
            self._memory(item, f"memory[{i}]")
            for i, item in enumerate(self._list(obj.get("memory"), "memory", MAX_NODES))
        ]
        devices = self._list(obj.get("devices"), "devices", 65_536)
        return Machine(
            name=self._text(obj.get("name"), "name"),
            cpus=tuple(sorted(cpus, key=lambda cpu: cpu.id)),
            memory=tuple(sorted(memory, key=lambda node: node.node)),
            distances=self._distances(obj.get("distances")),
            devices=tuple(self._device(item, f"devices[{i}]") for i, item in enumerate(devices)),
            preferred_allocation=self._plugins(obj.get("devicePlugins")),
            offline=self._offline(obj.get("offline")),
            uncore_source="reported" if source == "reported" else "hardware",
            description=self._text(obj.get("description"), "description"),
            notes=tuple(self._text(note, "notes") for note in self._list(obj.get("notes"), "notes", 1000)),
        )

    def _cpu(self, item: object, path: str) -> Cpu:
        obj = self._mapping(item, path)
        self._known(obj, ("id", "core", "socket", "numa", "uncore"), path)
        return Cpu(
            id=self._id(obj.get("id"), f"{path}.id"),
            core=self._optional_id(obj.get("core"), f"{path}.core"),
            socket=self._id(obj.get("socket"), f"{path}.socket", low=-1),
            numa=self._id(obj.get("numa"), f"{path}.numa"),
            uncore=self._optional_id(obj.get("uncore"), f"{path}.uncore"),
        )

    def _memory(self, item: object, path: str) -> MemoryNode:
        obj = self._mapping(item, path)
        self._known(obj, ("node", "memory", "hugepages"), path)
        size = obj.get("memory")
        pages = self._mapping(obj.get("hugepages") or {}, f"{path}.hugepages")
        return MemoryNode(
            node=self._id(obj.get("node"), f"{path}.node"),
            memory=None if size is None else self._whole(size, f"{path}.memory"),
            hugepages={
                str(name): self._whole(count, f"{path}.hugepages.{name}") for name, count in sorted(pages.items())
            },
        )

    def _device(self, item: object, path: str) -> Device:
        obj = self._mapping(item, path)
        self._known(obj, ("resource", "id", "numa", "healthy"), path)
        nodes = self._list(obj.get("numa"), f"{path}.numa", MAX_NODES)
        healthy = obj.get("healthy", True)
        if not isinstance(healthy, bool):
            self._fault(f"{path}.healthy", f"is {healthy!r}", "true or false")
        return Device(
            resource=self._text(obj.get("resource"), f"{path}.resource"),
            id=self._text(obj.get("id"), f"{path}.id"),
            numa=tuple(self._id(node, f"{path}.numa") for node in nodes),
            healthy=healthy is True,
        )

    def _distances(self, value: object) -> tuple[tuple[int, ...], ...] | None:
        if value is None:
            return None
        rows = self._list(value, "distances", MAX_NODES)
        return tuple(
            tuple(self._whole(one, f"distances[{i}]") for one in self._list(row, f"distances[{i}]", MAX_NODES))
            for i, row in enumerate(rows)
        )

    def _plugins(self, value: object) -> dict[str, str | None]:
        plugins: dict[str, str | None] = {}
        for resource, plugin in self._mapping(value or {}, "devicePlugins").items():
            path = f"devicePlugins.{resource}"
            way = self._mapping(plugin or {}, path).get("preferredAllocation")
            if way not in (None, "lowest-id"):
                self._fault(f"{path}.preferredAllocation", f"is {way!r}", "lowest-id or null")
            plugins[str(resource)] = way if isinstance(way, str) else None
        return plugins

    def _offline(self, value: object) -> tuple[int, ...]:
        try:
            return tuple(CpuSet.parse(self._text(value, "offline")))
        except CpuSetSyntaxError as error:
            self._fault("offline", error.faults[0].message, error.faults[0].accepted)
            return ()

    def _check(self, machine: Machine) -> None:
        """Find contradictions between the parts."""
        if not machine.cpus:
            self._fault("cpus", "a machine has at least one CPU")
        for kind, ids in (("cpus", [c.id for c in machine.cpus]), ("memory", [n.node for n in machine.memory])):
            for one in sorted({one for one in ids if ids.count(one) > 1} if len(set(ids)) < len(ids) else ()):
                self._fault(kind, f"{one} stands there twice")
        known = {node.node for node in machine.memory}
        for cpu in machine.cpus:
            if cpu.numa not in known:
                self._fault("cpus", f"CPU {cpu.id} is on NUMA node {cpu.numa}, which memory does not name")
        both = CpuSet(machine.offline) & CpuSet.from_bits(machine.online_bits)
        if both:
            self._fault("offline", f"the CPUs {both} are online too")
        if machine.distances is not None and any(
            len(row) != len(machine.memory) for row in (machine.distances, *machine.distances)
        ):
            self._fault("distances", "is not square over the NUMA nodes of memory", f"{len(machine.memory)} rows")
        names = [(one.resource, one.id) for one in machine.devices]
        for name in sorted({name for name in names if names.count(name) > 1} if len(set(names)) < len(names) else ()):
            self._fault("devices", f"the device {name[1]!r} of {name[0]!r} stands there twice")

    def _known(self, obj: Mapping[str, Any], fields: tuple[str, ...], path: str) -> None:
        for key in obj:
            if key not in fields:
                where = f"{path}.{key}" if path else str(key)
                self._fault(where, "unknown field", ", ".join(fields), closest(str(key), fields))

    def _mapping(self, value: object, path: str) -> Mapping[str, Any]:
        if isinstance(value, Mapping):
            return value
        self._fault(path, f"is {type(value).__name__}", "an object")
        return {}

    def _list(self, value: object, path: str, most: int) -> list[Any]:
        if value is None:
            return []
        if not isinstance(value, list):
            self._fault(path, f"is {type(value).__name__}", "a list")
            return []
        if len(value) > most:
            self._fault(path, f"has {len(value)} entries", f"at most {most}")
            return []
        return value

    def _text(self, value: object, path: str) -> str:
        if value is None:
            return ""
        if not isinstance(value, str):
            self._fault(path, f"is {type(value).__name__}", "a text")
            return ""
        return value

    def _whole(self, value: object, path: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            self._fault(path, f"is {value!r}", "a whole number from 0")
            return 0
        return value

    def _id(self, value: object, path: str, low: int = 0) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= MAX_ID:
            self._fault(path, f"is {value!r}", f"a whole number from {low} to {MAX_ID}")
            return 0
        return value

    def _optional_id(self, value: object, path: str) -> int | None:
        return None if value is None else self._id(value, path)
