import json

import pytest

from numa_conformance.files import data_folder
from numa_conformance.wire import METHODS
from numa_conformance.wire.schema import protocol_schema

SCHEMA = protocol_schema()


def shipped_file(name):
    return json.loads((data_folder("fixtures") / "schemas" / name).read_text(encoding="utf-8"))


def test_the_shipped_schema_is_the_one_made_from_the_messages():
    assert shipped_file("protocol.schema.json") == SCHEMA


@pytest.mark.parametrize("name", METHODS)
def test_every_message_of_every_method_is_defined(name):
    method = SCHEMA["methods"][name]
    replies = method["result"].get("anyOf", [method["result"]])
    assert len(replies) == len(METHODS[name].replies)
    for part in (method["params"], *replies):
        defined = SCHEMA["$defs"][part["$ref"].removeprefix("#/$defs/")]
        assert defined["type"] == "object"
        assert defined["additionalProperties"] is False


def test_required_fields_are_those_without_a_default():
    assert SCHEMA["$defs"]["Pick"]["required"] == ["machine", "available", "count"]


def test_the_result_tells_which_of_several_replies_it_is():
    told = SCHEMA["methods"]["node.admit"]["result"]["discriminator"]
    assert told["propertyName"] == "result"
    assert set(told["mapping"]) == {"admitted", "rejected"}
