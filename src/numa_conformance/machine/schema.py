"""The JSON Schemas (draft 2020-12) of the two forms of a machine, from the constants its reader uses.

Shipped as ``fixtures/schemas/machine.schema.json`` and ``machine-compact.schema.json``; a test keeps the files equal to
what is made here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..cpuset import MAX_ID
from .compact import DISTANCES
from .compact_layout import MAX_THREADS, NUMBERINGS, UNCORE_WORDS
from .fields import LARGEST, MAX_CPUS, MAX_DEVICES, MAX_NODES, PAGE_SIZE, SIZE

__all__ = ["SCHEMAS", "compact_schema", "machine_schema"]

_Schema = dict[str, Any]
_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_MAX_BYTES = 2**63 - 1


def machine_schema() -> _Schema:
    """Return the schema of the JSON form: every CPU stands in it."""
    return {
        "$schema": _DRAFT,
        "title": "A machine, CPU by CPU",
        "description": "The form on the wire and in recorded decisions. Beyond this schema, ids are unique, every CPU "
        "is on a NUMA node that `memory` names, `memory` ascends, `distances` is square over it, and no offline CPU is "
        "online.",
        **_object(
            {
                "name": _NAME,
                "description": _TEXT,
                "notes": _list(_TEXT, 1000, "Facts worth knowing, warnings of the reader that made this."),
                "cpus": {**_list(_CPU, MAX_CPUS, "The online CPUs."), "minItems": 1},
                "memory": _list(_MEMORY, MAX_NODES, "Every NUMA node, ascending, with or without CPUs."),
                "distances": {
                    "description": "Rows and columns in the order of `memory`; null where the machine states none.",
                    "oneOf": [_MATRIX, {"type": "null"}],
                },
                "devices": {"type": ["array", "null"], "items": _DEVICE, "maxItems": MAX_DEVICES},
                "devicePlugins": _PLUGINS,
                "offline": _OFFLINE,
                "uncoreSource": _UNCORE_SOURCE,
            },
            ("name", "cpus", "memory"),
        ),
    }


def compact_schema() -> _Schema:
    """Return the schema of the compact form: counts for regular machines, groups for others."""
    regular = {
        "sockets": _count(MAX_NODES, "Sockets of the machine.", 1),
        "numaPerSocket": _count(MAX_NODES, "NUMA nodes in a socket.", 1),
        "socketsPerNuma": _count(MAX_NODES, "Sockets in a NUMA node; not beside numaPerSocket.", 1),
        "coresPerNuma": {
            "description": "Cores of a NUMA node: one number, or one for each node.",
            "oneOf": [_count(MAX_CPUS), {**_list(_count(MAX_CPUS), MAX_NODES), "minItems": 1}],
        },
        "threads": _count(MAX_THREADS, "Threads of a core.", 1),
        "numbering": {
            "description": "How CPU ids are dealt out: all first threads, then all second ones (siblings-offset, the "
            "same within each socket in turn, alternating over sockets or NUMA nodes), or core by core "
            "(siblings-adjacent).",
            "enum": list(NUMBERINGS),
            "default": "siblings-offset",
        },
        "uncore": {
            "description": "The last-level caches: one for each of something, or for each run of cores within it.",
            "default": "none",
            "oneOf": [
                {"enum": list(UNCORE_WORDS)},
                _object({"cores": _count(MAX_CPUS), "within": {"enum": list(UNCORE_WORDS[1:])}}, ("cores",)),
            ],
        },
        "cpuIds": {**_IDS, "description": "The CPU ids to deal out, ascending, where they are not 0, 1, 2 ..."},
        "numaIds": _list(_ID, MAX_NODES, "The ids of the NUMA nodes, socket by socket, where they are not 0, 1, 2 ..."),
        "socketIds": _list(_ID, MAX_NODES, "The ids of the sockets, where they are not 0, 1, 2 ..."),
    }
    groups = {**_list(_GROUP, MAX_CPUS, "CPUs that are alike, where counts do not say it."), "minItems": 1}
    shared = {
        "name": _NAME,
        "description": _TEXT,
        "sources": _list(_TEXT, 1000, "Where the facts are from."),
        "assumed": _list(_TEXT, 1000, "What is not confirmed by a source."),
        "notes": _list(_TEXT, 1000),
        "memory": {
            "description": "Of each NUMA node with CPUs, huge pages included: one size, or one each by ascending id.",
            "oneOf": [_MAYBE_SIZE, {"type": "array", "items": _MAYBE_SIZE, "maxItems": MAX_NODES}],
        },
        "hugepages": {
            "description": "Of each NUMA node with CPUs, or one entry for each.",
            "oneOf": [_MAYBE_PAGES, {"type": "array", "items": _MAYBE_PAGES, "maxItems": MAX_NODES}],
        },
        "memoryOnlyNodes": _list(_MEMORY_ONLY, MAX_NODES, "NUMA nodes without CPUs."),
        "distances": _COMPACT_DISTANCES,
        "offline": _OFFLINE,
        "devices": _list(_COMPACT_DEVICE, MAX_DEVICES),
        "devicePlugins": _PLUGINS,
        "uncoreSource": _UNCORE_SOURCE,
    }
    return {
        "$schema": _DRAFT,
        "title": "A machine, by counts or groups",
        "description": "The form people write. Beyond this schema, ids are unique, lists are as long as the machine "
        f"has nodes, offline CPUs exist, and a machine has at most {MAX_CPUS} CPUs and {MAX_NODES} NUMA nodes.",
        **_object({**shared, **regular, "groups": groups}, ("name",)),
        "oneOf": [
            {"required": ["coresPerNuma"], "not": {"required": ["groups"]}},
            {"required": ["groups"], "not": {"anyOf": [{"required": [key]} for key in regular]}},
        ],
    }


def _object(properties: Mapping[str, Any], required: tuple[str, ...] = ()) -> _Schema:
    schema: _Schema = {"type": "object", "properties": dict(properties), "additionalProperties": False}
    return {**schema, "required": list(required)} if required else schema


def _list(items: _Schema, most: int, description: str = "") -> _Schema:
    return {**_described(description), "type": "array", "items": items, "maxItems": most}


def _count(most: int, description: str = "", default: int | None = None) -> _Schema:
    usual = {} if default is None else {"default": default}
    return {**_described(description), "type": "integer", "minimum": 1, "maximum": most, **usual}


def _described(description: str) -> _Schema:
    return {"description": description} if description else {}


_TEXT: _Schema = {"type": "string"}
_NAME: _Schema = {"type": "string", "minLength": 1}
_ID: _Schema = {"type": "integer", "minimum": 0, "maximum": MAX_ID}
_LARGE_ID: _Schema = {"type": "integer", "minimum": 0, "maximum": LARGEST}
_MAYBE_LARGE_ID: _Schema = {"type": ["integer", "null"], "minimum": 0, "maximum": LARGEST}
_SOCKET: _Schema = {"type": "integer", "minimum": -1, "maximum": LARGEST}
_ID_LIST: _Schema = {"type": "string", "pattern": "^([0-9]{1,7}(-[0-9]{1,7})?(,[0-9]{1,7}(-[0-9]{1,7})?)*)?$"}
_IDS: _Schema = {"description": "One id, or ids in list format.", "oneOf": [_ID, _ID_LIST]}
_OFFLINE: _Schema = {**_IDS, "description": "CPUs that exist and are offline, in list format.", "default": ""}
_WHOLE: _Schema = {"type": "integer", "minimum": 0, "maximum": _MAX_BYTES}
_MAYBE_SIZE: _Schema = {
    "description": "Bytes, or a size such as 62.5Gi; null where unknown.",
    "type": ["integer", "string", "null"],
    "minimum": 0,
    "maximum": _MAX_BYTES,
    "pattern": SIZE,
}
_PAGES: _Schema = {
    "description": "Page size to number of pages.",
    "type": "object",
    "propertyNames": {"pattern": PAGE_SIZE},
    "additionalProperties": _WHOLE,
}
_MAYBE_PAGES: _Schema = {**_PAGES, "type": ["object", "null"]}
_ROW: _Schema = {"type": "array", "items": _LARGE_ID, "maxItems": MAX_NODES}
_MATRIX: _Schema = {"type": "array", "items": _ROW, "maxItems": MAX_NODES}
_PLUGINS: _Schema = {
    "description": "Resource to what its device plugin offers; lowest-id prefers the lowest ids in string order.",
    "type": ["object", "null"],
    "additionalProperties": {
        "type": ["object", "null"],
        "properties": {"preferredAllocation": {"enum": ["lowest-id", None]}},
        "additionalProperties": False,
    },
}
_UNCORE_SOURCE: _Schema = {
    "description": "Whether `uncore` is the cache itself, or already what a node agent reports of it.",
    "enum": ["hardware", "reported"],
    "default": "hardware",
}
_CPU: _Schema = _object(
    {
        "id": {**_ID, "description": "The kernel's number."},
        "core": {**_MAYBE_LARGE_ID, "description": "Core, within NUMA node and socket; null where unknown."},
        "socket": {**_SOCKET, "description": "Physical package."},
        "numa": {**_ID, "description": "NUMA node."},
        "uncore": {
            **_MAYBE_LARGE_ID,
            "description": "Last-level cache, over the whole machine; null where there is none.",
        },
    },
    ("id", "socket", "numa"),
)
_MEMORY: _Schema = _object(
    {
        "node": _ID,
        "memory": {
            "description": "Bytes, huge pages included; null where unknown.",
            "type": ["integer", "null"],
            "minimum": 0,
            "maximum": _MAX_BYTES,
        },
        "hugepages": _MAYBE_PAGES,
    },
    ("node",),
)
_DEVICE: _Schema = _object(
    {
        "resource": _NAME,
        "id": _NAME,
        "numa": {
            "description": "NUMA nodes the plugin names, none where it gives no topology. Nothing checks that the "
            "machine has them: neither does the kubelet (DEV-MODEL-09).",
            "type": ["array", "null"],
            "items": _ID,
            "maxItems": MAX_NODES,
        },
        "healthy": {"type": "boolean", "default": True},
    },
    ("resource", "id"),
)
_GROUP: _Schema = _object(
    {
        "cpus": {**_IDS, "description": "The CPUs of the group."},
        "numa": {**_ID, "default": 0},
        "socket": {**_SOCKET, "default": 0},
        "threads": _count(MAX_THREADS, "Threads of each core of the group.", 1),
        "siblings": {"enum": ["adjacent", "offset"], "default": "adjacent"},
        "uncore": {**_MAYBE_LARGE_ID, "default": None},
    },
    ("cpus",),
)
_MEMORY_ONLY: _Schema = _object(
    {
        "nodes": {**_IDS, "description": "The nodes."},
        "near": {**_IDS, "description": "The node with CPUs that each lies at: one for all, or as many."},
        "memory": {"oneOf": [_MAYBE_SIZE, {"type": "array", "items": _MAYBE_SIZE, "maxItems": MAX_NODES}]},
        "hugepages": _MAYBE_PAGES,
    },
    ("nodes",),
)
_COMPACT_DISTANCES: _Schema = {
    "description": "A matrix by ascending node id; or the distances to the node itself, within a socket, to other "
    "sockets and from a node without CPUs to the one it lies at; or none where the machine states none.",
    "oneOf": [
        {"const": "none"},
        _MATRIX,
        _object(
            {key: {**_LARGE_ID, "default": usual} for key, usual in DISTANCES.items()}
            | {"near": {**_LARGE_ID, "description": "As `socket` where it is absent."}}
        ),
    ],
}
_COMPACT_DEVICE: _Schema = {
    **_object(
        {
            "resource": _NAME,
            "id": _NAME,
            "count": _count(4096, "So many of one kind, numbered.", 1),
            "perNuma": _count(4096, "So many on each NUMA node with CPUs, numbered."),
            "numa": {"oneOf": [_ID, {"type": "array", "items": _ID, "maxItems": MAX_NODES}]},
            "healthy": {"type": "boolean", "default": True},
        },
        ("resource",),
    ),
    "not": {
        "anyOf": [
            {"required": [one, other]}
            for one, other in (("id", "count"), ("id", "perNuma"), ("count", "perNuma"), ("numa", "perNuma"))
        ]
    },
}

SCHEMAS = {"machine.schema.json": machine_schema, "machine-compact.schema.json": compact_schema}
"""File name to what makes its content."""
