"""``numa-conformance examples``: the files that the examples of each ``--help`` name."""

from pathlib import Path

import click

from ..files import data_folder
from .options import DIRECTORY
from .terminal import write_absent

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
    write_absent(texts)
