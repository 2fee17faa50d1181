"""JSON Schema of the protocol, made from the message classes themselves.

Shipped as ``fixtures/schemas/protocol.schema.json``; a test keeps the file equal to this.
"""

from inspect import cleandoc
from typing import Any

import msgspec

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
