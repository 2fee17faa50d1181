"""``numa-conformance on``: any program on a machine that is not there."""

import os

import click

from ..machine.hostfs import enter_machine
from .options import MachineName, machine_of
from .terminal import NOT_FOUND, NOT_RUN


@click.command("on", context_settings={"allow_interspersed_args": False})
@click.argument("machine", type=MachineName())
@click.argument("arguments", metavar="COMMAND...", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option("--as-root", is_flag=True, help="Be root in there, also where you are not outside.")
def command(machine: str, arguments: tuple[str, ...], as_root: bool) -> int:
    """Run COMMAND on MACHINE: what it reads below /sys and /proc is that machine's.

    MACHINE is a name of the catalogue, or a file. Put -- before a COMMAND with options of its own. The exit code is the
    command's; 127 where there is no such command, 126 where it cannot be run. docs/fake-machines.md tells what such a
    machine can give and what not.
    """
    words = arguments[1:] if arguments[0] == "--" else arguments
    if not words:
        raise click.UsageError("Missing argument 'COMMAND...'.")
    enter_machine(machine_of(machine), become_root=as_root)
    os.environ.setdefault("HWLOC_COMPONENTS", "-x86")  # else hwloc asks the CPU itself, by an instruction
    try:
        os.execvp(words[0], words)
    except OSError as error:
        click.echo(f"error: {words[0]}: {os.strerror(error.errno or 0)}", err=True)
        return NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_RUN
