"""``numa-conformance schema``: the JSON Schemas of what is read and written, and an example of every message."""

from collections.abc import Callable, Mapping
from typing import Any

import click

from ..files import data_folder
from ..machine.codec import compact_schema, machine_schema
from ..report.model import report_schema
from ..wire.schema import history_schema, protocol_schema
from .options import NameChoice
from .terminal import print_json

_SCHEMAS: Mapping[str, Callable[[], dict[str, Any]]] = {
    "protocol": protocol_schema,
    "machine": machine_schema,
    "machine-compact": compact_schema,
    "report": report_schema,
    "history": history_schema,
}


@click.command("schema")
@click.argument("name", type=NameChoice([*_SCHEMAS, "examples"]))
def command(name: str) -> None:
    """Print a JSON Schema (draft 2020-12), or the examples: one exchange of every kind a line.

    NAME is protocol (messages), machine (CPU by CPU), machine-compact (by counts), report (report.json), history (one
    line of a history) or examples.
    """
    if name == "examples":
        examples = data_folder("fixtures") / "schemas" / "protocol.examples.jsonl"
        click.echo(examples.read_text(encoding="utf-8"), nl=False)
    else:
        print_json(_SCHEMAS[name]())
