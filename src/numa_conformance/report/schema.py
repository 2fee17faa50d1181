"""JSON Schema of ``report.json``, made from its classes; shipped as ``fixtures/schemas/report.schema.json``."""

from __future__ import annotations

from typing import Any

import msgspec

from .model import Summary

__all__ = ["report_schema"]


def report_schema() -> dict[str, Any]:
    """Return the schema of a report."""
    schema = msgspec.json.schema(Summary)
    for definition in schema["$defs"].values():
        definition.pop("description", None)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
