"""``numa-conformance machines``: the catalogue."""

from pathlib import Path

import click

from ..machine import (
    allocation_map,
    catalogue_names,
    load_machine,
    machine_to_dict,
    machine_to_yaml,
    read_machine_file,
    summarize,
)
from ..machine.hostfs import write_tree
from ..machine.picture import FOLDED_ABOVE
from ..machine.picture_svg import machine_svg
from .options import FILE, INPUT, MachineName, host_root, machine_of
from .terminal import columns, echo_picture, print_json, say, terminal_width


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
def list_machines(as_json: bool) -> None:
    """List the machines of the catalogue."""
    machines = [load_machine(name) for name in catalogue_names()]
    if as_json:
        rows = []
        for machine in machines:
            boxes = {"sockets": machine.socket_bits, "numaNodes": machine.numa_ids, "uncoreCaches": machine.uncore_bits}
            parts = {"cpus": machine.cpus, "cores": machine.core_bits, **boxes}
            counts = {name: len(listed) for name, listed in parts.items()}
            rows.append({"name": machine.name, "description": machine.description, **counts})
        print_json(rows)
        return
    say(*columns([(machine.name, summarize(machine)) for machine in machines]))


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


@click.command("capture")
@host_root("The folder that stands for /, or a tarball of one.")
@click.option(
    "--from", "texts", multiple=True, type=INPUT, help="What lscpu, numactl -H and the like print, or a tree."
)
@click.argument("files", nargs=-1, type=INPUT, metavar="[FILES]...")
@click.option("--inside", default=None, help="Which folder of a tarball stands for /, where it holds several machines.")
@click.option("--name", default=None, help="The machine's name (default: from the root, or the first file).")
@click.option("--json", "as_json", is_flag=True, help="Print the JSON form instead of YAML.")
def capture(
    root: Path, texts: tuple[Path, ...], files: tuple[Path, ...], inside: str | None, name: str | None, as_json: bool
) -> None:
    """Write this computer, a dump of one, or the machine of texts (--from FILE, further FILES) as a machine."""
    sources = (*texts, *files) or (root,)
    if sources == (Path("/"),):
        name = name or "this-computer"
    machine = read_machine_file(*sources, name=name, inside=inside)
    for note in machine.notes:
        click.echo(f"warning: {note}", err=True)
    print_json(machine_to_dict(machine)) if as_json else click.echo(machine_to_yaml(machine), nl=False)
