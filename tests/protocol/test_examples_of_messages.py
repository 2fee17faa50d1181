import json
from functools import cache

import jsonschema
import msgspec
import pytest

from numa_conformance.protocol import METHODS
from numa_conformance.protocol.messages.node import ReadmittedPod, RejectedPod, Restarted
from numa_conformance.protocol.schema import protocol_schema
from protocol.examples import FILE, examples

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
    assert known | {ReadmittedPod, RejectedPod} == shown


@cache
def _schema():
    return protocol_schema()


@pytest.mark.parametrize("line", EXAMPLES, ids=lambda line: line["method"])
def test_examples_are_of_the_schema(line):
    schema = _schema()
    for part, value in (("params", line["params"]), ("result", line["result"])):
        jsonschema.validate(value, {**schema["methods"][line["method"]][part], "$defs": schema["$defs"]})
