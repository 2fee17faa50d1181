"""``numa-conformance kubelet-target``: an unmodified kubelet, served as a target over the standard streams."""

from contextlib import closing

import click

from .options import needs


@click.command("kubelet-target")
@click.argument("kubelet", type=click.Path())
def command(kubelet: str) -> None:
    """Serve the KUBELET of this path as a target over the standard streams.

    It runs on machines that are not there, with a container runtime that starts nothing. Needs Linux, mount namespaces
    (root, or user namespaces) and `pip install numa-conformance[lab]`. docs/validate-a-kubelet.md tells more.
    """
    with needs("lab"):
        from ..lab.kubelet.target import KubeletTarget
    from ..wire.serve import serve

    with closing(KubeletTarget(kubelet)) as target:
        serve(target)
