"""The fields of every question, as the schemas have them, and those that generators never vary."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from numa_conformance.files import data_folder
from numa_conformance.judging.pods import PodDocument
from numa_conformance.judging.scored import WrittenStrategy
from numa_conformance.kube.kubelet_config import MANAGER_FIELDS
from numa_conformance.wire.history.quantities import AllocatedClaim
from numa_conformance.wire.schema import protocol_schema

__all__ = ["FIELDS", "NEVER_VARIED", "Field", "at"]

Schema = dict[str, Any]
Field = tuple[str, ...]
"""The names on the way to a field."""
EACH = "[]"
"""Stands for every item of a list, and for every value of a map."""


def _read(kind: Any) -> Schema:
    return msgspec.json.schema(kind, schema_hook=lambda _: {"type": "string"})


PROTOCOL: Schema = protocol_schema()
OPEN: Mapping[str, Schema] = {
    "machine": json.loads((data_folder("fixtures") / "schemas" / "machine.schema.json").read_text(encoding="utf-8")),
    "kubelet": {"properties": {name: {} for name in MANAGER_FIELDS}},
    "pod": _read(PodDocument),
    "pods": {"items": _read(PodDocument), "$defs": _read(PodDocument)["$defs"]},
    "strategy": _read(WrittenStrategy),
    "claim": _read(AllocatedClaim),
}
"""The schemas of what is any object to the protocol; of Kubernetes' objects as far as they are read."""


def _fields(schema: Schema, root: Schema, path: Field = ()) -> Iterator[Field]:
    """Yield every field below."""
    schema = root["$defs"][schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    for name, field in schema.get("properties", {}).items():
        here = (*path, name)
        yield here
        told = OPEN.get(name) if root is PROTOCOL else None
        yield from _fields(told or field, told or root, here)
    for below in (schema.get("items"), schema.get("additionalProperties")):
        if isinstance(below, dict):
            yield from _fields(below, root, (*path, EACH))
    for one in schema.get("anyOf", ()):
        yield from _fields(one, root, path)


FIELDS: Mapping[str, tuple[Field, ...]] = {
    method: tuple(dict.fromkeys(_fields(told["params"], PROTOCOL))) for method, told in PROTOCOL["methods"].items()
}
"""Method to its fields."""


NEVER_VARIED: Mapping[str, str] = {
    "* host_root": "it is laid out where a target wants it; the machine is what is varied",
    "host.* root": "host trees are written out in conformance/host",
    "describe protocol": "one version is spoken; others are asked by the tests of the protocol",
    "* kubelet.apiVersion": "there is one",
    "* kubelet.kind": "there is one",
    "* machine.devicePlugins.*.preferredAllocation": "one way is known, beside none",
    "node.start kubernetes_version": "the run's: a target need be of one version only; each run asks of one",
    "node.restart at_once": "pages say nothing of what is written late; level exact asks it of recorded decisions",
    **dict.fromkeys(
        (
            "* kubelet.mergeDefaultEvictionSettings",
            "* kubelet.maxPods",
            "* kubelet.podsPerCore",
            "* kubelet.cpuManagerReconcilePeriod",
            "* kubelet.nodeStatusUpdateFrequency",
            "* kubelet.kubeReservedCgroup",
            "* kubelet.systemReservedCgroup",
            "* kubelet.cpuCFSQuota",
            "* kubelet.cpuCFSQuotaPeriod",
        ),
        "the managers' pages do not say what changes by it, or it is a time: the suite asks for passes itself",
    ),
    "node.restart kubelet.evictionHard": "what is reserved of memory is asked of starts",
    **dict.fromkeys(
        (
            "allocate kubelet.memoryManagerPolicy",
            "allocate kubelet.reservedMemory",
            "allocate kubelet.evictionHard",
            "allocate kubelet.topologyManagerPolicyOptions",
            "hints kubelet.memoryManagerPolicy",
            "hints kubelet.reservedMemory",
            "hints kubelet.evictionHard",
            "hints kubelet.topologyManagerPolicyOptions",
        ),
        "the question is the CPU Manager's alone",
    ),
    **dict.fromkeys(
        ("hints kubelet.kubeReserved", "hints kubelet.systemReserved"),
        "which CPUs an amount reserves is the target's choice, so what its hints are is open",
    ),
    **dict.fromkeys(
        ("allocate pod.metadata*", "hints pod.metadata*", "score pod.metadata*"), "one pod is asked for at a time"
    ),
    **dict.fromkeys(
        ("score pods.*.metadata.uid", "score pods.*.metadata.namespace"), "a score tells pods apart by nothing"
    ),
    "* pod*.spec.containers.*.restartPolicy": "the API has it for init containers",
    **dict.fromkeys(
        ("allocate pod.spec.resources*", "hints pod.spec.resources*", "node.* pod.spec.resources*"),
        "the managers' pages say nothing of it; classes vary it, and level exact asks recorded decisions",
    ),
    **dict.fromkeys(
        ("score pod.spec.resources*", "score pods.*.spec.resources*"), "level exact asks recorded decisions of it"
    ),
    **dict.fromkeys(
        ("allocate pod.spec.overhead", "hints pod.spec.overhead", "node.* pod.spec.overhead"),
        "no page of a manager speaks of it; classes and scores vary it",
    ),
    **dict.fromkeys(
        ("claims.prepare claim.*.driver", "claims.prepare claim.*.pool"), "what it publishes only the driver decides"
    ),
}
"""Patterns of a method and its field, and why generators do not vary it."""


def at(value: Any, path: Field) -> Iterator[Any]:
    """Yield what stands in a field, None where it is left out; nothing where there is nothing that could have it."""
    if not path:
        yield value
    elif path[0] != EACH:
        if isinstance(value, Mapping):
            yield from at(value.get(path[0]), path[1:])
    elif value:
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from at(item, path[1:])
