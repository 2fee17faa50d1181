"""``numa-conformance collect-node``: a dump of a node at work, for check-node elsewhere."""

from pathlib import Path
from typing import Any

import click

from ..doctor.collect import collect
from ..doctor.look import NodeSource
from .check_node import node_source_options
from .options import DIRECTORY


@click.command("collect-node")
@click.argument("folder", type=DIRECTORY)
@click.option(
    "--from-node",
    "root",
    metavar="FOLDER",
    default="/",
    show_default=True,
    type=DIRECTORY,
    help="The folder that stands for /, such as a host's in a container.",
)
@node_source_options
def command(folder: Path, root: Path, **replacing: Any) -> None:
    """Write a dump of this node into FOLDER, which check-node --from-node reads.

    It holds the hardware's layout, state files, cpusets, names of pods and containers, and what threads may run on; no
    environments, no command lines but the kubelet's flags for the resource managers, and no tokens.
    """
    sight = collect(NodeSource(root, **replacing), folder)
    for note in sight.notes:
        click.echo(f"not seen: {note}", err=True)
    click.echo(f"{len(sight.running)} containers, {len(sight.state.files)} state files")
    click.echo(f"numa-conformance check-node --from-node {folder}")
