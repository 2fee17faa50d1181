"""``numa-conformance machines capture``: a computer, its host tree or texts about it as a machine."""

from pathlib import Path

import click

from ..machine import machine_to_dict, machine_to_yaml, read_machine_file
from .options import FILE, INPUT
from .terminal import print_json


@click.command("capture")
@click.option(
    "--from-node",
    "root",
    default="/",
    show_default=True,
    type=FILE,
    metavar="DUMP",
    help="The folder that stands for /, or a tarball of one.",
)
@click.option(
    "--from", "texts", multiple=True, type=INPUT, help="What lscpu, numactl -H and the like print, or a tree."
)
@click.argument("files", nargs=-1, type=INPUT, metavar="[FILES]...")
@click.option("--inside", default=None, help="Which folder of a tarball stands for /, where it holds several machines.")
@click.option("--name", default=None, help="The machine's name (default: from the root, or the first file).")
@click.option("--json", "as_json", is_flag=True, help="Print the JSON form instead of YAML.")
def command(
    root: Path, texts: tuple[Path, ...], files: tuple[Path, ...], inside: str | None, name: str | None, as_json: bool
) -> None:
    """Write this computer, a dump of one, or the machine of texts (--from FILE, further FILES) as a machine."""
    sources = (*texts, *files) or (root,)
    if sources == (Path("/"),):
        name = name or "this-computer"
    machine = read_machine_file(*sources, name=name, inside=inside)
    for note in machine.notes:
        click.echo(f"warning: {note}", err=True)
    print_json(machine_to_dict(machine)) if as_json else click.echo(machine_to_yaml(machine), nl=False)
