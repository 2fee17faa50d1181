"""``numa-conformance dra-target``: an unmodified DRA driver, served over the standard streams."""

from __future__ import annotations

import click

from ..errors import Fault, UsageError

__all__ = ["command"]


@click.command("dra-target", context_settings={"allow_interspersed_args": False})
@click.argument("arguments", metavar="COMMAND...", nargs=-1, required=True, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> None:
    """Serve the DRA driver that COMMAND starts as a target over the standard streams.

    It is started anew on each machine, before stand-ins of an API server, a kubelet and a container runtime. In
    COMMAND, {kubeconfig} becomes a file that names the API server, {node_name} the node, {kubelet_folder} the
    kubelet's folder, {cdi_folder} that of CDI devices, {nri_socket} the runtime's socket of NRI, {host_root} a tree
    with /sys and /proc of the machine, {reserved_cpus} the CPUs to leave alone. KUBECONFIG and NODE_NAME are set.
    Without {cdi_folder} the driver finds machine, folders and socket where they always are, which needs Linux and
    mount namespaces (root, or user namespaces). Put -- before a COMMAND with options of its own. Needs `pip install
    numa-conformance[node]`; for drivers that speak NRI, Go. docs/dra-drivers.md tells more.
    """
    try:
        from ..real_dra.target import DraTarget
    except ImportError as error:
        raise UsageError(Fault("", f"{error.name} is not installed", "pip install 'numa-conformance[node]'")) from error
    from ..protocol.serve import serve

    target = DraTarget(arguments)
    try:
        serve(target)
    finally:
        target.close()
