"""The option of the commands that serve daemons: by which words one says that it does not support a machine."""

from __future__ import annotations

import click

unsupported_option = click.option(
    "--unsupported",
    default="",
    metavar="REGEX",
    help="words with which it gives up on a machine that it does not support; a crash never counts",
)
