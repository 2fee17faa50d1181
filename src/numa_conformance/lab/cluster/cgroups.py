"""The control groups of a node's containers as a folder: what a kernel would show of what the kubelet asks for."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ...cpuset import bits_of, format_bits
from ...machine import Machine
from ...machine.hostfs.fake.tree import Tree

if TYPE_CHECKING:
    from ..kubelet.cri_objects import CriContainer

CGROUPS = "cgroups"
"""The folder below a node's home."""
_TOP = "kubepods"
_PERIOD = 100_000


class NodeCgroups:
    """Cgroups of version 2, named as the driver cgroupfs names them, below ``home``.

    A container's is there while it runs, with CPUs, NUMA nodes and quota of the last CRI call. No process is in it.
    """

    def __init__(self, home: Path, machine: Machine, qos_of: Callable[[str], str]) -> None:
        """Write those of a node without pods; ``qos_of`` tells the QoS class of a pod by its uid."""
        self._folder = home / CGROUPS
        self._qos_of = qos_of
        self._pods: dict[str, str] = {}
        self._cpus = format_bits(machine.online_bits)
        self._mems = format_bits(bits_of(machine.numa_ids))
        Tree(self._folder).write("cgroup.controllers", "cpuset cpu memory")
        for folder in ("", f"{_TOP}/", f"{_TOP}/burstable/", f"{_TOP}/besteffort/"):
            self._write(folder, "", "")

    def follow(self, container: "CriContainer") -> None:
        """Take over what a container runs with, or take its cgroup away, and its pod's with the last one."""
        if container.is_running:
            if container.uid not in self._pods:
                qos = self._qos_of(container.uid).lower()
                above = _TOP if qos == "guaranteed" else f"{_TOP}/{qos}"
                self._pods[container.uid] = f"{above}/pod{container.uid}"
            pod, resources = self._pods[container.uid], container.resources
            folder = f"{pod}/{container.id}"
            self._write(f"{pod}/", "", "")
            self._write(f"{folder}/", resources.cpuset_cpus, resources.cpuset_mems)
            quota = resources.cpu_quota if resources.cpu_quota > 0 else "max"
            Tree(self._folder).write(f"{folder}/cpu.max", f"{quota} {resources.cpu_period or _PERIOD}")
        elif container.uid in self._pods:  # who a pod that is gone was, nobody tells any more
            shutil.rmtree(self._folder / self._pods[container.uid] / container.id, ignore_errors=True)

    def forget(self, uid: str) -> None:
        """Take the cgroups of a pod away."""
        if uid in self._pods:
            shutil.rmtree(self._folder / self._pods.pop(uid), ignore_errors=True)

    def _write(self, folder: str, cpus: str, mems: str) -> None:
        tree = Tree(self._folder)
        for kind, text, everything in (("cpus", cpus, self._cpus), ("mems", mems, self._mems)):
            tree.write(f"{folder}cpuset.{kind}", text)
            tree.write(f"{folder}cpuset.{kind}.effective", text or everything)
