"""Answers are read as the messages of the protocol, and held to more than their form."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, get_args

import msgspec
import pytest

from numa_conformance.machine.data_files import data_folder
from numa_conformance.protocol.messages import METHODS, claims, node
from numa_conformance.protocol.messages.node import Admitted
from numa_conformance.protocol.messages.pick import Picked
from numa_conformance.suite.history.answers import READERS, ClaimPrepared, NodeStarted, read_answer
from numa_conformance.suite.history.sightings import SEEN
from numa_conformance.suite.history.values import CpuBits, Held, bits, held_of
from numa_conformance.suite.judge.pods import Pod
from numa_conformance.suite.judge.published import Slice
from numa_conformance.suite.judge.questions import QUESTIONS
from numa_conformance.suite.judge.settings import Kubelet

SCHEMA = json.loads((data_folder("fixtures") / "schemas" / "protocol.schema.json").read_text("utf-8"))
NO_PART_OF_A_HISTORY = {"describe", "host.discover", "host.reconcile"}


def test_every_method_has_classes() -> None:
    assert READERS.keys() == SCHEMA["methods"].keys() - NO_PART_OF_A_HISTORY | {SEEN}


@pytest.mark.parametrize("method", sorted(READERS.keys() - {SEEN}))
def test_answers_are_messages_of_the_protocol(method: str) -> None:
    """Two leave more open: what is not told of a node at work, and a claim, of which its object is read."""
    for message, read in zip(METHODS[method].replies, get_args(READERS[method]) or (READERS[method],), strict=True):
        assert issubclass(read, message) or message in (node.NodeStarted, claims.ClaimPrepared)
        assert read.__struct_fields__ == message.__struct_fields__
        assert read.__struct_config__.tag == message.__struct_config__.tag


@pytest.mark.parametrize(
    ("read", "message", "more_open"),
    [(NodeStarted, node.NodeStarted, "default_cpuset"), (ClaimPrepared, claims.ClaimPrepared, "claim")],
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
    assert held_of(answer.containers) == {"c": Held(CpuBits(2), devices={"a": frozenset("x")})}


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
    msgspec.inspect.NoneType,
    msgspec.inspect.FloatType,
)


@pytest.mark.parametrize("kinds", [READERS, QUESTIONS, {"kubelet": Kubelet, "pod": Pod, "slice": Slice}])
def test_every_number_has_bounds(kinds: Mapping[str, Any]) -> None:
    assert [place for name, kind in kinds.items() for place in unbounded(kind, name)] == []
