"""``numa-conformance nri-target``: an unmodified NRI plugin, served over the standard streams."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING

import click

from .options import needs, unsupported_option

if TYPE_CHECKING:
    from ..lab.nri.target import NriTarget
    from ..lab.nri.with_kubelet import PluginWithKubelet


@click.command("nri-target", context_settings={"allow_interspersed_args": False})
@click.option("--kubelet", type=click.Path(exists=True, dir_okay=False), help="an unmodified kubelet beside it")
@unsupported_option
@click.argument("arguments", metavar="COMMAND...", nargs=-1, required=True, type=click.UNPROCESSED)
def command(kubelet: str | None, unsupported: str, arguments: tuple[str, ...]) -> None:
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
    from ..wire.serve import serve
    from ..wire.termination import EndsInOrder

    with EndsInOrder(), closing(_target(kubelet, arguments, unsupported)) as target:
        serve(target)


def _target(kubelet: str | None, words: Sequence[str], unsupported: str) -> NriTarget | PluginWithKubelet:
    if kubelet is None:
        from ..lab.nri.target import NriTarget

        return NriTarget(words, unsupported)
    with needs("lab"):
        from ..lab.nri.with_kubelet import PluginWithKubelet
    return PluginWithKubelet(kubelet, words, unsupported)
