"""JSON Schema of one line of a file of histories: a head, a step or an end, in this order."""

from typing import Any, Literal

import msgspec

from ...machine.codec import machine_schema
from .history import FORMAT


class HistoryHead(msgspec.Struct):
    """What a history begins with: who made the scenario, and the machine that its questions leave out."""

    history: Literal[1]
    id: str
    generator: str
    cell: str
    seed: int
    version: str
    target: str
    machine: dict[str, Any]


class HistoryStep(msgspec.Struct):
    """One question, and the answer or the fault that came of it."""

    method: str
    params: dict[str, Any]
    seconds: float = 0.0
    answer: dict[str, Any] | None = None
    fault: str | None = None


class HistoryEnd(msgspec.Struct):
    """What a history ends with: the number of its steps."""

    end: int


def history_schema() -> dict[str, Any]:
    """Return the schema; a line of another form is no part of a history."""
    forms = [HistoryHead, HistoryStep, HistoryEnd]
    references, definitions = msgspec.json.schema_components(forms, ref_template="#/$defs/{name}")
    definitions["HistoryHead"]["properties"]["history"] = {"const": FORMAT}
    machine = machine_schema()
    definitions |= machine.pop("$defs")
    del machine["$schema"]
    definitions["HistoryHead"]["properties"]["machine"] = machine
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "One line of a file of histories",
        "oneOf": references,
        "$defs": dict(sorted(definitions.items())),
    }
