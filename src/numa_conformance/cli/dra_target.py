"""``numa-conformance dra-target``: an unmodified DRA driver, served over the standard streams."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import Fault, UsageError
from .options import EXISTING_DIRECTORY, needs, unsupported_option

if TYPE_CHECKING:
    from ..lab.dra.target import Backend


@click.command("dra-target", context_settings={"allow_interspersed_args": False})
@click.option(
    "--binaries",
    metavar="FOLDER",
    type=EXISTING_DIRECTORY,
    help="A folder of etcd, kube-apiserver, kube-scheduler, ...: those in place of stand-ins.",
)
@unsupported_option
@click.argument("arguments", metavar="COMMAND...", nargs=-1, required=True, type=click.UNPROCESSED)
def command(binaries: Path | None, unsupported: str, arguments: tuple[str, ...]) -> None:
    """Serve the DRA driver that COMMAND starts as a target over the standard streams.

    It is started anew on each machine, before stand-ins of an API server, a kubelet and a container runtime. In
    COMMAND, {kubeconfig} becomes a file that names the API server, {node_name} the node, {kubelet_folder} the
    kubelet's folder, {cdi_folder} that of CDI devices, {nri_socket} the runtime's socket of NRI, {host_root} a tree
    with /sys and /proc of the machine, {reserved_cpus} the CPUs to leave alone. KUBECONFIG and NODE_NAME are set.
    Without {cdi_folder} the driver finds machine, folders and socket where they always are, which needs Linux and
    mount namespaces (root, or user namespaces). With --binaries a cluster of real parts is brought up for each start,
    and the driver is a daemon of its node: its API server, scheduler and kubelet are no stand-ins.

    Put -- before a COMMAND with options of its own. Needs `pip install numa-conformance[lab]`;
    for drivers that speak NRI, Go. docs/dra-drivers.md tells more.
    """
    with needs("lab"):
        from ..lab.dra.driver_process import DriverProcess
        from ..lab.dra.target import DraTarget
    from ..wire.serve import serve
    from ..wire.termination import EndsInOrder

    if binaries is not None and unsupported:
        why = "has no effect with --binaries: the driver is one of the cluster's daemons"
        raise UsageError(Fault("--unsupported", why))
    with EndsInOrder():
        backend = DriverProcess(arguments, unsupported) if binaries is None else _in_cluster(arguments, binaries)
        with closing(DraTarget(backend)) as target:
            serve(target)


def _in_cluster(words: tuple[str, ...], binaries: Path) -> Backend:
    with needs("lab"):
        from ..lab.cluster.dra_driver import ClusterDriver
    return ClusterDriver(words, binaries)
