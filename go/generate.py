"""Write ``numa/messages.go``: the protocol's messages as Go types, from its JSON Schema.

    python go/generate.py        # from the root of the repository, where numa_conformance is installed

Beside the shipped schemas only the list of features is read from the package.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from numa_conformance.wire import PROTOCOL
from numa_conformance.wire.features import FEATURES
from numa_conformance.wire.messages import SURFACES

Schema = Mapping[str, Any]

HERE = Path(__file__).parent
TARGET = HERE / "numa" / "messages.go"
SCHEMAS = HERE.parent / "fixtures" / "schemas"

OF_THEIR_OWN = {
    "node.reconcile": ("Reconciler", ["cpu-manager/reconcile"]),
    "node.resize": ("Resizer", ["node/resize"]),
    "node.checkpoints": ("Checkpointer", []),
    "node.restart": ("Restarter", ["node/restart"]),
    "host.discover": ("Discoverer", ["host/discover"]),
    "host.reconcile": ("HostReconciler", ["host/reconcile"]),
}
"""Methods that a target of their surface may do without: interface, and the features that having it claims."""
IMPLIED = {"classify": ["node/qos"], "hints": ["cpu-manager/hints"]}
"""What a target claims by having the methods of a surface."""
INITIALS = {"cpu": "CPU", "cpus": "CPUs", "uid": "UID", "qos": "QoS", "id": "ID", "numa": "NUMA", "cfs": "CFS"}
AMOUNTS = {"total", "system_reserved", "allocatable", "reserved", "free", "bytes"}
"""Bytes of memory, which the kubelet counts without a sign."""
WIDE = {"memory", "hugepages", "cpu_quota", "score"}
"""Amounts that Go code keeps in 64 bits; all other integers are ids and counts, which it keeps in an int."""
DOCUMENTS = {
    "machine": "Machine",
    "pod": "json.RawMessage",
    "kubelet": "json.RawMessage",
    "strategy": "json.RawMessage",
}
"""Documents with schemas of their own, by the name of their field."""


def exported(name: str) -> str:
    """Return a name of the wire as a Go name: ``default_cpuset`` is ``DefaultCpuset``."""
    words = re.split(r"[._/-]", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name))
    return "".join(INITIALS.get(word.lower(), word[:1].upper() + word[1:]) for word in words)


def comment(text: str, indent: str = "") -> str:
    """Return text as Go comments; reStructuredText's literals lose their marks."""
    lines = text.replace("``", "").splitlines()
    return "".join(f"{indent}// {line}".rstrip() + "\n" for line in lines)


class Types:
    """The Go types of one schema's definitions; unions met in fields are kept to be written."""

    def __init__(self, names: Mapping[str, str], inside: Mapping[str, str]) -> None:
        self._names = names
        self._inside = inside
        self.unions: dict[str, list[str]] = {}

    def of(self, field: str, schema: Schema) -> str:
        """Return the type of a field; what may be null and is no list or map is a pointer."""
        match schema:
            case {"$ref": ref}:
                return self._names[ref.rpartition("/")[2]]
            case {"anyOf": [inner, {"type": "null"}]}:
                type_ = self.of(field, inner)
                return type_ if type_.startswith(("[]", "map[", "json.")) else f"*{type_}"
            case {"anyOf": _, "discriminator": {"mapping": mapping}}:
                union = self._inside[field]
                self.unions[union] = [ref.rpartition("/")[2] for ref in mapping.values()]
                return union
            case {"anyOf": [{"type": "integer"}, {"type": "string"}]}:
                return "json.RawMessage"
            case {"type": "array", "items": items}:
                return f"[]{self.of(field, items)}"
            case {"type": "object", "additionalProperties": Mapping() as values}:
                return f"map[string]{self.of(field, values)}"
            case {"type": "object"}:
                return DOCUMENTS.get(field, "json.RawMessage") if field != "pods" else "json.RawMessage"
        simple = {"string": "string", "integer": self._integer(field), "boolean": "bool", "number": "float64"}
        return simple[schema.get("type", "string")]

    def _integer(self, field: str) -> str:
        if field in AMOUNTS:
            return "uint64"
        return "int64" if field in WIDE else "int"

    def struct(self, name: str, definition: Schema) -> Iterator[str]:
        """Yield a struct, and how it is written where an empty list or a ``result`` must not be left out."""
        properties: Schema = definition.get("properties", {})
        required = definition.get("required", [])
        yield comment(f"{name}: {definition.get('description') or definition['title']}")
        yield f"type {name} struct {{\n"
        tag, filled = None, []
        for wire, schema in properties.items():
            if wire == "result":
                (tag,) = schema["enum"]
                continue
            kind = self.of(wire, schema)
            yield comment(schema["description"], "\t") if "description" in schema else ""
            optional = wire not in required
            if optional and schema.get("default") is True:
                kind = f"*{kind}"
            omit = ",omitempty" if optional and not kind.startswith(("[]", "map[")) else ""
            yield f'\t{exported(wire)} {kind} `json:"{wire}{omit}"`\n'
            if kind.startswith(("[]", "map[")) and "anyOf" not in schema:
                filled.append((exported(wire), kind))
        yield "}\n\n"
        if tag or filled:
            yield from _marshal(name, tag, filled)


def _marshal(name: str, tag: str | None, filled: list[tuple[str, str]]) -> Iterator[str]:
    yield "// MarshalJSON writes the message as the protocol has it.\n"
    yield f"func (m {name}) MarshalJSON() ([]byte, error) {{\n"
    for field, kind in filled:
        yield f"\tif m.{field} == nil {{\n\t\tm.{field} = {kind}{{}}\n\t}}\n"
    yield f"\ttype fields {name}\n"
    if tag:
        yield '\treturn json.Marshal(struct {\n\t\tResult string `json:"result"`\n\t\tfields\n\t}'
        yield f'{{"{tag}", fields(m)}})\n}}\n\n'
    else:
        yield "\treturn json.Marshal(fields(m))\n}\n\n"


def _union(name: str, text: str, members: list[str]) -> Iterator[str]:
    mark = name[0].lower() + name[1:]
    yield comment(f"{name}: {text}") + f"type {name} interface{{ {mark}() }}\n\n"
    yield "".join(f"func ({member}) {mark}() {{}}\n" for member in members) + "\n"


def _reply(method: str, result: Schema) -> tuple[str, list[str]]:
    """Return the Go type that answers a method, and its members where it is one of several."""
    if "$ref" in result:
        return result["$ref"].rpartition("/")[2], []
    return f"{exported(method)}Reply", [reply["$ref"].rpartition("/")[2] for reply in result["anyOf"]]


def _methods(schema: Schema) -> Iterator[str]:
    surfaces: dict[str, list[str]] = {}
    lines = {}
    for method, parts in schema["methods"].items():
        if method == "describe":
            continue
        reply, members = _reply(method, parts["result"])
        request = parts["params"]["$ref"].rpartition("/")[2]
        if members:
            yield from _union(reply, f"what answers {method}: {_listed(members)}.", members)
        text = schema["$defs"][request]["description"].partition("\n\n")[0]
        lines[method] = (
            comment(f"{exported(method)}: {text}", "\t") + f"\t{exported(method)}({request}) ({reply}, error)\n"
        )
        surfaces.setdefault(parts["surface"], []).append(method)
    rows = []
    for surface, methods in surfaces.items():
        of_surface = [method for method in methods if method not in OF_THEIR_OWN]
        if of_surface:
            name = f"{exported(surface)}Target"
            yield comment(f"{name} is a target of the surface {surface}: {SURFACES[surface]}.")
            yield f"type {name} interface {{\n{''.join(lines[method] for method in of_surface)}}}\n\n"
            rows += [(method, surface, name, IMPLIED.get(surface, [])) for method in of_surface]
        for method in methods:
            if method in OF_THEIR_OWN:
                name, implied = OF_THEIR_OWN[method]
                yield comment(f"{name} is a target of the surface {surface} that answers {method}.")
                yield f"type {name} interface {{\n{lines[method]}}}\n\n"
                rows.append((method, surface, name, implied))
    yield "// methods are all but describe, in the order of their names.\nvar methods = []method{\n"
    for method, surface, name, implied in sorted(rows):
        features = (
            f"[]string{{{', '.join(f'Feature{exported(feature)}' for feature in implied)}}}" if implied else "nil"
        )
        yield f'\t{{"{method}", "{surface}", {features}, call({name}.{exported(method)})}},\n'
    yield "}\n"


def _listed(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"


def messages() -> str:
    """Return the file, before gofmt."""
    schema = json.loads((SCHEMAS / "protocol.schema.json").read_text(encoding="utf-8"))
    machine = json.loads((SCHEMAS / "machine.schema.json").read_text(encoding="utf-8"))
    forms = {name: name.removesuffix("Form").replace("Cpu", "CPU") for name in machine["$defs"]}
    hardware, protocol = Types(forms, {}), Types({name: name for name in schema["$defs"]}, {"pods": "PodAfterRestart"})
    parts = [
        "// Code generated by go/generate.py from the schemas of the protocol; DO NOT EDIT.\n\n",
        "package numa\n\n",
    ]
    parts += [
        'import "encoding/json"\n\n',
        f'// Protocol is the version of the protocol.\nconst Protocol = "{PROTOCOL}"\n\n',
    ]
    parts += ["// The features that a target may claim.\nconst (\n"]
    parts += [f'{comment(text, chr(9))}\tFeature{exported(name)} = "{name}"\n' for name, text in FEATURES.items()]
    parts += [")\n\n", *hardware.struct("Machine", machine)]
    for name, definition in machine["$defs"].items():
        parts += hardware.struct(forms[name], definition)
    for name, definition in schema["$defs"].items():
        parts += protocol.struct(name, definition)
    for union, members in protocol.unions.items():
        parts += _union(union, _listed(members) + ".", members)
    return "".join([*parts, *_methods(schema)])


def formatted(text: str) -> str:
    """Return Go source as gofmt lays it out."""
    return subprocess.run(["gofmt"], input=text, text=True, check=True, stdout=subprocess.PIPE).stdout


if __name__ == "__main__":
    TARGET.write_text(formatted(messages()), encoding="utf-8")
    sys.stdout.write(f"wrote {TARGET}\n")
