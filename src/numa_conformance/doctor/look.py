"""``look``: one pass over a node. It reads files; it judges and writes nothing."""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from ..errors import UsageError
from ..kube.quantity import microseconds
from ..machine import Machine
from ..machine.hostfs import read_machine
from ..reference.managers.memory.state_file import MEMORY_FILE
from ..sources.quirks import Quirks
from ..sources.versions import DEFAULT, KubernetesVersion
from . import cgroups
from .configuration import NodeConfiguration, find_kubelet, read_configuration
from .lone_state import memory_of_state
from .pod_resources import PodResourcesReport, ask_kubelet, read_dump, read_manifest
from .state_files import SavedState, read_state
from .tree import NodeTree
from .version import version_of_kubelet

TRIES = 3
"""How often a node is read again whose state changed meanwhile."""
PAUSE = 1.0
"""Seconds between two listings of the containers of a living node: what is in one alone starts or ends just now."""
PASSES = 3
"""Passes of the reconcile loop after which cpusets are as they stay."""


@dataclass(frozen=True, slots=True)
class NodeSource:
    """The node to look at: its root, and files that replace those below it.

    ``version``: the kubelet's; None where it is not said, and is to be found. ``machine``: in place of the tree's.
    ``as_it_is``: state files whose checksum does not fit are read. ``has_flags``: they may be all the configuration.
    """

    root: Path = Path("/")
    config: Path | None = None
    config_dir: Path | None = None
    state_dir: str | None = None
    pod_resources: str | None = None
    version: KubernetesVersion | None = None
    machine: Machine | None = None
    as_it_is: bool = False
    has_flags: bool = False


@dataclass(frozen=True, slots=True)
class ThreadGroup:
    """Threads, by their ids, that may use the same CPUs and NUMA nodes (bits)."""

    ids: tuple[int, ...]
    cpus: int
    mems: int | None


@dataclass
class ContainerSight:
    """A container whose cgroup was seen; sets are bits, None where they were not told."""

    cgroup: cgroups.ContainerCgroup
    uid: str
    name: str
    written: int | None
    effective: int | None
    mems: int | None
    limit: Fraction | None
    threads: list[ThreadGroup] = field(default_factory=list)


@dataclass
class Sight:
    """All that one pass saw. ``notes``: what could not be seen, and why. ``version``: None where it is not known.

    ``pods``: the cgroups of pods. ``nameless``: running containers without a log, such as a pod's sandbox.
    """

    tree: NodeTree
    machine: Machine
    configured: NodeConfiguration
    state: SavedState
    pods: list[cgroups.PodCgroup]
    running: list[ContainerSight]
    nameless: list[ContainerSight]
    names: dict[str, cgroups.ContainerName]
    settled: bool
    version: KubernetesVersion | None
    hierarchy: cgroups.Hierarchy | None = None
    listed: PodResourcesReport | None = None
    seconds: float = 0.0

    @property
    def notes(self) -> list[str]:
        """What could not be seen."""
        return self.tree.notes


def look(source: NodeSource) -> Sight:
    """Read a node, again where its state changed meanwhile; raises ``UsageError`` for a root that is no node."""
    began = time.monotonic()
    for _ in range(TRIES):
        sight, state_is_the_same = _look_once(source)
        if state_is_the_same:
            break
    else:
        sight.running.clear()
        sight.tree.note("the state files changed at every pass: what containers run on is not judged")
    sight.seconds = time.monotonic() - began
    return sight


def _look_once(source: NodeSource) -> tuple[Sight, bool]:
    tree = NodeTree(source.root)
    manifest = read_manifest(tree)
    process = find_kubelet(tree)
    version = source.version or (manifest and manifest.kubernetes_version) or version_of_kubelet(tree, process)
    machine = source.machine or read_machine(source.root)
    configured = read_configuration(
        tree, process, version or DEFAULT, source.config, source.config_dir, may_lack=source.has_flags
    )
    if source.state_dir:
        configured.root_dir = source.state_dir
    hierarchy = cgroups.find_hierarchy(tree, configured.cgroup_root)
    present = cgroups.containers(tree, cgroups.pods(tree, hierarchy)) if hierarchy else []
    is_live = manifest is None and os.path.lexists(tree.root / "proc" / "self")
    if is_live and present:
        time.sleep(PAUSE)
    state = read_state(tree, configured.root_dir, as_it_is=source.as_it_is)
    if source.machine and state.nodes and not (source.root / "sys").exists():
        machine = memory_of_state(machine, state.nodes)  # people know no bytes of NUMA nodes, and a kubelet compares
        state.remarks += (f"{MEMORY_FILE}: memory and huge pages of NUMA nodes are as it has them",)
    names = cgroups.names_of_containers(tree)
    of_pods = cgroups.pods(tree, hierarchy) if hierarchy else []
    if is_live:
        before = {cgroup.path for cgroup in present}
        present = [cgroup for cgroup in cgroups.containers(tree, of_pods) if cgroup.path in before]
    running, nameless = _running(tree, present, names)
    listed = ask_kubelet(source.pod_resources) if source.pod_resources else read_dump(tree)
    for note in listed.notes if listed else ():
        tree.note(f"PodResources: {note}")
    again = read_state(NodeTree(source.root), configured.root_dir) if is_live else state
    same = {name: file.text for name, file in again.files.items()} == {
        name: file.text for name, file in state.files.items()
    }
    changed = manifest.state_changed if manifest else state.changed
    settled = _has_settled(configured, changed, manifest.time if manifest else time.time() if is_live else None)
    facts = (tree, machine, configured, state, of_pods, running, nameless, names, settled, version, hierarchy, listed)
    return Sight(*facts), same


def _has_settled(configured: NodeConfiguration, changed: float | None, now: float | None) -> bool:
    """Tell whether the reconcile loop has had time since the state changed; a bare tree without a time counts so."""
    if changed is None or now is None:
        return True
    try:
        period = microseconds(configured.kubelet.reconcile_period(Quirks.none().node)) / 1_000_000
    except UsageError:
        period = 10.0
    return not 0 <= now - changed < PASSES * max(period, 1.0)


def _running(
    tree: NodeTree, present: Sequence[cgroups.ContainerCgroup], names: dict[str, cgroups.ContainerName]
) -> tuple[list[ContainerSight], list[ContainerSight]]:
    """Return the containers that run, and apart those without a name: a pod's sandbox is one of these."""
    running: list[ContainerSight] = []
    nameless: list[ContainerSight] = []
    left = cgroups.MOST_THREADS
    for cgroup in present:
        known = names.get(cgroup.id)
        is_nameless = known is None and cgroups.is_id(cgroup.id)
        cgroups.members(tree, cgroup, left)
        left -= len(cgroup.threads)
        if not cgroup.may_run and not is_nameless:
            continue
        (nameless if is_nameless else running).append(
            ContainerSight(
                cgroup,
                (known.uid if known else "") or cgroup.uid,
                known.container if known else cgroup.id,
                tree.bits(cgroup.cpus_file),
                tree.bits(cgroup.effective_file),
                tree.bits(cgroup.mems_file),
                cgroups.limit_of(tree, cgroup.hierarchy, cgroup.path),
                _threads(tree, cgroup),
            )
        )
    if nameless and not names:
        tree.note("var/log/containers: names no containers: which cgroup is which container is not known")
        nameless.clear()
    return running, nameless


def _threads(tree: NodeTree, cgroup: cgroups.ContainerCgroup) -> list[ThreadGroup]:
    """Group the threads of a container by what they may use; those that have ended are left out."""
    groups: dict[tuple[int, int | None], list[int]] = {}
    for thread in cgroup.threads:
        cpus, mems = cgroups.allowed(tree, thread)
        if cpus is not None:
            groups.setdefault((cpus, mems), []).append(thread)
    return [ThreadGroup(tuple(tids), cpus, mems) for (cpus, mems), tids in groups.items()]
