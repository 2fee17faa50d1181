"""The JSON form of a machine: the one on the wire, in recorded decisions and in ``--json`` output."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from ..cpuset import CpuSet
from .compact import expand, is_compact
from .fields import LARGEST, MAX_CPUS, MAX_DEVICES, MAX_NODES, Fields
from .model import Cpu, Device, Machine, MemoryNode

__all__ = ["MAX_CPUS", "MAX_NODES", "machine_from_dict", "machine_to_dict", "machine_to_yaml"]

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
_CPU_FIELDS = ("id", "core", "socket", "numa", "uncore")


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


def machine_to_yaml(machine: Machine) -> str:
    """Return the JSON form as YAML, one line per CPU, memory node, row of distances and device."""
    lines = []
    for key, value in machine_to_dict(machine).items():
        if isinstance(value, list) and value:
            lines.append(f"{key}:")
            lines.extend(f"  - {_flow(item)}" for item in value)
        else:
            lines.append(f"{key}: {_flow(value)}")
    return "\n".join(lines) + "\n"


def _flow(value: object) -> str:
    text: str = yaml.safe_dump(value, default_flow_style=True, width=2**31, sort_keys=False, allow_unicode=True)
    return text.removesuffix("\n").removesuffix("\n...")


def _memory_to_dict(node: MemoryNode) -> dict[str, Any]:
    obj: dict[str, Any] = {"node": node.node, "memory": node.memory}
    if node.hugepages:
        obj["hugepages"] = dict(sorted(node.hugepages.items()))
    return obj


def machine_from_dict(obj: object, place: str = "") -> Machine:
    """Read the JSON form or the compact form; raises ``UsageError`` with every fault and its field path."""
    fields = Fields(place)
    machine = expand(obj, fields) if is_compact(obj) else _machine(fields.mapping(obj, "", _FIELDS), fields)
    fields.raise_if_any()
    return machine


def _machine(obj: Mapping[str, Any], fields: Fields) -> Machine:
    for needed in ("cpus", "memory"):
        if obj.get(needed) is None:
            fields.fault(needed, "is missing", "a list; a regular machine has `sockets` and its like in its place")
    cpus = fields.items(obj.get("cpus"), "cpus", MAX_CPUS, lambda item, path: _cpu(item, path, fields))
    memory = fields.items(obj.get("memory"), "memory", MAX_NODES, lambda item, path: _memory(item, path, fields))
    offline = fields.ids(obj.get("offline"), "offline")
    source = fields.choice(obj.get("uncoreSource", "hardware"), "uncoreSource", ("hardware", "reported"))
    machine = Machine(
        name=fields.text(obj.get("name"), "name", needed=True),
        cpus=tuple(sorted(cpus, key=lambda cpu: cpu.id)),
        memory=tuple(memory),
        distances=None if obj.get("distances") is None else fields.matrix(obj["distances"]),
        devices=tuple(
            fields.items(obj.get("devices"), "devices", MAX_DEVICES, lambda item, path: _device(item, path, fields))
        ),
        preferred_allocation=fields.plugins(obj.get("devicePlugins")),
        offline=tuple(CpuSet.from_bits(offline)),
        uncore_source="reported" if source == "reported" else "hardware",
        description=fields.text(obj.get("description"), "description"),
        notes=tuple(fields.items(obj.get("notes"), "notes", 1000, fields.text)),
    )
    if fields.sound:
        _refuse_contradictions(machine, fields)
    return machine


def _cpu(item: object, path: str, fields: Fields) -> Cpu:
    obj = fields.mapping(item, path, _CPU_FIELDS)
    return Cpu(
        id=fields.id(obj.get("id"), f"{path}.id"),
        core=fields.optional_id(obj.get("core"), f"{path}.core"),
        socket=fields.whole(obj.get("socket"), f"{path}.socket", -1, LARGEST),
        numa=fields.id(obj.get("numa"), f"{path}.numa"),
        uncore=fields.optional_id(obj.get("uncore"), f"{path}.uncore"),
    )


def _memory(item: object, path: str, fields: Fields) -> MemoryNode:
    obj = fields.mapping(item, path, ("node", "memory", "hugepages"))
    size = obj.get("memory")
    return MemoryNode(
        node=fields.id(obj.get("node"), f"{path}.node"),
        memory=None if size is None else fields.whole(size, f"{path}.memory"),
        hugepages=fields.hugepages(obj.get("hugepages"), f"{path}.hugepages"),
    )


def _device(item: object, path: str, fields: Fields) -> Device:
    obj = fields.mapping(item, path, ("resource", "id", "numa", "healthy"))
    return Device(
        resource=fields.text(obj.get("resource"), f"{path}.resource", needed=True),
        id=fields.text(obj.get("id"), f"{path}.id", needed=True),
        numa=tuple(fields.items(obj.get("numa"), f"{path}.numa", MAX_NODES, fields.id)),
        healthy=fields.flag(obj.get("healthy", True), f"{path}.healthy"),
    )


def _refuse_contradictions(machine: Machine, fields: Fields) -> None:
    if not machine.cpus:
        fields.fault("cpus", "a machine has at least one CPU")
    fields.no_repeats((cpu.id for cpu in machine.cpus), "cpus")
    nodes = [node.node for node in machine.memory]
    fields.no_repeats(nodes, "memory")
    if nodes != sorted(nodes):
        fields.fault("memory", "the NUMA nodes do not ascend", "ascending by `node`, as the rows of `distances` are")
    known = set(nodes)
    for cpu in machine.cpus:
        if cpu.numa not in known:
            fields.fault("cpus", f"CPU {cpu.id} is on NUMA node {cpu.numa}, which `memory` does not name")
    both = CpuSet(machine.offline) & CpuSet.from_bits(machine.online_bits)
    if both:
        fields.fault("offline", f"the CPUs {both} are online too")
    fields.square(machine.distances, machine.memory)
    fields.no_duplicate_devices(machine.devices)
