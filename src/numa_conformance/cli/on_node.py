"""``numa-conformance on-node``: any program where a node's kubelet lives."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from typing import Any

import click

from ..hostfs.namespaces import join_mount_namespace
from ..real_cluster.control import Known, open_cluster
from .exits import NOT_FOUND, NOT_RUN

__all__ = ["command"]

_END_WITH_PARENT = 1  # PR_SET_PDEATHSIG


@click.command("on-node", context_settings={"allow_interspersed_args": False})
@click.argument("node")
@click.argument("arguments", metavar="COMMAND...", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option("--name", default=None, help="Which cluster, where several are up.")
def command(node: str, arguments: tuple[str, ...], name: str | None) -> int:
    """Run COMMAND on NODE of a cluster that is up: its /sys, /proc and /var/lib/kubelet are those of its kubelet.

    KUBECONFIG and NODE_NAME are set for it. It ends with the cluster. Put -- before a COMMAND with options of its own.
    The exit code is the command's; 127 where there is no such command, 126 where it cannot be run.
    """
    words = arguments[1:] if arguments[0] == "--" else arguments
    if not words:
        raise click.UsageError("Missing argument 'COMMAND...'.")
    cluster = open_cluster(name)
    entrance = cluster.ask("node", node)
    child = os.fork()
    if not child:
        _become(words, entrance)
    return _wait(child, cluster)


def _become(words: tuple[str, ...], entrance: dict[str, Any]) -> None:
    """Be the program, near the kubelet."""
    ctypes.CDLL(None).prctl(_END_WITH_PARENT, signal.SIGKILL)
    code = NOT_RUN
    try:
        here = os.getcwd()
        join_mount_namespace(entrance["process"], of_a_user=True)
        os.chdir(here if os.path.isdir(here) else "/")
        os.execvpe(words[0], words, {**os.environ, **entrance["environment"]})
    except OSError as error:
        code = NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_RUN
        print(f"error: {words[0]}: {os.strerror(error.errno or 0)}", file=sys.stderr, flush=True)  # noqa: T201  (the child ends here)
    os._exit(code)


def _wait(child: int, cluster: Known) -> int:
    """Wait for the program, pass signals on to it, and end it with the cluster."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal tells the child itself
    signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGTERM))

    def end_with_cluster() -> None:
        if cluster.wait_for_its_end(None):
            os.kill(child, signal.SIGKILL)

    threading.Thread(target=end_with_cluster, daemon=True).start()
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code
