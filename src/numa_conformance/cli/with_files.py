"""``numa-conformance with-files``: any program among files that this computer does not have."""

import os
from pathlib import Path

import click

from ..machine.hostfs.namespaces import enter_mount_namespace
from ..machine.hostfs.on_machine import lay_files
from .options import EXISTING_DIRECTORY
from .terminal import NOT_FOUND, NOT_RUN


@click.command("with-files", context_settings={"allow_interspersed_args": False})
@click.argument("folder", type=EXISTING_DIRECTORY)
@click.argument("arguments", metavar="COMMAND...", nargs=-1, required=True, type=click.UNPROCESSED)
def command(folder: Path, arguments: tuple[str, ...]) -> int:
    """Run COMMAND, which sees what is in FOLDER beside what is there: FOLDER/sys/class/kfd is /sys/class/kfd.

    It is for what a device plugin looks for beside the PCI bus, such as drivers, network or a pci.ids: a COMMAND of
    `on`, of `on-node`, or behind --numa-device-plugin. Nobody else sees it, and nothing there can be written to. Needs
    Linux and mount namespaces (root, or user namespaces). docs/fake-machines.md tells more.
    """
    words = arguments[1:] if arguments[0] == "--" else arguments
    if not words:
        raise click.UsageError("Missing argument 'COMMAND...'.")
    enter_mount_namespace()
    lay_files(folder.absolute())
    try:
        os.execvp(words[0], words)
    except OSError as error:
        click.echo(f"error: {words[0]}: {os.strerror(error.errno or 0)}", err=True)
        return NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_RUN
