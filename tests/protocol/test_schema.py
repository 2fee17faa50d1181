import json

import pytest

from numa_conformance.machine.data_files import data_folder
from numa_conformance.protocol import wire
from numa_conformance.protocol.schema import protocol_schema


def test_the_shipped_schema_is_the_one_made_from_the_messages():
    text = (data_folder("fixtures") / "schemas" / "protocol.schema.json").read_text(encoding="utf-8")
    assert json.loads(text) == protocol_schema()


@pytest.mark.parametrize("name", wire.METHODS)
def test_both_messages_of_every_method_are_defined(name: str):
    schema = protocol_schema()
    for part in ("params", "result"):
        defined = schema["$defs"][schema["methods"][name][part]["$ref"].removeprefix("#/$defs/")]
        assert defined["type"] == "object"
        assert defined["additionalProperties"] is False


def test_required_fields_are_those_without_a_default():
    assert protocol_schema()["$defs"]["Pick"]["required"] == ["machine", "available", "count"]
