"""``numa-conformance cluster status``, ``down`` and ``exec``: clusters that are up, their end, programs on a node."""

import contextlib
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import click

from ..files import write_text
from ..lab.cluster.cgroups import CGROUPS
from ..lab.cluster.control import OpenCluster, names_of_clusters, open_cluster
from ..lab.kubelet.launcher import HOME
from ..namespaces import bind, end_with_parent, enter_mount_namespace, join_mount_namespace
from .options import CLUSTER, COMMAND_LINE, FILE, words_of
from .terminal import DIFFERENT, NOT_FOUND, NOT_RUN, OK, columns, notice, parted, print_json, say


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
        say(*parted(_lines(cluster, status) for cluster, status in by_cluster.items()))
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
    places = f"  kubeconfig: {status['kubeconfig']}", f"  logs:       {status['folder']}"
    return [f"cluster {name}", *places, *columns(rows, "  ")]


@click.command("exec", context_settings={"allow_interspersed_args": False})
@click.argument("node")
@COMMAND_LINE
@CLUSTER
@click.option("--cgroups", is_flag=True, help="Show it the cgroups of the node's containers in /sys/fs/cgroup.")
def _exec(node: str, arguments: tuple[str, ...], name: str | None, *, cgroups: bool) -> int:
    """Run COMMAND on NODE of a cluster that is up: its /sys, /proc and /var/lib/kubelet are those of its kubelet.

    KUBECONFIG and NODE_NAME are set for it. It ends with the cluster. Put -- before a COMMAND with options of its own.
    The exit code is the _exec's; 127 where there is no such _exec, 126 where it cannot be run.
    """
    words = words_of(arguments)
    cluster = open_cluster(name)
    entrance = cluster.ask("node", node)
    child = os.fork()
    if not child:
        _become(words, entrance, cgroups=cgroups)
    return _wait(child, cluster)


def _become(words: tuple[str, ...], entrance: dict[str, Any], *, cgroups: bool) -> None:
    end_with_parent(signal.SIGKILL)
    try:
        here = os.getcwd()
        join_mount_namespace(entrance["process"], of_a_user=True)
        if cgroups:  # those of the node's containers lie over the computer's, and kubelets of other nodes are hidden
            enter_mount_namespace()
            bind(f"{HOME}/{CGROUPS}", "/sys/fs/cgroup")
            for number in entrance["others"]:
                with contextlib.suppress(OSError):  # it may have ended
                    bind("/var/lib/nothing", f"/proc/{number}")
        os.chdir(here if os.path.isdir(here) else "/")
        os.execvpe(words[0], words, {**os.environ, **entrance["environment"]})
    except OSError as error:
        print(f"error: {words[0]}: {os.strerror(error.errno or 0)}", file=sys.stderr, flush=True)  # noqa: T201  (the child ends here)
        os._exit(NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_RUN)


def _wait(child: int, cluster: OpenCluster) -> int:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal tells the child itself
    signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGTERM))

    def end_with_cluster() -> None:
        if cluster.wait_for_its_end(None):
            os.kill(child, signal.SIGKILL)

    threading.Thread(target=end_with_cluster, daemon=True).start()
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code
