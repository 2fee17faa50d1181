"""The JSON form of a machine: the one on the wire, in recorded decisions and in ``--json`` output."""

from typing import Any

import msgspec
import yaml

from ..cpuset import CpuSet
from ..fields import Fields
from ..forms import read_form
from .compact import expand, is_compact
from .compact_cpus import (
    REGULAR_FIELDS,
    id_bits,
    page_counts,
    preferences,
    refuse_crooked_distances,
    refuse_repeated_devices,
    refuse_repeats,
)
from .forms import MAX_CPUS, MAX_NODES, CompactForm, MachineForm
from .model import Cpu, Device, Machine, MemoryNode

_DUMPER: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def machine_to_dict(machine: Machine) -> dict[str, Any]:
    """Return the JSON form; optional parts that say nothing are left out."""
    pages_by_node = [dict(sorted(node.hugepages.items())) for node in machine.memory]
    obj: dict[str, Any] = {
        "name": machine.name,
        "cpus": msgspec.to_builtins(list(machine.cpus)),
        "memory": [
            {"node": node.node, "memory": node.memory, **({"hugepages": pages} if pages else {})}
            for node, pages in zip(machine.memory, pages_by_node, strict=True)
        ],
        "distances": None if machine.distances is None else [list(row) for row in machine.distances],
        "devices": [
            {
                "resource": device.resource,
                "id": device.id,
                "numa": list(device.numa),
                **({} if device.healthy else {"healthy": False}),
            }
            for device in machine.devices
        ],
    }
    plugins = sorted(machine.preferred_allocation.items())
    optional = {
        "devicePlugins": {resource: {"preferredAllocation": way} for resource, way in plugins},
        "offline": str(CpuSet(machine.offline)),
        "uncoreSource": None if machine.uncore_source == "hardware" else machine.uncore_source,
        "description": machine.description,
        "notes": list(machine.notes),
    }
    return obj | {name: value for name, value in optional.items() if value}


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
    text: str = yaml.dump(
        value, Dumper=_DUMPER, default_flow_style=True, width=2**31 - 1, sort_keys=False, allow_unicode=True
    )
    return text.removesuffix("\n").removesuffix("\n...")


def machine_from_dict(obj: object, place: str = "") -> Machine:
    """Read the JSON form or the compact form; raises ``UsageError`` with every fault and its field path.

    Faults of single fields come all at once; what contradicts what is looked for when each field is right.
    """
    fields = Fields(place)
    if is_compact(obj):
        machine = expand(read_form(CompactForm, obj, place), frozenset(obj), fields)
    else:
        machine = _machine(read_form(MachineForm, obj, place), fields)
    fields.name(machine.name, "name")
    fields.raise_if_any()
    return machine


def _machine(form: MachineForm, fields: Fields) -> Machine:
    machine = Machine(
        name=form.name,
        cpus=tuple(
            Cpu(cpu.id, cpu.core, cpu.socket, cpu.numa, cpu.uncore) for cpu in sorted(form.cpus, key=lambda cpu: cpu.id)
        ),
        memory=tuple(
            MemoryNode(node.node, node.memory, page_counts(node.hugepages, f"memory[{index}].hugepages", fields))
            for index, node in enumerate(form.memory)
        ),
        distances=None if form.distances is None else tuple(map(tuple, form.distances)),
        devices=tuple(
            Device(device.resource, device.id, tuple(device.numa or ()), device.healthy)
            for device in form.devices or ()
        ),
        preferred_allocation=preferences(form.device_plugins),
        offline=tuple(CpuSet.from_bits(id_bits(form.offline, "offline", fields))),
        uncore_source=form.uncore_source,
        description=form.description or "",
        notes=tuple(form.notes or ()),
    )
    if fields.sound:
        _refuse_contradictions(machine, fields)
    return machine


def _refuse_contradictions(machine: Machine, fields: Fields) -> None:
    refuse_repeats((cpu.id for cpu in machine.cpus), "cpus", fields)
    nodes = [node.node for node in machine.memory]
    refuse_repeats(nodes, "memory", fields)
    if nodes != sorted(nodes):
        fields.fault("memory", "the NUMA nodes do not ascend", "ascending by `node`, as the rows of `distances` are")
    known = set(nodes)
    for cpu in machine.cpus:
        if cpu.numa not in known:
            fields.fault("cpus", f"CPU {cpu.id} is on NUMA node {cpu.numa}, which `memory` does not name")
    if both := CpuSet(machine.offline) & CpuSet.from_bits(machine.online_bits):
        fields.fault("offline", f"the CPUs {both} are online too")
    refuse_crooked_distances(machine.distances, machine.memory, fields)
    refuse_repeated_devices(machine.devices, fields)


_EXCLUSIVE = (("id", "count"), ("id", "perNuma"), ("count", "perNuma"), ("numa", "perNuma"))
"""Fields of a compact device that cannot stand beside each other."""


def machine_schema() -> dict[str, Any]:
    """Return the schema of the JSON form: every CPU stands in it."""
    return _schema(
        MachineForm,
        "A machine, CPU by CPU",
        "Beyond this schema, ids are unique, every CPU is on a NUMA node that `memory` names, `memory` ascends, "
        "`distances` is square over it, and no offline CPU is online.",
    )


def compact_schema() -> dict[str, Any]:
    """Return the schema of the compact form: counts for regular machines, groups for others."""
    schema = _schema(
        CompactForm,
        "A machine, by counts or groups",
        "Beyond this schema, ids are unique, lists are as long as the machine has nodes, offline CPUs exist, and a "
        f"machine has at most {MAX_CPUS} CPUs and {MAX_NODES} NUMA nodes.",
    )
    # That fields exclude each other is nothing that the types say.
    schema["oneOf"] = [
        {"required": ["coresPerNuma"], "not": {"required": ["groups"]}},
        {"required": ["groups"], "not": {"anyOf": [{"required": [key]} for key in REGULAR_FIELDS]}},
    ]
    schema["$defs"]["CompactDeviceForm"]["not"] = {"anyOf": [{"required": list(pair)} for pair in _EXCLUSIVE]}
    return schema


def _schema(form: type[msgspec.Struct], title: str, beyond: str) -> dict[str, Any]:
    _, definitions = msgspec.json.schema_components([form], ref_template="#/$defs/{name}")
    schema = definitions.pop(form.__name__)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": title,
        "description": f"{schema['description']} {beyond}",
        "$defs": dict(sorted(definitions.items())),
    }
