"""JSON Schema of the protocol, made from the message classes themselves.

Shipped as ``fixtures/schemas/protocol.schema.json``; a test keeps the file equal to this.
"""

from __future__ import annotations

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
        "$defs": dict(sorted(definitions.items())),
    }
