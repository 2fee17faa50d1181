"""``numa-conformance serve pod-resources``: the reference on the sockets of a kubelet."""

import signal
import threading
from pathlib import Path

import click

from ..kube import ClusterObjects
from ..machine.hostfs import KubeletRoot
from .node_at_work import NodeOptions, node_options
from .options import FILE, needs
from .terminal import OK, notice, tell_assumption

_EVERY = 0.5
"""Seconds between two looks at the pods' files."""


@click.command("pod-resources")
@click.option(
    "--root",
    metavar="FOLDER",
    required=True,
    type=FILE,
    help="The folder of the sockets and state files, shaped as /var/lib/kubelet; made, or empty, or of an earlier run.",
)
@click.argument("pods", nargs=-1, type=click.Path(path_type=Path, exists=True))
@node_options
def command(root: Path, pods: tuple[Path, ...], node: NodeOptions) -> int:
    """Serve PodResources v1 of a node with this machine, configuration and the pods of the files PODS.

    The socket is ROOT/pod-resources/kubelet.sock. Files and folders are read again when they change, and at SIGHUP:
    pods come and go with them. Ends with 0 at SIGTERM or SIGINT. Needs `pip install numa-conformance[lab]`.
    docs/pod-resources.md has more.
    """
    with needs("lab"):
        from ..lab.node_agent.agent import NodeAgent, Plugins, providers_with
        from ..lab.node_agent.root import AgentRoot
        from ..lab.node_agent.serving import PodFiles, ServedNode
    inputs, _ = node.begin(ClusterObjects((), ()))
    tell_assumption()
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    place = AgentRoot(root)
    plugins: Plugins = {}
    served_node = inputs.node(store=KubeletRoot(place.folder), providers=providers_with(plugins))
    with ServedNode(NodeAgent(served_node, notice, plugins), place, PodFiles(pods), notice) as served:
        signal.signal(signal.SIGHUP, lambda *_: served.read_again())
        click.echo(f"PodResources v1: {place.pod_resources}\ndevice plugins v1beta1: {place.registration}")
        while not stop.wait(_EVERY):
            served.keep_up()
    return OK
