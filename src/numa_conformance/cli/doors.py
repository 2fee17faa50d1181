"""``numa-conformance serve``: unmodified kubelets, device plugins, DRA drivers and NRI plugins as targets."""

from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import click

from ..errors import Fault, UsageError
from ..files import parts_of, text_of
from .options import COMMAND_LINE, EXISTING_DIRECTORY, needs, unsupported_option

_HELP = {name: "\n".join(lines) for name, lines in parts_of(text_of(__package__, "doors.txt"))}


def _door(name: str, *options: Callable[..., Any]) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a command of a function that returns a target, and serve that."""

    def declare(function: Callable[..., Any]) -> click.Command:
        def command(**arguments: Any) -> None:
            from ..wire.serve import serve
            from ..wire.termination import EndsInOrder

            with ExitStack() as ends:
                if name != "kubelet":  # which forks, and may have no other thread
                    ends.enter_context(EndsInOrder())
                serve(ends.enter_context(closing(function(**arguments))))

        for option in reversed(options):
            command = option(command)
        return click.command(name, help=_HELP[name], context_settings={"allow_interspersed_args": False})(command)

    return declare


@_door("kubelet", click.argument("kubelet", type=click.Path()))
def _kubelet(kubelet: str) -> Any:
    with needs("lab"):
        from ..lab.kubelet.target import KubeletTarget
    return KubeletTarget(kubelet)


@_door("device-plugin", unsupported_option, COMMAND_LINE)
def _device_plugin(unsupported: str, arguments: tuple[str, ...]) -> Any:
    with needs("lab"):
        from ..lab.device_plugin.target import PluginTarget
    return PluginTarget(arguments, unsupported)


_BINARIES = click.option(
    "--binaries",
    metavar="FOLDER",
    type=EXISTING_DIRECTORY,
    help="A folder of etcd, kube-apiserver, kube-scheduler, ...: the real ones in place of fakes.",
)


@_door("dra", _BINARIES, unsupported_option, COMMAND_LINE)
def _dra_driver(binaries: Path | None, unsupported: str, arguments: tuple[str, ...]) -> Any:
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


@_door("nri", _KUBELET, unsupported_option, COMMAND_LINE)
def _nri_plugin(kubelet: str | None, unsupported: str, arguments: tuple[str, ...]) -> Any:
    if kubelet is None:
        from ..lab.nri.target import NriTarget

        return NriTarget(arguments, unsupported)
    with needs("lab"):
        from ..lab.nri.with_kubelet import PluginWithKubelet
    return PluginWithKubelet(kubelet, arguments, unsupported)
