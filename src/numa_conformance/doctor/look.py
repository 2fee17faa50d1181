"""``look``: one pass over a node. It reads files; it judges and writes nothing.

Which version the kubelet is stands in its program, as nothing beside it says so; nothing is run.
"""

import os
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

from ..errors import UsageError
from ..files import open_plain
from ..kube.quantity import microseconds
from ..machine import Machine
from ..machine.hostfs import read_machine
from ..reference.managers.cpu.state_file import CPU_FILE
from ..reference.managers.memory.state_file import MEMORY_FILE
from ..sources.quirks import Quirks
from ..sources.versions import DEFAULT, KubernetesVersion
from . import cgroups
from .configuration import KubeletProcess, NodeConfiguration, find_kubelet, read_configuration
from .pod_resources import PodResourcesReport, ask_kubelet, read_dump, read_manifest
from .state_files import SavedState, memory_of_state, read_state
from .tree import NodeTree

MAX_PROGRAM = 512 * 1024 * 1024
"""Bytes of a program that is searched; kubelets have about 80 MB."""
_PART = 1024 * 1024
_LONGEST = 128
"""Bytes that a version and what is beside it take at most."""
_TEXT = re.compile(rb"v1\.[0-9]{1,3}\.[0-9]{1,3}(?:[-+][0-9A-Za-z.+-]{1,60})?(?=\0)")
"""A version as Go's linker lays it down (``-X k8s.io/component-base/version.gitVersion=``).

It stands by itself with a zero byte behind it. Texts of the program's own source have none.
"""
_OF_A_LONGER_TEXT = re.compile(rb"[0-9A-Za-z.+_/@-]")


def version_of_kubelet(tree: NodeTree, process: KubeletProcess | None) -> KubernetesVersion | None:
    """Return the version of the kubelet that runs; None, with a note, when it cannot be told."""
    place = None if process is None else _program(tree, f"proc/{process.pid}")
    versions = frozenset() if place is None else _versions_of(tree, place)
    known = {KubernetesVersion.known(text) for text in versions}
    if len(known) == 1 and (version := known.pop()) is not None:
        return version
    if process is None:
        why = "none runs"
    elif place is None:
        why = "its program is not to be read, or not where it was started"
    else:
        why = f"its program says {', '.join(sorted(versions)) or 'none'}"
    tree.note(f"the kubelet's version ({why}): taken for {DEFAULT} where it matters, unless --kubernetes-version says")
    return None


def _program(tree: NodeTree, folder: str) -> Path | None:
    """Return the file that a process runs; None where another file has its name by now, or in its view alone."""
    goal = tree.goal(f"{folder}/exe")
    place = tree.place(goal if goal.startswith("/") else f"{folder}/{goal}") if goal else None
    try:
        return place if place is not None and os.path.samefile(tree.root / folder / "exe", place) else None
    except (OSError, ValueError):
        return None


def _versions_of(tree: NodeTree, place: Path) -> frozenset[str]:
    try:
        status = place.stat()
        return _search(place, status.st_dev, status.st_ino, status.st_mtime_ns)
    except UsageError as error:
        tree.note(str(error))
    except OSError as error:
        tree.note(f"{place}: cannot be read: {error.strerror}")
    return frozenset()


@lru_cache(maxsize=4)
def _search(place: Path, device: int, inode: int, changed: int) -> frozenset[str]:
    """Return the versions that a program tells; the same file is not searched at each pass."""
    versions: set[str] = set()
    before = b""
    with open_plain(place) as file:
        for _ in range(MAX_PROGRAM // _PART):
            part = file.read(_PART)
            if not part:
                break
            text = before + part
            for match in _TEXT.finditer(text):
                if match.start() and not _OF_A_LONGER_TEXT.match(text, match.start() - 1):
                    versions.add(match[0].decode("ascii"))
            before = text[-_LONGEST:]
    return frozenset(versions)


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
    policies = {CPU_FILE: configured.kubelet.cpu_manager_policy, MEMORY_FILE: configured.kubelet.memory_manager_policy}
    for name, policy in policies.items():
        if policy.lower() == "static" and name not in state.files:
            tree.note(f"{configured.root_dir.strip('/')}/{name}: is missing: policy {policy} keeps there who has what")
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
    texts, texts_again = ({name: file.text for name, file in each.files.items()} for each in (state, again))
    changed = manifest.state_changed if manifest else state.changed
    settled = _has_settled(configured, changed, manifest.time if manifest else time.time() if is_live else None)
    facts = (tree, machine, configured, state, of_pods, running, nameless, names, settled, version, hierarchy, listed)
    return Sight(*facts), texts == texts_again


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
        is_nameless = known is None and cgroups.ID.fullmatch(cgroup.id) is not None
        cgroups.members(tree, cgroup, left)
        left -= len(cgroup.threads)
        if not cgroup.may_run and not is_nameless:
            continue
        groups: dict[tuple[int, int | None], list[int]] = {}
        for thread in cgroup.threads:
            cpus, mems = cgroups.allowed(tree, thread)
            if cpus is not None:
                groups.setdefault((cpus, mems), []).append(thread)
        (nameless if is_nameless else running).append(
            ContainerSight(
                cgroup,
                (known.uid if known else "") or cgroup.uid,
                known.container if known else cgroup.id,
                tree.bits(cgroup.cpus_file),
                tree.bits(cgroup.effective_file),
                tree.bits(cgroup.mems_file),
                cgroups.limit_of(tree, cgroup.hierarchy, cgroup.path),
                [ThreadGroup(tuple(tids), cpus, mems) for (cpus, mems), tids in groups.items()],
            )
        )
    if nameless and not names:
        tree.note("var/log/containers: names no containers: which cgroup is which container is not known")
        nameless.clear()
    return running, nameless
