"""Memory, huge pages and distances of NUMA nodes in a host tree."""

import re
from collections.abc import Sequence

from ...errors import Fault, UsageError
from ..model import MemoryNode
from .host_files import HostFiles

_NODE = "sys/devices/system/node"
_TOTAL = re.compile(r"MemTotal:\s*([0-9]{1,15})\s*kB", re.ASCII)
_COUNT = re.compile(r"HugePages_Total:\s*([0-9]{1,15})$", re.ASCII | re.M)
_USUAL_SIZE = re.compile(r"Hugepagesize:\s*([1-9][0-9]{0,14})\s*kB", re.ASCII)
_DISTANCE = re.compile(r"[0-9]{1,9}", re.ASCII)
_PAGES = re.compile(r"hugepages-([0-9]{1,15})kB", re.ASCII)


def read_memory_node(files: HostFiles, node: int) -> MemoryNode:
    """Read one NUMA node: MemTotal of its meminfo (None where there is none), and its huge pages."""
    path = f"{_NODE}/node{node}/meminfo"
    text = files.text(path)
    memory = None
    if text:
        match = _TOTAL.search(text)
        if match is None:
            raise UsageError(Fault(files.shown(path), "has no line MemTotal", "Node 0 MemTotal: 1024 kB"))
        memory = int(match[1]) * 1024
    return MemoryNode(node, memory, huge_pages(files, f"{_NODE}/node{node}/hugepages") or _pages_of(files, text))


def _pages_of(files: HostFiles, meminfo: str | None) -> dict[str, int]:
    """Return the huge pages that meminfo counts, where a copy of a tree has no pools: those of the usual size."""
    count, size = _COUNT.search(meminfo or ""), _USUAL_SIZE.search(files.text("proc/meminfo") or "")
    return {_size(int(size[1])): int(count[1])} if count and int(count[1]) and size else {}


def huge_pages(files: HostFiles, folder: str) -> dict[str, int]:
    """Read the pools of huge pages in a folder: page size as Kubernetes writes it to number of pages."""
    pages = {}
    for name in files.names(folder):
        match = _PAGES.fullmatch(name)
        count = files.number(f"{folder}/{name}/nr_hugepages") if match else None
        if match and count is not None:
            pages[_size(int(match[1]))] = count
    return pages


def _size(kibibytes: int) -> str:
    for suffix, power in (("Gi", 20), ("Mi", 10)):
        if kibibytes % (1 << power) == 0:
            return f"{kibibytes >> power}{suffix}"
    return f"{kibibytes}Ki"


def total_memory(files: HostFiles, pools: str) -> MemoryNode:
    """Read the memory of a kernel without NUMA nodes: MemTotal of ``/proc/meminfo``, and the pools of huge pages."""
    text = files.text("proc/meminfo")
    match = _TOTAL.search(text or "")
    return MemoryNode(0, int(match[1]) * 1024 if match else None, huge_pages(files, pools) or _pages_of(files, text))


def read_distances(files: HostFiles, nodes: Sequence[int], notes: list[str]) -> tuple[tuple[int, ...], ...] | None:
    """Return the distance matrix by ascending node; None where files are missing or do not fit together."""
    rows = []
    for node in nodes:
        path = f"{_NODE}/node{node}/distance"
        text = files.text(path)
        if not text:
            return None
        if not all(_DISTANCE.fullmatch(word) for word in text.split()):
            raise UsageError(Fault(files.shown(path), f"{text[:40]!r} are no distances", "numbers with blanks"))
        rows.append(tuple(map(int, text.split())))
    if any(len(row) != len(nodes) for row in rows):
        notes.append("the NUMA nodes' distance files do not fit together; distances are left out")
        return None
    return tuple(rows)
