"""JSON Schema of the protocol, made from the message classes themselves.

Shipped as ``fixtures/schemas/protocol.schema.json``; a test keeps the file equal to this.
"""

from __future__ import annotations

from inspect import cleandoc
from typing import Any

import msgspec

from .features import PROTOCOL
from .wire import METHODS

__all__ = ["protocol_schema"]

_DEFINITIONS = "#/$defs/{name}"


def protocol_schema() -> dict[str, Any]:
    """Return the schema of every request and reply; ``methods`` maps a method to its surface and its two messages."""
    classes = [cls for method in METHODS.values() for cls in (method.request, method.reply)]
    references, definitions = msgspec.json.schema_components(dict.fromkeys(classes), ref_template=_DEFINITIONS)
    named = dict(zip(dict.fromkeys(classes), references, strict=True))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"numa-conformance target protocol, version {PROTOCOL}",
        "description": "JSON-RPC 2.0, one message a line: params is the request, result the reply of a method.",
        "methods": {
            method.name: {
                "surface": method.surface,
                "params": named[method.request],
                "result": named[method.reply],
            }
            for method in METHODS.values()
        },
        "$defs": {name: _without_indents(found) for name, found in sorted(definitions.items())},
    }


def _without_indents(definition: dict[str, Any]) -> dict[str, Any]:
    """Describe a message alike in every Python: from 3.13 on, docstrings come without their indents."""
    return {
        **definition,
        **({"description": cleandoc(definition["description"])} if "description" in definition else {}),
    }
