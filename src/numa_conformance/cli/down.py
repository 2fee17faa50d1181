"""``numa-conformance down``: the end of a cluster of real parts."""

import click

from ..lab.cluster.control import open_cluster
from .terminal import DIFFERENT, OK, say


@click.command("down")
@click.argument("name", required=False)
def command(name: str | None) -> int:
    """End the cluster NAME, or the only one that is up, and wait until nothing of it is left."""
    with open_cluster(name) as cluster:
        cluster.ask("down")
        if cluster.wait_for_its_end():
            return OK
    say(f"the cluster {cluster.name} is ending still: process {cluster.process}", err=True)
    return DIFFERENT
