"""``numa-conformance capture``: a computer's host tree as a machine."""

from __future__ import annotations

from pathlib import Path

import click

from ..machine import machine_to_dict, machine_to_yaml
from ..machine.hostfs import open_dump, read_machine
from .options import FILE
from .terminal import print_json


@click.command("capture")
@click.option(
    "--root", default="/", show_default=True, type=FILE, help="The folder that stands for /, or a tarball of one."
)
@click.option("--inside", default=None, help="Which folder of a tarball stands for /, where it holds several machines.")
@click.option("--name", default=None, help="The machine's name (default: from the root).")
@click.option("--json", "as_json", is_flag=True, help="Print the JSON form instead of YAML.")
def command(root: Path, inside: str | None, name: str | None, as_json: bool) -> None:
    """Write this computer, or a dump of one, as a machine."""
    with open_dump(root, inside) as folder:
        machine = read_machine(folder, name=name or (None if root == Path("/") else root.name.split(".")[0]))
    for note in machine.notes:
        click.echo(f"warning: {note}", err=True)
    print_json(machine_to_dict(machine)) if as_json else click.echo(machine_to_yaml(machine), nl=False)
