import re
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta

import numa_conformance
from numa_conformance.errors import UsageError
from numa_conformance.forms import read_form

GIB = Annotated[str, Meta(min_length=2, extra={"like": "[0-9]*Gi"})]
SIZE = Annotated[Annotated[int, Meta(ge=0)] | GIB | None, Meta(extra={"accepted": "a size"})]
NAME = Annotated[str, Meta(extra={"like": "[a-z]+", "accepted": "a name in small letters"})]


class Cache(msgspec.Struct, forbid_unknown_fields=True):
    cores: Annotated[int, Meta(ge=1)]


class Box(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    full_name: Annotated[str, Meta(min_length=1)]
    size: SIZE = None
    caches: Annotated[list[Cache], Meta(max_length=2)] = msgspec.field(default_factory=list)
    uncore: Literal["none", "socket"] | Cache = "none"
    pages: dict[NAME, Annotated[int, Meta(le=9)]] = msgspec.field(default_factory=dict)
    healthy: bool = True


FIELDS = Box.__struct_encode_fields__


def faults(obj: object) -> list[str]:
    with pytest.raises(UsageError) as caught:
        read_form(Box, obj, "box.yaml")
    return [str(fault).removeprefix("box.yaml: ") for fault in caught.value.faults]


def test_reads_what_is_right():
    box = read_form(Box, {"fullName": "a", "size": "4Gi", "uncore": {"cores": 2}, "pages": {"big": 1}})
    assert box == Box("a", "4Gi", [], Cache(2), {"big": 1})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"fullName": None}, "fullName: is missing (accepted: a text)"),
        ({"fullName": 3}, 'fullName: is a number; put it in quotes: "3" (accepted: a text)'),
        ({"fullName": ""}, "fullName: is empty (accepted: a text)"),
        ({"fullNam": "x"}, f"fullNam: unknown field (accepted: {', '.join(FIELDS)}); did you mean 'fullName'?"),
        ({"size": "4"}, "size: is '4' (accepted: a size)"),
        ({"size": -4}, "size: is -4 (accepted: a size)"),
        ({"size": []}, "size: is a list (accepted: a size)"),
        ({"caches": None}, "caches: is missing (accepted: a list)"),
        ({"caches": [{}] * 3}, "caches: has 3 entries (accepted: at most 2)"),
        ({"caches": [{"cores": True}]}, "caches[0].cores: is True (accepted: a whole number from 1)"),
        ({"caches": [{"cores": 1}, 4]}, "caches[1]: is a number (accepted: an object)"),
        ({"uncore": "sockets"}, "uncore: is 'sockets' (accepted: none, socket); did you mean 'socket'?"),
        ({"uncore": 3}, "uncore: is 3 (accepted: none, socket or an object)"),
        ({"uncore": {"cores": 0}}, "uncore.cores: is 0 (accepted: a whole number from 1)"),
        ({"pages": {3: 1}}, 'pages.3: is a number; put it in quotes: "3" (accepted: a text)'),
        ({"pages": {"big": 10}}, "pages.big: is 10 (accepted: a whole number to 9)"),
        ({"healthy": "yes"}, "healthy: is 'yes' (accepted: true or false)"),
    ],
)  # fmt: skip
def test_a_fault_has_its_place_and_what_is_accepted(changes, said):
    assert faults({"fullName": "x", **changes}) == [said]


def test_all_faults_come_at_once():
    said = faults({"nam": 1, "size": 1.5, "caches": [{"cores": 0}, {"core": 1}], "healthy": 0})
    assert [text.partition(":")[0] for text in said] == [
        "nam",
        "fullName",
        "size",
        "caches[0].cores",
        "caches[1].core",
        "caches[1].cores",
        "healthy",
    ]


def test_texts_that_are_not_alike_are_told_with_the_other_faults():
    assert faults({"fullName": "", "size": "40G", "pages": {"Big": 1}}) == [
        "fullName: is empty (accepted: a text)",
        "size: is '40G' (accepted: a size)",
        "pages.Big: is not accepted (accepted: a name in small letters)",
    ]


def test_what_is_no_object_has_one_fault():
    assert faults([]) == ["is a list (accepted: an object)"]


KEYS = st.sampled_from([*FIELDS, "cores", "Big", 1])
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from([None, True, -1, 1, 12, 2**70, 1.0, float("nan"), "", "4Gi", "none"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
)


@given(VALUES, VALUES)
def test_the_look_for_all_faults_finds_one_wherever_the_library_refuses(whole, size):
    for obj in (whole, {"fullName": "x", "size": size}, {"fullName": "x", "uncore": size, "pages": whole}):
        refused = ""
        try:
            read_form(Box, obj)
        except UsageError as error:
            refused = str(error)
        assert "Expected" not in refused
        assert "Object" not in refused


def test_no_form_gives_the_library_a_pattern():
    """The interpreter would crash as it ends (msgspec issue 717)."""
    package = Path(numa_conformance.__file__).parent
    texts = {path.name: path.read_text(encoding="utf-8") for path in package.rglob("*.py")}
    assert [name for name, text in texts.items() if re.search(r"\bMeta\([^)]*\bpattern=", text)] == []
