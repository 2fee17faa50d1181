"""A host tree as the kubelet reads it: the second reading, by the rules CPU-DISC and CPU-TOPO."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from ...errors import Fault, StartError, UsageError
from ..model import KubeletView, ViewCpu
from .host_files import HostFiles

_CPU = "sys/devices/system/cpu"
_NODE = "sys/devices/system/node"
_SOCKET_LINE = re.compile(r"^physical id\s*:\s*([0-9]+)\s*$", re.MULTILINE | re.ASCII)
_NO_CPUS = "could not detect number of cpus"
_ID = re.compile(r"[0-9]{1,19}", re.ASCII)
_SIZE = re.compile(r"[0-9]+K", re.ASCII)
_MEMORY_LINE = re.compile(r"MemTotal:\s*[0-9]+\s*kB", re.ASCII)
_DISTANCES = re.compile(r"[0-9]+( [0-9]+)*", re.ASCII)
_S390X_LINE = re.compile(r"^vendor_id\s*:\s*IBM/S390", re.MULTILINE)


def read_kubelet_view(root: Path | str) -> KubeletView:
    """Read the tree below ``root`` as the kubelet's discovery does, departures from the hardware included.

    Raises ``StartError`` where the kubelet would not come up (CPU-TOPO-05); its cause, where discovery was broken off
    and the kubelet only logs it (CPU-DISC-04), names the file. Raises ``UsageError`` when the root is no folder.
    """
    try:
        view = _Discovery(HostFiles(Path(root))).run()
    except UsageError as error:
        raise StartError("cpumanager", _NO_CPUS) from error
    if not view.num_cpus:
        raise StartError("cpumanager", _NO_CPUS)
    return view


@dataclass
class _Core:
    """Threads with one core id and package in one NUMA node; ``uncores``: what discovery keeps of their caches."""

    node: int
    socket: int
    threads: list[int] = field(default_factory=list)
    uncores: list[tuple[int, str, int, str]] = field(default_factory=list)


class _Discovery:
    def __init__(self, files: HostFiles) -> None:
        self._files = files
        self._online_text = files.text(f"{_CPU}/online")
        self._online_there = files.resolve(f"{_CPU}/online") is not None
        self._warnings: list[str] = []
        self._cpuinfo = files.text("proc/cpuinfo")
        self._is_s390x = bool(_S390X_LINE.search(self._cpuinfo or ""))

    def run(self) -> KubeletView:
        if self._cpuinfo is None:
            raise UsageError(Fault(self._files.shown("proc/cpuinfo"), "does not exist, or cannot be read"))
        nodes = self._numbered(_NODE, "node")
        cores: list[_Core] = []
        if nodes:
            for node in nodes:
                self._check_node(f"{_NODE}/node{node}")
                folder = f"{_NODE}/node{node}"
                cores += self._cores(node, [(cpu, f"{folder}/cpu{cpu}") for cpu in self._numbered(folder, "cpu")])
            total = sum(len(core.threads) for core in cores)
        else:
            packages, total = self._packages()
            nodes = list(packages)
            for package, threads in packages.items():
                cores += self._cores(package, [(cpu, f"{_CPU}/cpu{cpu}") for cpu in threads])
        rows: dict[int, ViewCpu] = {}
        for core in cores:
            uncore = core.uncores[0][0] if core.uncores else core.socket
            rows |= {cpu: ViewCpu(cpu, core.node, core.socket, min(core.threads), uncore) for cpu in core.threads}
        return KubeletView(
            cpus=tuple(rows[cpu] for cpu in sorted(rows)),
            num_cpus=total,
            num_cores=len(cores),
            num_sockets=self._sockets(),
            numa_ids=tuple(sorted(nodes)),
            warnings=tuple(self._warnings),
        )

    def _numbered(self, folder: str, prefix: str) -> list[int]:
        """Return the numbers of entries in order of their names; a wrong name breaks off (CPU-DISC-02)."""
        for name in self._files.names(folder):
            rest = name.removeprefix(prefix)
            if rest != name and rest[-1:].isdecimal() and not rest.isdecimal():
                raise UsageError(Fault(self._files.shown(f"{folder}/{name}"), f"is not {prefix} and a number"))
        return sorted(self._files.numbered(folder, prefix), key=str)

    def _check_node(self, folder: str) -> None:
        """Break off on memory or distances that are there and cannot be read (CPU-DISC-04)."""
        for name, pattern in (("meminfo", _MEMORY_LINE), ("distance", _DISTANCES)):
            text = self._files.text(f"{folder}/{name}")
            fits = pattern.search if name == "meminfo" else pattern.fullmatch
            if text is not None and not fits(text):
                raise UsageError(Fault(self._files.shown(f"{folder}/{name}"), f"{text[:40]!r} is malformed"))

    def _packages(self) -> tuple[dict[int, list[int]], int]:
        """Return the CPUs of each package, which stands for a NUMA node, and the CPU total (CPU-DISC-16..19)."""
        numbers = self._numbered(_CPU, "cpu")
        packages: dict[int, list[int]] = {}
        for cpu in numbers:
            if (package := self._files.number(f"{_CPU}/cpu{cpu}/topology/physical_package_id")) is not None:
                packages.setdefault(package, []).append(cpu)
        return packages, len(numbers)

    def _cores(self, node: int, threads: list[tuple[int, str]]) -> list[_Core]:
        """Group the online threads of one NUMA node into cores, and read their caches (CPU-DISC-03..06, 11..13)."""
        cores: dict[tuple[object, ...], _Core] = {}
        for cpu, folder in threads:
            if not self._is_online(cpu):
                continue
            core_id = self._files.number(f"{folder}/topology/core_id")
            package = self._files.number(f"{folder}/topology/physical_package_id")
            if core_id is None or package is None:
                self._warnings.append(f"CPU {cpu} has no core id or package id and is skipped")
                continue
            above = (self._files.text(f"{folder}/topology/{name}") for name in ("book_id", "drawer_id"))
            cores.setdefault((core_id, package, *above), _Core(node, package)).threads.append(cpu)
        grouped = list(cores.values())
        for core in grouped:
            if not self._read_caches(core, len(grouped)):
                break
        return grouped

    def _read_caches(self, core: _Core, cores_in_node: int) -> bool:
        """Keep the caches above level 2 that are not node-wide; False stops the rest of the node (CPU-DISC-13)."""
        folder = f"{_CPU}/cpu{core.threads[0]}/cache"
        if self._files.resolve(folder) is None:
            return False
        node_wide = cores_in_node * len(core.threads)
        caches = []
        for name in self._files.names(folder):
            if not name.startswith("index"):
                continue
            entry = self._cache(f"{folder}/{name}")
            if entry is None:
                return False
            number, size, level, kind, width = entry
            if level > 2 and width != node_wide and (number, size, level, kind) not in caches:
                caches.append((number, size, level, kind))
        core.uncores = caches
        return True

    def _cache(self, folder: str) -> tuple[int, str, int, str, int] | None:
        try:
            number = 0 if self._is_s390x else self._files.number(f"{folder}/id")
            level = self._files.number(f"{folder}/level")
            shared = self._files.cpu_map(f"{folder}/shared_cpu_map")
        except UsageError:
            return None
        size, kind = self._files.text(f"{folder}/size"), self._files.text(f"{folder}/type")
        if number is None or level is None or shared is None or kind is None or not _SIZE.fullmatch(size or ""):
            return None
        return number, size or "", level, kind, shared.bit_count()

    def _is_online(self, cpu: int) -> bool:
        """Look a CPU up in the online list, item by item, as discovery does (CPU-DISC-03)."""
        if not self._online_there:
            return True
        for item in (self._online_text or "").split(","):
            first, dash, last = item.partition("-")
            if not _ID.fullmatch(first) or (dash and not _ID.fullmatch(last)):
                return False
            if max(int(first), int(last or 0)) > 65_535 or (dash and int(first) > int(last)):
                return False
            if int(first) <= cpu <= int(last if dash else first):
                return True
        return False

    def _sockets(self) -> int:
        """Count packages in ``/proc/cpuinfo``, else over the online CPUs' package ids (CPU-DISC-10)."""
        if listed := set(_SOCKET_LINE.findall(self._cpuinfo or "")):
            return len(listed)
        online = [cpu for cpu in self._files.numbered(_CPU, "cpu") if self._is_online(cpu)]
        return len({self._files.number(f"{_CPU}/cpu{cpu}/topology/physical_package_id") or 0 for cpu in online})
