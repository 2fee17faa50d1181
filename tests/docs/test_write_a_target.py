"""The messages of docs/target-messages.md are of the protocol, and its recipe is right on every machine."""

import json
import re
from pathlib import Path

import jsonschema
import pytest

from numa_conformance.machine import catalogue_names, load_machine, machine_to_dict
from numa_conformance.testing import guaranteed
from numa_conformance.wire import SURFACES
from numa_conformance.wire.schema import protocol_schema

PAGE = (Path(__file__).parents[2] / "docs/target-messages.md").read_text()
(LINES,) = re.findall(r"```jsonl\n(.*?)```", PAGE, re.DOTALL)
TOKENS = {
    "MACHINE": json.dumps(machine_to_dict(load_machine("t1-one-socket-smt2"))),
    "POD": json.dumps(guaranteed("a", 2)),
}
EXCHANGES = [
    re.sub("MACHINE|POD", lambda token: TOKENS[token[0]], pair).split("\n") for pair in LINES.strip().split("\n\n")
]


@pytest.fixture(scope="module")
def schema():
    return protocol_schema()


@pytest.mark.parametrize("lines", EXCHANGES, ids=lambda lines: json.loads(lines[0])["method"])
def test_an_exchange_is_of_the_schema(schema, lines):
    asked, told = map(json.loads, lines)
    method = schema["methods"][asked["method"]]
    for part, value in (("params", asked["params"]), ("result", told["result"])):
        jsonschema.Draft202012Validator({**method[part], "$defs": schema["$defs"]}).validate(value)


def test_every_surface_has_one():
    shown = {json.loads(lines[0])["method"].partition(".")[0] for lines in EXCHANGES}
    assert shown == SURFACES.keys() - {"node"}


def test_the_recipe_tells_cores_apart_on_every_machine_and_in_every_order():
    (recipe,) = re.findall(r"```python\n([^`]*def machine_wide_cores.*?)```", PAGE, re.DOTALL)
    space = {}
    exec(recipe, space)
    for name in catalogue_names():
        machine = load_machine(name)
        found = {}
        for cpu, core in space["machine_wide_cores"](machine_to_dict(machine)).items():
            found[core] = found.get(core, 0) | 1 << cpu
        assert sorted(found.values()) == sorted(machine.core_bits), name
