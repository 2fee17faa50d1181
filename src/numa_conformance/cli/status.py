"""``numa-conformance cluster status`` and ``down``: the clusters of real parts that are up, and the end of one."""

from pathlib import Path
from typing import Any

import click

from ..files import write_text
from ..lab.cluster.control import names_of_clusters, open_cluster
from .options import FILE
from .terminal import DIFFERENT, OK, columns, notice, print_json, say


@click.command("status")
@click.argument("name", required=False)
@click.option("--record", type=FILE, help="Write what happened on each node, for `judge`.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def command(name: str | None, record: Path | None, as_json: bool) -> int:
    """Show the cluster NAME, or all that are up: nodes, processes, and where kubeconfig and logs are."""
    by_cluster = {cluster: _ask(cluster, "status") for cluster in ([name] if name else names_of_clusters())}
    if record is not None:
        recording = _ask(name, "record")
        write_text(record, recording["histories"])
        for node in recording["broken"]:
            notice(f"several pods came at once to node {node}: from there on it is reported as it is seen now")
    if as_json:
        print_json(by_cluster)
    elif by_cluster:
        say("\n\n".join("\n".join(_lines(cluster, status)) for cluster, status in by_cluster.items()))
    else:
        say("no cluster is up")
    return OK


@click.command("down")
@click.argument("name", required=False)
def _down(name: str | None) -> int:
    """End the cluster NAME, or the only one that is up, and wait until nothing of it is left."""
    with open_cluster(name) as cluster:
        cluster.ask("down")
        if cluster.wait_for_its_end():
            return OK
    say(f"the cluster {cluster.name} is ending still: process {cluster.process}", err=True)
    return DIFFERENT


def _ask(name: str | None, verb: str) -> dict[str, Any]:
    with open_cluster(name) as cluster:
        return dict(cluster.ask(verb))


def _lines(name: str, status: dict[str, Any]) -> list[str]:
    rows: list[list[object]] = [["node", "machine", "kubelet", "CPUs", "pods", ""]]
    for node in status["nodes"]:
        cpus = node["allocatable"].get("cpu", "")
        ready = "Ready" if node["ready"] else "not Ready"
        rows.append([node["name"], node["machine"], node["kubelet"], cpus, node["pods"], ready])
    return [
        f"cluster {name}",
        f"  kubeconfig: {status['kubeconfig']}",
        f"  logs:       {status['folder']}",
        *columns(rows, "  "),
    ]
