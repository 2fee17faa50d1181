"""``numa-conformance cluster up``: a cluster of real parts."""

import os
import shlex
import signal
import sys
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..documents import read_documents
from ..errors import Fault, UsageError
from ..lab.cluster.binaries import build_release, check_inotify, find_binaries, skew_notices
from ..lab.cluster.control import Control
from ..lab.cluster.nodes_file import Scheduler, Stopped, default_nodes, extra_words, read_nodes
from ..lab.cluster.pods import read_manifests
from ..namespaces import end_with_parent
from .options import EXISTING_DIRECTORY, needs
from .terminal import OK, notice, say, with_progress

if TYPE_CHECKING:
    from ..lab.cluster.cluster import RealCluster

_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
_LOOK_SECONDS = 1.0


@click.command("up")
@click.argument("nodes", metavar="[NODES.yaml]", required=False, type=_FILE)
@click.option("--name", default="numa", show_default=True, help="What the cluster is called.")
@click.option("--background", is_flag=True, help="Return when it is up; it stays until `cluster down`.")
@click.option("--binaries", metavar="FOLDER", type=EXISTING_DIRECTORY, help="Where the programs are.")
@click.option("--release", help="A release to build by Go where it is not yet, as 1.37.1; kept in a cache.")
@click.option("--kubelet", type=_FILE, help="The kubelet of nodes that name none of their own.")
@click.option("--scheduler", type=_FILE, help="Another kube-scheduler in place of that one.")
@click.option("--scheduler-config", type=_FILE, help="Its KubeSchedulerConfiguration.")
@click.option("--scheduler-flag", "scheduler_flags", multiple=True, help="A flag for it, as --scheduler-flag=-v=10.")
@click.option("--manifest", "manifests", multiple=True, type=_FILE, help="Objects to make before daemons start.")
@click.option("--second-scheduler", type=_FILE, help="A kube-scheduler beside it; it may be the same program.")
@click.option("--second-scheduler-command", multiple=True, help='Any scheduler beside it: "... {kubeconfig} ...".')
@click.option("--second-scheduler-config", type=_FILE, help="Its KubeSchedulerConfiguration, with a name of its own.")
def command(
    nodes: Path | None,
    name: str,
    background: bool,
    binaries: Path | None,
    release: str | None,
    kubelet: Path | None,
    manifests: tuple[Path, ...],
    second_scheduler_command: tuple[str, ...],
    **schedulers: Any,
) -> int:
    """Bring up etcd, kube-apiserver, kube-controller-manager, kube-scheduler and a kubelet for each node.

    NODES.yaml is a list of nodes with their machines; without it there are two of two kinds. Prints the path of a
    kubeconfig when all nodes are Ready, and ends at Ctrl-C, or with the process that started it. Nothing remains.
    docs/cluster-of-real-parts.md has more. Needs `pip install numa-conformance[lab]`.
    """
    with needs("lab"):
        from ..lab.cluster.cluster import RealCluster
    plans, extras = (default_nodes(), []) if nodes is None else read_nodes(nodes)
    extras += [_command(text) for text in second_scheduler_command]
    check_inotify(len(plans))
    objects = [manifest for path in manifests for manifest in read_manifests(path)]
    kubelet = kubelet or (Path(str(plans[0].binary)) if all(plan.binary for plan in plans) else None)
    build = partial(build_release, release, say, progress=with_progress) if release else None
    programs = find_binaries(binaries, {"kube-scheduler": schedulers["scheduler"], "kubelet": kubelet}, build)
    notice(*skew_notices(programs.apiserver, [plan.binary or programs.kubelet for plan in plans]))
    cluster = RealCluster(plans, programs, _schedulers(programs.scheduler, **schedulers), say, objects, extras=extras)
    control = Control(name)
    if not background:
        return _keep(cluster, control, name, None)
    ours, theirs = os.pipe()
    if child := os.fork():
        os.close(theirs)
        if os.read(ours, 1):
            return OK
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status)
    return _keep(cluster, control, name, theirs)


def _schedulers(
    program: str,
    scheduler: Path | None,
    scheduler_config: Path | None,
    scheduler_flags: tuple[str, ...],
    second_scheduler: Path | None,
    second_scheduler_config: Path | None,
) -> list[Scheduler]:
    made = [Scheduler(program, _configuration(scheduler_config), scheduler_flags)]
    if second_scheduler is not None and second_scheduler_config is None:
        text = "needs a name of its own, or both would take the same pods"
        raise UsageError(Fault("--second-scheduler", text, "--second-scheduler-config FILE"))
    if second_scheduler_config is not None:
        second = str((second_scheduler or Path(program)).absolute())
        made.append(Scheduler(second, _configuration(second_scheduler_config), scheduler_flags))
    return made


def _command(text: str) -> list[str]:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(Fault("--second-scheduler-command", f"{text!r}: {error}", "words as of a shell")) from error
    if not words:
        raise UsageError(Fault("--second-scheduler-command", "is empty", "a command"))
    return extra_words(Path.cwd(), words)


def _configuration(path: Path | None) -> dict[str, Any] | None:
    """Return a KubeSchedulerConfiguration as it stands: a scheduler with plugins has fields that we do not know."""
    if path is None:
        return None
    documents = read_documents(path)
    if len(documents) != 1 or not isinstance(documents[0].value, dict):
        raise UsageError(Fault(str(path), "is no KubeSchedulerConfiguration", "one object"))
    return dict(documents[0].value)


def _keep(cluster: "RealCluster", control: Control, name: str, ready: int | None) -> int:
    """Run the cluster until it is to end; through ``ready`` the parent learns that all nodes are up."""
    end_with_parent(signal.SIGTERM)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: cluster.stop.set())
    with closing(cluster), suppress(Stopped):
        cluster.start()
        control.serve({**cluster.answers(), "down": cluster.stop.set})
        say("", f"export KUBECONFIG={cluster.kubeconfig}")
        say("end it: Ctrl-C" if ready is None else f"end it: numa-conformance cluster down {name}")
        sys.stdout.flush()
        if ready is not None:
            _let_go(ready)
        while not cluster.stop.wait(_LOOK_SECONDS):
            notice(*cluster.ended())
    return OK


def _let_go(ready: int) -> None:
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    end_with_parent(0)
    os.write(ready, b"up")
    os.close(ready)
