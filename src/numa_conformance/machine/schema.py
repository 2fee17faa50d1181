"""The JSON Schemas (draft 2020-12) of the two forms of a machine, made of the classes that its reader uses.

Shipped as ``fixtures/schemas/machine.schema.json`` and ``machine-compact.schema.json``; a test keeps the files equal to
what is made here.
"""

from typing import Any

import msgspec

from .compact_cpus import REGULAR_FIELDS
from .forms import MAX_CPUS, MAX_NODES, CompactForm, MachineForm

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
