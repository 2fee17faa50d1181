"""``numa-conformance serve pod-resources``: the reference on the sockets of a kubelet."""

import signal
import threading
from pathlib import Path

import click

from ..machine.hostfs import KubeletRoot
from ..reference.simulation.node_inputs import NodeInputs
from ..sources.versions import KubernetesVersion
from .node_options import node_options
from .options import FILE, MachineName, machine_of, needs
from .terminal import OK, notice

_EVERY = 0.5
"""Seconds between two looks at the pods' files."""


@click.command("pod-resources")
@click.option(
    "--machine", "machine_name", type=MachineName(), required=True, help="A name of the catalogue, or a file."
)
@click.option(
    "--root",
    metavar="FOLDER",
    required=True,
    type=FILE,
    help="The folder of the sockets and state files, shaped as /var/lib/kubelet; made, or empty, or of an earlier run.",
)
@click.argument("pods", nargs=-1, type=click.Path(path_type=Path, exists=True))
@node_options
def command(
    machine_name: str,
    root: Path,
    pods: tuple[Path, ...],
    config_file: Path | None,
    flags: str,
    kubernetes_version: KubernetesVersion,
    level: str,
) -> int:
    """Serve PodResources v1 of a node with this machine, configuration and the pods of the files PODS.

    The socket is ROOT/pod-resources/kubelet.sock. Files and folders are read again when they change, and at SIGHUP:
    pods come and go with them. Ends with 0 at SIGTERM or SIGINT. Needs `pip install numa-conformance[lab]`.
    docs/pod-resources.md has more.
    """
    with needs("lab"):
        from ..lab.node_agent.agent import NodeAgent, Plugins, providers_with
        from ..lab.node_agent.root import AgentRoot
        from ..lab.node_agent.serving import PodFiles, ServedNode
    inputs = NodeInputs.read(machine_of(machine_name), config_file, flags, kubernetes_version, level, notice)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    place = AgentRoot(root)
    plugins: Plugins = {}
    node = inputs.node(store=KubeletRoot(place.folder), providers=providers_with(plugins))
    agent = NodeAgent(node, notice, plugins)
    with ServedNode(agent, place, PodFiles(pods), notice) as served:
        signal.signal(signal.SIGHUP, lambda *_: served.read_again())
        click.echo(f"PodResources v1: {place.pod_resources}\ndevice plugins v1beta1: {place.registration}")
        while not stop.wait(_EVERY):
            served.keep_up()
    return OK
