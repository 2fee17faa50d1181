"""``numa-conformance machines``: the catalogue."""

from pathlib import Path

import click

from ..machine import allocation_map, catalogue_names, load_machine, machine_to_dict, summarize
from ..machine.hostfs import write_tree
from ..machine.picture import FOLDED_ABOVE
from ..machine.picture_svg import machine_svg
from .options import FILE, MachineName, machine_of
from .terminal import columns, echo_picture, print_json, say, terminal_width


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
def list_machines(as_json: bool) -> None:
    """List the machines of the catalogue."""
    machines = [load_machine(name) for name in catalogue_names()]
    if as_json:
        print_json(
            [
                {
                    "name": machine.name,
                    "description": machine.description,
                    "cpus": len(machine.cpus),
                    "cores": len(machine.core_bits),
                    "sockets": len(machine.socket_bits),
                    "numaNodes": len(machine.numa_ids),
                    "uncoreCaches": len(machine.uncore_bits),
                }
                for machine in machines
            ]
        )
        return
    click.echo("\n".join(columns([(machine.name, summarize(machine)) for machine in machines])))


@click.command("show")
@click.argument("machine", type=MachineName())
@click.option("--json", "as_json", is_flag=True, help="Print the machine in the JSON form of its schema.")
@click.option("--svg", "as_svg", is_flag=True, help="Print the picture as SVG.")
def show(machine: str, as_json: bool, as_svg: bool) -> None:
    """Show MACHINE (a name of the catalogue, or a file) as a picture."""
    described = load_machine(machine)
    if as_json and as_svg:
        raise click.UsageError("--json and --svg exclude each other")
    if as_json:
        print_json(machine_to_dict(described))
        return
    if as_svg:
        click.echo(machine_svg(described, {}), nl=False)
        return
    say(f"{described.name}: {summarize(described)}")
    if described.description:
        say(described.description)
    for note in described.notes:
        say(f"note: {note}")
    click.echo()
    echo_picture(allocation_map(described, {}, details=True, width=terminal_width(), fold=FOLDED_ABOVE))


@click.command("export")
@click.argument("machine", type=MachineName())
@click.argument("folder", type=FILE)
def export(machine: str, folder: Path) -> None:
    """Write what the kernel of MACHINE shows below /sys and /proc into FOLDER, which must be empty or absent."""
    write_tree(machine_of(machine), folder)
