"""Cgroups of containers: versions 1 and 2, drivers systemd and cgroupfs, QoS levels, nested slices."""

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from .tree import Line, NodeTree

BASE = "sys/fs/cgroup"
_TOPS = re.compile(r"(?:kubepods|(?:[A-Za-z0-9_.:-]+-)?kubepods\.slice)", re.ASCII)
_TOP_DEPTH = 3
"""Levels above the kubelet's cgroup that are looked through: ``kubelet.slice/kubelet-kubepods.slice`` needs one."""
_QOS = {"burstable": "Burstable", "besteffort": "BestEffort"}
_PODS_SLICE = re.compile(r"(?:.*-)?pod([A-Za-z0-9_.]{1,253})\.slice", re.ASCII)
_PODS_FOLDER = re.compile(r"pod([A-Za-z0-9_.-]{1,253})", re.ASCII)
_CONTAINER = re.compile(r"(?:cri-containerd-|crio-|docker-|libpod-|cri-)?(.{1,253}?)(?:\.scope)?", re.ASCII)
_NO_CONTAINER = re.compile(r"crio-conmon-.*")
_THREAD = re.compile(r"[0-9]{1,10}", re.ASCII)
_INNER_DEPTH = 16
MOST_THREADS = 200_000
"""Threads of all containers of a node."""


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """Where cpusets are: the folder of the hierarchy, its version, and the kubelet's own cgroup below it."""

    folder: str
    version: Literal[1, 2]
    top: str

    @property
    def driver(self) -> str:
        """Who names the folders."""
        return "systemd" if self.top.endswith(".slice") else "cgroupfs"

    def limit_files(self, path: str) -> tuple[str, ...]:
        """Return the files that tell the CPU limit of a cgroup."""
        if self.version == 2:
            return (f"{path}/cpu.max",)
        below = path.removeprefix(self.folder)
        return tuple(f"{BASE}/{name}{below}/cpu.cfs_quota_us" for name in ("cpu", "cpu,cpuacct"))


@dataclass
class PodCgroup:
    """One pod's cgroup: its uid, and its QoS class by where it lies."""

    uid: str
    qos: str
    path: str
    hierarchy: Hierarchy

    def limit_files(self) -> tuple[str, ...]:
        """Return the files that tell the CPU limit."""
        return self.hierarchy.limit_files(self.path)


@dataclass
class ContainerCgroup(PodCgroup):
    """One container's cgroup below its pod's; ``id``: as its folder names it."""

    id: str
    threads: list[int] = field(default_factory=list)
    may_run: bool = False

    @property
    def cpus_file(self) -> str:
        """The file with the cpuset that was written."""
        return f"{self.path}/cpuset.cpus"

    @property
    def effective_file(self) -> str:
        """The file with the CPUs that the kernel makes of it."""
        return f"{self.path}/cpuset.{'cpus.effective' if self.hierarchy.version == 2 else 'effective_cpus'}"

    @property
    def mems_file(self) -> str:
        """The file with the NUMA nodes that were written."""
        return f"{self.path}/cpuset.mems"


def find_hierarchy(tree: NodeTree, cgroup_root: str = "") -> Hierarchy | None:
    """Find the kubelet's cgroup, below ``cgroup_root`` if that is a folder; None, with a note, if there is none."""
    version2 = bool(tree.place(f"{BASE}/cgroup.controllers"))
    version1 = not version2 and bool(tree.place(f"{BASE}/cpuset/cpuset.cpus"))
    if not version1 and not version2:
        tree.note(f"{BASE}: there is no cpuset hierarchy: what containers run on is not seen")
        return None
    folder = f"{BASE}/cpuset" if version1 else BASE
    begin = f"{folder}{posixpath.normpath('/' + cgroup_root.lstrip('/'))}".rstrip("/")
    begin = begin if tree.folders(begin) else folder  # systemd names the folder otherwise: it is looked for
    tops = _tops(tree, begin)
    if not tops:
        tree.note(f"{begin}: there is no cgroup of a kubelet: what containers run on is not seen")
        return None
    if len(tops) > 1:
        tree.note(f"{begin}: several cgroups of kubelets: {', '.join(tops)}; the first is looked at")
    return Hierarchy(folder, 1 if version1 else 2, tops[0])


def _tops(tree: NodeTree, begin: str) -> list[str]:
    level, tops = [begin], list[str]()
    for _ in range(_TOP_DEPTH):
        below: list[str] = []
        for folder in level:
            for name in tree.folders(folder):
                (tops if _TOPS.fullmatch(name) else below).append(f"{folder}/{name}")
        if tops:
            return tops
        level = below
    return tops


def pods(tree: NodeTree, hierarchy: Hierarchy) -> list[PodCgroup]:
    """Return the cgroups of pods; those of QoS levels are none."""
    cgroups = list(_pods(tree, hierarchy, hierarchy.top, "Guaranteed"))
    for name in tree.folders(hierarchy.top):
        if qos := _QOS.get(name.removesuffix(".slice").rpartition("-")[2]):
            cgroups += _pods(tree, hierarchy, f"{hierarchy.top}/{name}", qos)
    return cgroups


def _pods(tree: NodeTree, hierarchy: Hierarchy, folder: str, qos: str) -> Iterator[PodCgroup]:
    for name in tree.folders(folder):
        if (uid := _uid(name)) is not None:
            yield PodCgroup(uid, qos, f"{folder}/{name}", hierarchy)


def containers(tree: NodeTree, of: Sequence[PodCgroup]) -> list[ContainerCgroup]:
    """Return the cgroups of containers, by pod."""
    cgroups = []
    for pod in of:
        for inner in tree.folders(pod.path):
            named = _CONTAINER.fullmatch(inner)
            if named and not _NO_CONTAINER.fullmatch(inner):
                cgroups.append(ContainerCgroup(pod.uid, pod.qos, f"{pod.path}/{inner}", pod.hierarchy, named[1]))
    return cgroups


def _uid(name: str) -> str | None:
    """Return the pod whose cgroup this is; systemd names have ``_`` for each ``-``."""
    if slice_of := _PODS_SLICE.fullmatch(name):
        return slice_of[1].replace("_", "-")
    folder_of = _PODS_FOLDER.fullmatch(name)
    return folder_of[1] if folder_of else None


def members(tree: NodeTree, container: ContainerCgroup, most: int) -> None:
    """Look up the threads of a container, of cgroups below its own too, and whether it runs.

    Where the tree does not tell of threads at all, as a hand-made one may not, it counts as running. At most so many
    threads are looked at.
    """
    is_listed = False
    for folder in _nested(tree, container.path):
        for name in ("cgroup.threads", "tasks", "cgroup.procs"):
            if (text := tree.text(f"{folder}/{name}")) is not None:
                is_listed = True
                container.threads += [int(word) for word in text.split() if _THREAD.fullmatch(word)]
                break
    container.may_run = bool(container.threads) or not is_listed
    if len(container.threads) > most:
        tree.note(f"containers have more than {MOST_THREADS} threads; the rest is not looked at")
        del container.threads[most:]


def _nested(tree: NodeTree, folder: str) -> Iterator[str]:
    pending = [(folder, 0)]
    while pending:
        place, depth = pending.pop()
        yield place
        if depth < _INNER_DEPTH:
            pending += [(f"{place}/{name}", depth + 1) for name in tree.folders(place)]
        elif tree.folders(place):
            tree.note(f"{folder}: cgroups lie more than {_INNER_DEPTH} deep; those below are not looked at")


def limit_of(tree: NodeTree, hierarchy: Hierarchy, path: str) -> Fraction | None:
    """Return the CPU limit that a cgroup's quota enforces, in CPUs; None without one, or where it does not show."""
    for file in hierarchy.limit_files(path):
        text = tree.line(file)
        if text is None:
            continue
        words = text.split()
        if hierarchy.version == 1:
            words.append(tree.line(f"{file.rpartition('/')[0]}/cpu.cfs_period_us") or "")
        if len(words) == 2 and all(word.isascii() and word.isdecimal() and len(word) < 16 for word in words):
            quota, period_us = map(int, words)
            return Fraction(quota, period_us) if quota and period_us else None
        return None
    return None


_STATUS = re.compile(r"(Cpus|Mems)_allowed_list:[ \t]*([0-9,\-]*)")


def allowed(tree: NodeTree, thread: int) -> tuple[int | None, int | None]:
    """Return the CPUs and NUMA nodes that a thread may use, as bits; None where it has ended."""
    allowed_bits: dict[str, int | None] = {}
    path = f"proc/{thread}/status"
    for number, text in enumerate((tree.text(path) or "").splitlines(), 1):
        if match := _STATUS.match(text):
            allowed_bits[match[1]] = tree.parsed(Line.of(match[2], path, number))
    return allowed_bits.get("Cpus"), allowed_bits.get("Mems")


FOLDER = "var/log/containers"
_LINK = re.compile(r"([^_/]{1,253})_([^_/]{1,253})_([^_/]{1,253})-([0-9a-f]{64})\.log", re.ASCII)
_GOAL = re.compile(r"(?:.*/)?[^_/]+_[^_/]+_([^_/]+)/[^/]+/[0-9]+\.log[^/]*", re.ASCII)
ID = re.compile(r"[0-9a-f]{64}", re.ASCII)
"""A container runtime's id, by which it names a cgroup."""


@dataclass(frozen=True, slots=True)
class ContainerName:
    """A container by its names; ``uid`` is its pod's, empty where the link does not tell it."""

    namespace: str
    pod: str
    container: str
    uid: str


def names_of_containers(tree: NodeTree) -> dict[str, ContainerName]:
    """Return container id to names."""
    names: dict[str, ContainerName] = {}
    for name in tree.names(FOLDER):
        if match := _LINK.fullmatch(name):
            goal = _GOAL.fullmatch(tree.goal(f"{FOLDER}/{name}") or "")
            names[match[4]] = ContainerName(match[2], match[1], match[3], goal[1] if goal else "")
    return names
