"""``numa-conformance device-plugin-target``: an unmodified device plugin, served over the standard streams."""

from contextlib import closing

import click

from .options import needs, unsupported_option


@click.command("device-plugin-target", context_settings={"allow_interspersed_args": False})
@unsupported_option
@click.argument("arguments", metavar="COMMAND...", nargs=-1, required=True, type=click.UNPROCESSED)
def command(unsupported: str, arguments: tuple[str, ...]) -> None:
    """Serve the device plugin that COMMAND starts as a target over the standard streams.

    It is started anew on each machine. Where {plugin_folder} stands in COMMAND it is told the kubelet's folder, and by
    {host_root} a tree with /sys and /proc of the machine. Else it sees them where they always are, which needs Linux
    and mount namespaces (root, or user namespaces). Put -- before a COMMAND with options of its own. Needs `pip install
    numa-conformance[lab]`. docs/write-a-target.md tells more.
    """
    with needs("lab"):
        from ..lab.device_plugin.target import PluginTarget
    from ..wire.serve import serve
    from ..wire.termination import EndsInOrder

    with EndsInOrder(), closing(PluginTarget(arguments, unsupported)) as target:
        serve(target)
