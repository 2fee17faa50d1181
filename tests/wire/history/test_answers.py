"""Answers are read as the messages of the protocol, and held to more than their form."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, get_args

import msgspec
import pytest

from numa_conformance.files import data_folder
from numa_conformance.judging.pods import PodDocument
from numa_conformance.judging.published import Slice
from numa_conformance.judging.questions import QUESTIONS
from numa_conformance.judging.settings import KubeletDocument
from numa_conformance.wire.history.answers import READERS, PreparedClaim, StartedNode, read_answer
from numa_conformance.wire.history.sightings import LIVE_NODE
from numa_conformance.wire.history.values import BookedBytes, CpuBits, HoldingBits, IdText, NodeList, bits, holdings_of
from numa_conformance.wire.messages import METHODS, claims, node
from numa_conformance.wire.messages.node import Admitted
from numa_conformance.wire.messages.pick import Picked

SCHEMA = json.loads((data_folder("fixtures") / "schemas" / "protocol.schema.json").read_text("utf-8"))
NO_PART_OF_A_HISTORY = {"describe", "host.discover", "host.reconcile"}
ON_THE_WIRE = {
    IdText: {"type": "string"},
    NodeList: {"type": "array", "items": {"type": "integer"}},
    BookedBytes: {"type": "integer"},
    Fraction: {"type": "string"},
}
OF_KUBERNETES = "AllocatedClaim"
"""An object whose fields the schema leaves to Kubernetes."""
OPTIONAL_HERE = {("started", "default_cpuset")}
"""What a node at work that was watched leaves open."""


def plain(form: Any, definitions: Mapping[str, Any]) -> Any:
    """Return a schema without names, words, defaults and bounds: the fields and their types."""
    if form.get("$ref", "").endswith(OF_KUBERNETES):
        return {"type": "object"}
    if "$ref" in form:
        return plain(definitions[form["$ref"].rpartition("/")[2]], definitions)
    if "anyOf" in form:
        options = [plain(option, definitions) for option in form["anyOf"]]
        return {"anyOf": sorted(options, key=lambda option: json.dumps(option, sort_keys=True))}
    told = {key: form[key] for key in ("type", "enum") if key in form}
    if "properties" in form:
        told["properties"] = {name: plain(inner, definitions) for name, inner in form["properties"].items()}
        told["required"] = sorted(form["required"])
        told["more"] = form.get("additionalProperties", True)
    elif "additionalProperties" in form:
        told["values"] = plain(form["additionalProperties"], definitions)
    if "items" in form:
        told["items"] = plain(form["items"], definitions)
    return told


def loosened(form: Any) -> Any:
    """Return what the schema demands without what a watched node leaves open."""
    for option in form.get("anyOf", ()):
        tag = option["properties"].get("result", {}).get("enum", [""])[0]
        for result, name in OPTIONAL_HERE:
            if tag == result and name in option["required"] and "reserved_cpus" in option["properties"]:
                option["required"].remove(name)
                option["properties"][name] = {"anyOf": [{"type": "null"}, option["properties"][name]]}
    return form


@pytest.mark.parametrize("method", sorted(SCHEMA["methods"].keys() - NO_PART_OF_A_HISTORY))
def test_the_classes_of_a_method_have_the_fields_of_the_schema(method: str) -> None:
    (form,), definitions = msgspec.json.schema_components([READERS[method]], schema_hook=ON_THE_WIRE.__getitem__)
    demanded = loosened(plain(SCHEMA["methods"][method]["result"], SCHEMA["$defs"]))
    assert ordered(plain(form, definitions)) == ordered(demanded)


def ordered(form: Any) -> Any:
    """Return a schema with its alternatives in one order."""
    if isinstance(form, dict):
        inner = {key: ordered(value) for key, value in form.items()}
        if "anyOf" in inner:
            inner["anyOf"] = sorted(inner["anyOf"], key=lambda option: json.dumps(option, sort_keys=True))
        return inner
    return form


def test_every_method_has_classes() -> None:
    assert READERS.keys() == SCHEMA["methods"].keys() - NO_PART_OF_A_HISTORY | {LIVE_NODE}


@pytest.mark.parametrize("method", sorted(READERS.keys() - {LIVE_NODE}))
def test_answers_are_messages_of_the_protocol(method: str) -> None:
    """Two leave more open: what is not told of a node at work, and a claim, of which its object is read."""
    for message, read in zip(METHODS[method].replies, get_args(READERS[method]) or (READERS[method],), strict=True):
        assert issubclass(read, message) or message in (node.NodeStarted, claims.ClaimPrepared)
        assert read.__struct_fields__ == message.__struct_fields__
        assert read.__struct_config__.tag == message.__struct_config__.tag


@pytest.mark.parametrize(
    ("read", "message", "more_open"),
    [(StartedNode, node.NodeStarted, "default_cpuset"), (PreparedClaim, claims.ClaimPrepared, "claim")],
)
def test_what_is_read_anew_leaves_one_field_more_open(read: type, message: type, more_open: str) -> None:
    forms = [
        {field.name: (field.type, field.default) for field in msgspec.structs.fields(of)} for of in (read, message)
    ]
    assert [name for name, form in forms[0].items() if form != forms[1][name]] == [more_open]


def test_what_is_left_out_is_not_told() -> None:
    held = {"cpus": "1", "devices": {"a": ["x"]}}
    answer = read_answer("node.admit", {"result": "admitted", "default_cpuset": "0", "containers": {"c": held}})
    assert isinstance(answer, Admitted)
    assert holdings_of(answer.containers) == {"c": HoldingBits(CpuBits(2), devices={"a": frozenset("x")})}


HELD = {"result": "admitted", "default_cpuset": "0-3"}


@pytest.mark.parametrize(
    ("method", "answer", "place"),
    [
        ("pick", {"result": "picked", "cpus": "5-3"}, "$.cpus"),
        ("pick", {"result": "picked", "cpus": "0-99999"}, "$.cpus"),
        ("pick", {"result": "given", "cpus": "0"}, "$.result"),
        ("pick", {"result": "picked", "cpus": "0", "more": 1}, "more"),
        ("merge", {"nodes": [-1], "preferred": True, "admit": True}, "$.nodes"),
        ("merge", {"nodes": [5000], "preferred": True, "admit": True}, "$.nodes"),
        ("merge", {"nodes": [], "preferred": True, "admit": True}, "$.nodes"),
        ("classify", {"qos": "Guaranteed", "container_cpus": {"c": "1"}, "pod_cpus": 1}, "$.container_cpus"),
        (
            "node.admit",
            {**HELD, "containers": {"c": {"cpus": "", "memory": [{"type": "memory", "bytes": -1, "nodes": [0]}]}}},
            "bytes",
        ),
        (
            "node.admit",
            {**HELD, "containers": {"c": {"cpus": "", "memory": [{"type": "memory", "bytes": 1, "nodes": []}]}}},
            "nodes",
        ),
    ],
    ids=str,
)
def test_what_says_nothing_is_malformed(method: str, answer: Mapping[str, Any], place: str) -> None:
    with pytest.raises(ValueError, match=place.replace("$", r"\$")):
        read_answer(method, answer)


def test_what_the_machine_does_not_have_can_be_read() -> None:
    answer = read_answer("pick", {"result": "picked", "cpus": "4000"})
    assert answer is not None
    assert isinstance(answer, Picked)
    assert bits(answer.cpus) == 1 << 4000


def test_a_method_that_nothing_judges_has_no_class() -> None:
    assert read_answer("host.discover", {"machine": {}}) is None


def unbounded(kind: Any, place: str, above: frozenset[type] = frozenset()) -> Iterator[str]:
    """Yield where a type takes a whole number of any size."""
    form = kind if isinstance(kind, msgspec.inspect.Type) else msgspec.inspect.type_info(kind)
    match form:
        case msgspec.inspect.IntType():
            if {form.ge, form.gt} == {None} or {form.le, form.lt} == {None}:
                yield place
        case msgspec.inspect.UnionType():
            for option in form.types:
                yield from unbounded(option, place, above)
        case msgspec.inspect.StructType(cls=cls) | msgspec.inspect.TypedDictType(cls=cls):
            for field in form.fields if cls not in above else ():
                yield from unbounded(field.type, f"{place}.{field.encode_name}", above | {cls})
        case msgspec.inspect.DictType():
            yield from unbounded(form.value_type, f"{place}{{}}", above)
        case msgspec.inspect.TupleType():
            for item in form.item_types:
                yield from unbounded(item, f"{place}[]", above)
        case msgspec.inspect.ListType() | msgspec.inspect.VarTupleType() | msgspec.inspect.FrozenSetType():
            yield from unbounded(form.item_type, f"{place}[]", above)
        case _:
            assert isinstance(form, LEAVES), (place, form)


LEAVES = (
    msgspec.inspect.CustomType,
    msgspec.inspect.AnyType,
    msgspec.inspect.StrType,
    msgspec.inspect.BoolType,
    msgspec.inspect.LiteralType,
    msgspec.inspect.NoneType,
    msgspec.inspect.FloatType,
)


@pytest.mark.parametrize(
    "kinds", [READERS, QUESTIONS, {"kubelet": KubeletDocument, "pod": PodDocument, "slice": Slice}]
)
def test_every_number_has_bounds(kinds: Mapping[str, Any]) -> None:
    assert [place for name, kind in kinds.items() for place in unbounded(kind, name)] == []
