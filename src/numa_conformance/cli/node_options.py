"""Options of commands that run a node: a kubelet's configuration, its machine, a node at work (``--from-node``)."""

from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any, TypeVar

import click

from .options import CONFIG, LEVEL, STATE_AS_IT_IS, VERSION, MachineName

C = TypeVar("C", bound=Callable[..., Any])

_FLAGS = click.option(
    "--flags",
    default="",
    metavar="TEXT",
    help='The kubelet\'s command line; overrides the configuration: "--cpu-manager-policy=static --reserved-cpus=0".',
)
_FROM_NODE = click.option(
    "--from-node",
    "dump",
    type=click.Path(path_type=Path, exists=True),
    help="Go on from what a node holds: a dump (collect-node), its tarball, /, or state files alone. Its machine and "
    "configuration count where none are named.",
)


def node_options(command: C) -> C:
    """Add the options that describe a kubelet."""
    return reduce(lambda made, option: option(made), (LEVEL, VERSION, _FLAGS, CONFIG), command)


def from_node_options(command: C) -> C:
    """Add the options that name a machine, or a node at work."""
    machine = click.option("--machine", "machine_name", type=MachineName(), help="A name of the catalogue, or a file.")
    return machine(_FROM_NODE(STATE_AS_IT_IS(command)))
