"""``numa-conformance kubelet-target``, ``device-plugin-target``, ``dra-target``, ``nri-target``: unmodified programs.

Each is served as a target over the standard streams.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import click

from ..errors import Fault, UsageError
from .options import EXISTING_DIRECTORY, needs, unsupported_option

COMMANDS: dict[str, click.Command] = {}
"""The commands of this file, by name."""
_COMMAND = click.argument("arguments", metavar="COMMAND...", nargs=-1, required=True, type=click.UNPROCESSED)


def _door(name: str, *options: Callable[..., Any]) -> Callable[[Callable[..., Any]], None]:
    """Make a command of a function that returns a target, and serve that."""

    def declare(function: Callable[..., Any]) -> None:
        def command(**arguments: Any) -> None:
            from ..wire.serve import serve
            from ..wire.termination import EndsInOrder

            with ExitStack() as ends:
                if name != "kubelet-target":  # which forks, and may have no other thread
                    ends.enter_context(EndsInOrder())
                serve(ends.enter_context(closing(function(**arguments))))

        for option in reversed(options):
            command = option(command)
        settings = {"allow_interspersed_args": False}
        COMMANDS[name] = click.command(name, help=function.__doc__, context_settings=settings)(command)

    return declare


@_door("kubelet-target", click.argument("kubelet", type=click.Path()))
def _kubelet(kubelet: str) -> Any:
    """Serve the KUBELET of this path as a target over the standard streams.

    It runs on machines that are not there, with a container runtime that starts nothing. Needs Linux, mount namespaces
    (root, or user namespaces) and `pip install numa-conformance[lab]`. docs/validate-a-kubelet.md tells more.
    """
    with needs("lab"):
        from ..lab.kubelet.target import KubeletTarget
    return KubeletTarget(kubelet)


@_door("device-plugin-target", unsupported_option, _COMMAND)
def _device_plugin(unsupported: str, arguments: tuple[str, ...]) -> Any:
    """Serve the device plugin that COMMAND starts as a target over the standard streams.

    It is started anew on each machine. Where {plugin_folder} stands in COMMAND it is told the kubelet's folder, and by
    {host_root} a tree with /sys and /proc of the machine. Else it sees them where they always are, which needs Linux
    and mount namespaces (root, or user namespaces). Put -- before a COMMAND with options of its own. Needs `pip install
    numa-conformance[lab]`. docs/write-a-target.md tells more.
    """
    with needs("lab"):
        from ..lab.device_plugin.target import PluginTarget
    return PluginTarget(arguments, unsupported)


_BINARIES = click.option(
    "--binaries",
    metavar="FOLDER",
    type=EXISTING_DIRECTORY,
    help="A folder of etcd, kube-apiserver, kube-scheduler, ...: those in place of stand-ins.",
)


@_door("dra-target", _BINARIES, unsupported_option, _COMMAND)
def _dra_driver(binaries: Path | None, unsupported: str, arguments: tuple[str, ...]) -> Any:
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
        from ..lab.cluster.dra_driver import ClusterDriver
        from ..lab.dra.driver_process import DriverProcess
        from ..lab.dra.target import DraTarget
    if binaries is not None and unsupported:
        why = "has no effect with --binaries: the driver is one of the cluster's daemons"
        raise UsageError(Fault("--unsupported", why))
    return DraTarget(DriverProcess(arguments, unsupported) if binaries is None else ClusterDriver(arguments, binaries))


_KUBELET = click.option(
    "--kubelet", type=click.Path(exists=True, dir_okay=False), help="an unmodified kubelet beside it"
)


@_door("nri-target", _KUBELET, unsupported_option, _COMMAND)
def _nri_plugin(kubelet: str | None, unsupported: str, arguments: tuple[str, ...]) -> Any:
    """Serve the NRI plugin that COMMAND starts as a target over the standard streams.

    It is started anew on each machine, and told of pods and containers as a container runtime does. In COMMAND,
    {nri_socket} becomes the runtime's socket, {host_root} a tree with /sys and /proc of the machine, {reserved_cpus}
    the CPUs that the kubelet's configuration reserves, {kubelet_config} a file with that configuration. Without
    {nri_socket} the plugin finds machine and socket where they always are, which needs Linux and mount namespaces
    (root, or user namespaces). Put -- before a COMMAND with options of its own. Needs Go, with which the runtime's side
    is built once. With --kubelet that kubelet, its managers off, is given the pods, and has their containers made;
    that needs `pip install numa-conformance[lab]`.
    docs/write-a-target.md tells more.
    """
    if kubelet is None:
        from ..lab.nri.target import NriTarget

        return NriTarget(arguments, unsupported)
    with needs("lab"):
        from ..lab.nri.with_kubelet import PluginWithKubelet
    return PluginWithKubelet(kubelet, arguments, unsupported)
