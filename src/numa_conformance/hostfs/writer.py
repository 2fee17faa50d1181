"""A ``Machine`` as a host tree: what the kernel would tell of it below ``/sys`` and ``/proc``."""

from __future__ import annotations

from pathlib import Path

from ..cpuset import format_bits
from ..errors import Fault, UsageError
from ..machine.model import Cpu, Machine, MemoryNode

__all__ = ["write_tree"]

_CPU = "sys/devices/system/cpu"
_NODE = "sys/devices/system/node"
_UNITS = {"Ki": 1, "Mi": 1 << 10, "Gi": 1 << 20}


def write_tree(machine: Machine, root: Path) -> None:
    """Write the tree into ``root``, which must be empty or absent; reading it back gives the same hardware.

    Works in a real folder and under pyfakefs. Devices of device plugins are no part of a host tree, and neither are
    names, descriptions and notes. Raises ``UsageError`` for a folder that is not empty.
    """
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise UsageError(Fault(str(root), "is not empty", "an empty folder, or one that does not exist"))
    tree = _Tree(root)
    _write_lists(machine, tree)
    for cpu in machine.cpus:
        _write_cpu(machine, cpu, tree)
    for offline in machine.offline:
        tree.write(f"{_CPU}/cpu{offline}/online", "0")
    for index, node in enumerate(machine.memory):
        _write_node(machine, node, index, tree)
    _write_proc(machine, tree)


class _Tree:
    """Writes small files below a root."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def write(self, path: str, text: object) -> None:
        place = self._root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"{text}\n", encoding="ascii")

    def link(self, path: str, goal: str) -> None:
        place = self._root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(goal)


def _write_lists(machine: Machine, tree: _Tree) -> None:
    offline = sum(1 << cpu for cpu in machine.offline)
    tree.write(f"{_CPU}/online", format_bits(machine.online_bits))
    tree.write(f"{_CPU}/offline", format_bits(offline))
    for name in ("possible", "present"):
        tree.write(f"{_CPU}/{name}", format_bits(machine.online_bits | offline))
    every = sum(1 << node for node in machine.numa_ids)
    for name in ("online", "possible"):
        tree.write(f"{_NODE}/{name}", format_bits(every))
    tree.write(f"{_NODE}/has_cpu", format_bits(sum(1 << node for node, cpus in machine.numa_bits.items() if cpus)))
    tree.write(f"{_NODE}/has_memory", format_bits(sum(1 << node.node for node in machine.memory if node.memory)))


def _write_cpu(machine: Machine, cpu: Cpu, tree: _Tree) -> None:
    folder = f"{_CPU}/cpu{cpu.id}"
    tree.write(f"{folder}/online", "1")
    package = machine.socket_bits[cpu.socket]
    tree.write(f"{folder}/topology/physical_package_id", cpu.socket)
    _write_set(tree, f"{folder}/topology", ("package_cpus", "core_siblings"), package)
    if cpu.core is not None:
        core = next(bits for bits in machine.core_bits if bits >> cpu.id & 1)
        tree.write(f"{folder}/topology/core_id", cpu.core)
        _write_set(tree, f"{folder}/topology", ("core_cpus", "thread_siblings"), core)
    if cpu.uncore is not None:
        shared = machine.uncore_bits[cpu.uncore]
        cache = f"{folder}/cache/index3"
        for name, value in (("id", cpu.uncore), ("level", 3), ("type", "Unified"), ("size", "32768K")):
            tree.write(f"{cache}/{name}", value)
        tree.write(f"{cache}/shared_cpu_map", _map(shared))
        tree.write(f"{cache}/shared_cpu_list", format_bits(shared))


def _write_set(tree: _Tree, folder: str, names: tuple[str, ...], bits: int) -> None:
    for name in names:
        tree.write(f"{folder}/{name}", _map(bits))
        tree.write(f"{folder}/{name}_list", format_bits(bits))


def _map(bits: int) -> str:
    """Write a set as the kernel's hex words, most significant first."""
    words: list[str] = []
    while bits or not words:
        words.append(f"{bits & 0xFFFFFFFF:08x}")
        bits >>= 32
    return ",".join(reversed(words))


def _write_node(machine: Machine, node: MemoryNode, index: int, tree: _Tree) -> None:
    folder = f"{_NODE}/node{node.node}"
    cpus = machine.numa_bits[node.node]
    tree.write(f"{folder}/cpulist", format_bits(cpus))
    tree.write(f"{folder}/cpumap", _map(cpus))
    if node.memory is not None:
        tree.write(f"{folder}/meminfo", f"Node {node.node} MemTotal:       {node.memory // 1024} kB")
    if machine.distances is not None:
        tree.write(f"{folder}/distance", " ".join(map(str, machine.distances[index])))
    for size, pages in node.hugepages.items():
        kibibytes = int(size[:-2]) * _UNITS[size[-2:]]
        tree.write(f"{folder}/hugepages/hugepages-{kibibytes}kB/nr_hugepages", pages)
    for cpu in machine.cpus:
        if cpus >> cpu.id & 1:
            tree.link(f"{folder}/cpu{cpu.id}", f"../../cpu/cpu{cpu.id}")


def _write_proc(machine: Machine, tree: _Tree) -> None:
    blocks = [
        f"processor\t: {cpu.id}\nphysical id\t: {cpu.socket}\ncore id\t\t: {cpu.core or 0}\n" for cpu in machine.cpus
    ]
    tree.write("proc/cpuinfo", "\n".join(blocks))
    total = sum(node.memory or 0 for node in machine.memory)
    tree.write("proc/meminfo", f"MemTotal:       {total // 1024} kB")
