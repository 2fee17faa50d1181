import io
import json

import jsonschema
import pytest

from numa_conformance.machine import load_machine, machine_to_dict
from numa_conformance.wire.history.history import Head, History, Step, write_history


@pytest.mark.parametrize("name", ["protocol", "machine", "machine-compact", "report", "history"])
def test_a_schema_is_printed_and_is_one(run, name):
    code, out, _ = run("schema", name)
    assert code == 0
    jsonschema.Draft202012Validator.check_schema(json.loads(out))


def test_a_machine_is_of_its_schema(run):
    jsonschema.validate(machine_to_dict(load_machine("two-nodes-devices")), json.loads(run("schema", "machine")[1]))


def test_every_line_of_a_history_is_of_its_schema_and_others_are_not(run):
    schema = json.loads(run("schema", "history")[1])
    head = Head("sweep", "cell", 0, load_machine("two-nodes-devices"), "1.32", "mine 1.0")
    out = io.StringIO()
    write_history(
        History(head, (Step("pick", {"count": 1}, {"result": "picked"}), Step("pick", {}, fault="crashed"))), out
    )
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [next(iter(line)) for line in lines] == ["history", "method", "method", "end"]
    for line in lines:
        jsonschema.validate(line, schema)
    for wrong in ({**lines[0], "history": 2}, {"params": {}}, {"end": "2"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema)


def test_examples_are_one_exchange_a_line(run):
    code, out, _ = run("schema", "examples")
    assert code == 0
    assert {"method", "params", "result"} <= json.loads(out.splitlines()[0]).keys()
