"""JSON Schemas: of the protocol, made from the message classes themselves, and of one line of a file of histories.

The first is shipped as ``fixtures/schemas/protocol.schema.json``; a test keeps the file equal to this.
"""

from inspect import cleandoc
from typing import Any, Literal

import msgspec

from ..machine.codec import machine_schema
from .history.history import FORMAT
from .messages import METHODS
from .messages.describe import PROTOCOL

_DEFINITIONS = "#/$defs/{name}"


def protocol_schema() -> dict[str, Any]:
    """Return the schema of every request and reply; ``methods`` maps a method to its surface, request and replies."""
    parts = [part for method in METHODS.values() for part in (method.request, method.reply)]
    references, definitions = msgspec.json.schema_components(parts, ref_template=_DEFINITIONS)
    params, results = references[::2], references[1::2]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"numa-conformance target protocol, version {PROTOCOL}",
        "description": "JSON-RPC 2.0, one message a line: params is the request, result the reply of a method.",
        "methods": {
            method.name: {"surface": method.surface, "params": request, "result": reply}
            for method, request, reply in zip(METHODS.values(), params, results, strict=True)
        },
        "$defs": {name: _without_indents(definition) for name, definition in sorted(definitions.items())},
    }


def _without_indents(definition: dict[str, Any]) -> dict[str, Any]:
    """Describe a message alike in every Python: from 3.13 on, docstrings come without their indents."""
    return {name: cleandoc(value) if name == "description" else value for name, value in definition.items()}


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
    references, definitions = msgspec.json.schema_components(forms, ref_template=_DEFINITIONS)
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
