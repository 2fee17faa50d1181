"""JSON Schema of ``report.json``, made from the classes that write and read it.

Shipped as ``fixtures/schemas/report.schema.json``; a test keeps the file equal to this.
"""

from __future__ import annotations

from typing import Any

import msgspec

from .model import Summary


def report_schema() -> dict[str, Any]:
    """Return the schema of a whole report."""
    references, definitions = msgspec.json.schema_components([Summary], ref_template="#/$defs/{name}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **references[0],
        "$defs": dict(sorted(definitions.items())),
    }
