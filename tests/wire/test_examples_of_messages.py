import json

import jsonschema
import msgspec
import pytest

from numa_conformance.wire import METHODS
from numa_conformance.wire.messages.claims import DriverFailed
from numa_conformance.wire.messages.node import ReadmittedPod, RejectedPod, Restarted
from numa_conformance.wire.messages.plugin import PluginFailed
from numa_conformance.wire.schema import protocol_schema
from wire.examples import FILE, examples

EXAMPLES = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


def test_the_shipped_examples_are_what_the_reference_answers(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = examples(tmp_path)
    assert [_unversioned(line) for line in told] == [_unversioned(line) for line in EXAMPLES]


def _unversioned(line):
    return {**line, "result": {**line["result"], "version": ""}} if line["method"] == "describe" else line


def test_every_message_has_an_example():
    shown = {METHODS[line["method"]].request for line in EXAMPLES}
    for line in EXAMPLES:
        reply = msgspec.convert(line["result"], METHODS[line["method"]].reply)
        shown |= {type(reply)} | ({type(pod) for pod in reply.pods} if isinstance(reply, Restarted) else set())
    known = {cls for method in METHODS.values() for cls in (method.request, *method.replies)}
    assert known | {ReadmittedPod, RejectedPod} == shown | {PluginFailed, DriverFailed}, (
        "the reference registers always"
    )


@pytest.fixture(scope="module")
def schema():
    """The schema of the protocol, which is one itself: checked once, as it is large."""
    schema = protocol_schema()
    jsonschema.Draft202012Validator.check_schema({"$defs": schema["$defs"]})
    return schema


@pytest.mark.parametrize("line", EXAMPLES, ids=lambda line: line["method"])
def test_examples_are_of_the_schema(schema, line):
    for part in ("params", "result"):
        own = schema["methods"][line["method"]][part]
        jsonschema.Draft202012Validator.check_schema(own)
        jsonschema.Draft202012Validator({**own, "$defs": schema["$defs"]}).validate(line[part])
