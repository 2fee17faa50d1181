"""``numa-conformance machines run`` and ``with-files``: any program on a simulated machine, or among more files."""

import os
from pathlib import Path

import click

from ..machine.hostfs.on_machine import enter_machine, lay_files
from ..namespaces import enter_mount_namespace
from .options import COMMAND_LINE, EXISTING_DIRECTORY, MachineName, machine_of, words_of
from .terminal import NOT_FOUND, NOT_RUN

_SETTINGS = {"allow_interspersed_args": False}


@click.command("run", context_settings=_SETTINGS)
@click.argument("machine", type=MachineName())
@COMMAND_LINE
@click.option("--as-root", is_flag=True, help="Be root in there, also where you are not outside.")
def run(machine: str, arguments: tuple[str, ...], as_root: bool) -> int:
    """Run COMMAND on MACHINE: what it reads below /sys and /proc is that machine's.

    MACHINE is a name of the catalogue, or a file. Put -- before a COMMAND with options of its own. The exit code is the
    command's; 127 where there is no such command, 126 where it cannot be run. docs/fake-machines.md says what such a
    machine can give and what not.
    """
    words = words_of(arguments)
    enter_machine(machine_of(machine), become_root=as_root)
    os.environ.setdefault("HWLOC_COMPONENTS", "-x86")  # else hwloc asks the CPU itself, by an instruction
    return _become(words)


@click.command("with-files", context_settings=_SETTINGS)
@click.argument("folder", type=EXISTING_DIRECTORY)
@COMMAND_LINE
def with_files(folder: Path, arguments: tuple[str, ...]) -> int:
    """Run COMMAND, which sees what is in FOLDER beside what is there: FOLDER/sys/class/kfd is /sys/class/kfd.

    It is for what a device plugin looks for beside the PCI bus, such as drivers, network or a pci.ids: a COMMAND of
    `machines run`, of `cluster exec`, or behind --numa-device-plugin. Nobody else sees it, and nothing there can be
    written to. Needs Linux and mount namespaces (root, or user namespaces). docs/fake-machines.md has more.
    """
    words = words_of(arguments)
    enter_mount_namespace()
    lay_files(folder.absolute())
    return _become(words)


def _become(words: tuple[str, ...]) -> int:
    try:
        os.execvp(words[0], words)
    except OSError as error:
        click.echo(f"error: {words[0]}: {os.strerror(error.errno or 0)}", err=True)
        return NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_RUN
