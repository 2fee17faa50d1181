"""``numa-conformance examples``: the files that the examples of each ``--help`` name."""

from pathlib import Path

import click

from ..errors import Fault, UsageError
from ..files import write_text
from ..machine.data_files import data_folder
from .options import DIRECTORY

SHIPPED = ("cluster", "gpus", "node", "recorded", "reports")
"""The folders of ``examples/`` that a wheel carries."""


@click.command("examples")
@click.argument("folder", default="examples", type=DIRECTORY)
def command(folder: Path) -> None:
    """Write pods, nodes, configurations and records to FOLDER (default: examples); nothing is overwritten.

    They are the files that the examples of each command's --help name.
    """
    source = data_folder("examples")
    texts = {
        folder / path.relative_to(source): path.read_text(encoding="utf-8")
        for name in SHIPPED
        for path in sorted((source / name).rglob("*"))
        if path.is_file()
    }
    others = [path for path, text in texts.items() if path.exists() and path.read_text(encoding="utf-8") != text]
    if others:
        raise UsageError(Fault(str(path), "is there already, and stays as it is") for path in others)
    for path, text in texts.items():
        if not path.exists():
            write_text(path, text)
            click.echo(f"wrote {path}")
