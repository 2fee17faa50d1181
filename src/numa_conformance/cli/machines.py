"""``numa-conformance machines``: the catalogue."""

from __future__ import annotations

from pathlib import Path

import click

from ..hostfs import write_tree
from ..machine import allocation_map, catalogue_names, load_machine, machine_to_dict, summarize
from .terminal import print_json

__all__ = ["command"]


@click.group("machines", invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """List the machines of the catalogue, show one, or write its files."""
    if context.invoked_subcommand is None:
        context.invoke(list_machines)


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
def list_machines(as_json: bool = False) -> None:
    """List the machines of the catalogue."""
    machines = [load_machine(name) for name in catalogue_names()]
    if as_json:
        print_json(
            [
                {
                    "name": one.name,
                    "description": one.description,
                    "cpus": len(one.cpus),
                    "cores": len(one.core_bits),
                    "sockets": len(one.socket_bits),
                    "numaNodes": len(one.numa_ids),
                    "uncoreCaches": len(one.uncore_bits),
                }
                for one in machines
            ]
        )
        return
    width = max(len(one.name) for one in machines)
    for one in machines:
        click.echo(f"{one.name:<{width}}  {summarize(one)}")


@command.command("show")
@click.argument("machine")
@click.option("--json", "as_json", is_flag=True, help="Print the machine in the JSON form of its schema.")
def show(machine: str, as_json: bool) -> None:
    """Show MACHINE (a name of the catalogue, or a file) as a picture."""
    found = load_machine(machine)
    if as_json:
        print_json(machine_to_dict(found))
        return
    click.echo(f"{found.name}: {summarize(found)}")
    if found.description:
        click.echo(found.description)
    for note in found.notes:
        click.echo(f"note: {note}")
    click.echo()
    click.echo(allocation_map(found, {}, details=True))


@command.command("export")
@click.argument("machine")
@click.argument("folder", type=click.Path(path_type=Path))
def export(machine: str, folder: Path) -> None:
    """Write what the kernel of MACHINE shows below /sys and /proc into FOLDER, which must be empty or absent."""
    write_tree(load_machine(machine), folder)
