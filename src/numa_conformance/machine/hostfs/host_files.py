"""Reading files of a host tree: nothing outside the root, nothing without bounds."""

import os
import re
import stat
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path, PurePosixPath

from ...cpuset import MAX_ID, CpuSet
from ...errors import Fault, UsageError, faults_within
from ...files import read_in_place
from ..model import MemoryNode

MAX_BYTES = 1024 * 1024
MAX_LINKS = 40
MAX_ENTRIES = 100_000
MAX_WORDS = (MAX_ID + 1) // 32
_BLANKS = " \t\r\n\0"
_NUMBER = re.compile(r"-?[0-9]{1,15}", re.ASCII)
_HEX_WORD = re.compile(r"[0-9a-fA-F]{1,16}", re.ASCII)


class HostFiles:
    """The tree below ``root``, which stands for ``/``.

    Links are followed by hand: an absolute one begins at the root again, one that leads out of the root or round in
    circles is refused. Places are texts until a caller gets one, and each is asked for once: of a large machine
    thousands are.
    """

    def __init__(self, root: Path) -> None:
        """Take the root; raises ``UsageError`` when it is no folder."""
        if not root.is_dir():
            raise UsageError(Fault(str(root), "no such folder", "the folder that stands for /"))
        self._root = os.path.realpath(root)
        self.root = Path(self._root)
        self._folders: dict[str, str | None] = {}

    def resolve(self, path: str) -> Path | None:
        """Return the real place of a path, or None when nothing is there; raises ``UsageError`` for bad links.

        Folders are remembered: the tree is read once and does not change meanwhile.
        """
        place = self._place(path)
        return None if place is None else Path(place)

    def _place(self, path: str) -> str | None:
        folder, slash, name = path.rpartition("/")
        if not slash or name in ("", ".", ".."):
            return self._walk(path)
        place = self._folder(folder)
        if place is None:
            return None
        step = f"{place}/{name}"
        mode = _mode(step)
        return self._walk(path) if stat.S_ISLNK(mode) else step if mode else None

    def _folder(self, path: str) -> str | None:
        if path not in self._folders:
            self._folders[path] = self._place(path)
        return self._folders[path]

    def _walk(self, path: str) -> str | None:
        parts = list(PurePosixPath(path).parts)
        place = self._root
        links = 0
        while parts:
            part = parts.pop(0)
            if part in ("/", "."):
                continue
            if part == "..":
                if place == self._root:
                    raise UsageError(Fault(self.shown(path), "leads out of the root"))
                place = os.path.dirname(place)
                continue
            step = os.path.join(place, part)
            mode = _mode(step)
            if not mode:
                return None
            if not stat.S_ISLNK(mode):
                place = step
                continue
            links += 1
            if links > MAX_LINKS:
                raise UsageError(Fault(self.shown(path), "too many links; they may go round in circles"))
            goal = PurePosixPath(os.readlink(step))
            parts = [*goal.parts, *parts]
            if goal.is_absolute():
                place = self._root
        return place

    def shown(self, path: str) -> str:
        """Return a path as messages name it."""
        return str(self.root / path.lstrip("/"))

    def text(self, path: str) -> str | None:
        """Return a file's text without blanks and NUL bytes at its ends; None when it is not there or not readable."""
        content = self._content(path)
        if content is None:
            return None
        if len(content) > MAX_BYTES:
            raise UsageError(Fault(self.shown(path), f"is larger than {MAX_BYTES} bytes"))
        return content.decode("utf-8", "replace").strip(_BLANKS)

    def _content(self, path: str) -> bytes | None:
        """Return the beginning of a plain file: of a link only once it is known where that leads."""
        folder, _, name = path.rpartition("/")
        if folder and name not in ("", ".", ".."):
            place = self._folder(folder)
            if place is None:
                return None
            try:
                return read_in_place(f"{place}/{name}", MAX_BYTES)
            except FileNotFoundError:
                return None
            except (OSError, ValueError):  # a link, or a name that no file can have
                pass
        real = self._place(path)
        try:
            return None if real is None else read_in_place(real, MAX_BYTES)
        except OSError:
            return None

    def number(self, path: str) -> int | None:
        """Return a file's decimal number; None when it is not there. Raises ``UsageError`` for anything else."""
        text = self.text(path)
        if not text:
            return None
        if not _NUMBER.fullmatch(text):
            raise UsageError(Fault(self.shown(path), f"{text[:40]!r} is no number", "a decimal number"))
        return int(text)

    def cpu_list(self, path: str) -> int | None:
        """Return the set of a file in kernel list format as bits; None when it is not there."""
        text = self.text(path)
        if text is None:
            return None
        with faults_within(self.shown(path)):
            return CpuSet.parse_kernel(text).bits

    def cpu_map(self, path: str) -> int | None:
        """Return the set of a file of comma separated hex words as bits; None when it is not there."""
        text = self.text(path)
        if not text:
            return None
        bits = _map_bits(text)
        if bits is None:
            wrong = f"{text[:40]!r} is no map of CPUs"
            raise UsageError(Fault(self.shown(path), wrong, "hexadecimal words with commas"))
        return bits

    def numbered(self, folder: str, prefix: str) -> list[int]:
        """Return the numbers N of the entries ``<prefix>N`` of a folder, ascending; empty when it is not there.

        Raises ``UsageError`` for a number that no kernel gives.
        """
        place = self._place(folder)
        if place is None or not os.path.isdir(place):
            return []
        pattern = re.compile(re.escape(prefix) + r"([0-9]{1,9})", re.ASCII)
        numbers = []
        with os.scandir(place) as entries:
            for count, entry in enumerate(entries):
                if count > MAX_ENTRIES:
                    raise UsageError(Fault(self.shown(folder), f"has more than {MAX_ENTRIES} entries"))
                if match := pattern.fullmatch(entry.name):
                    numbers.append(int(match[1]))
        if numbers and max(numbers) > MAX_ID:
            raise UsageError(Fault(self.shown(f"{folder}/{prefix}{max(numbers)}"), "is numbered", f"at most {MAX_ID}"))
        return sorted(numbers)

    def names(self, folder: str) -> list[str]:
        """Return the names in a folder, sorted; empty when it is not there."""
        place = self._place(folder)
        return sorted(os.listdir(place)) if place is not None and os.path.isdir(place) else []


def _mode(path: str) -> int:
    """Return what a path is, itself and not what it leads to; 0 where nothing is, or no file can have that name."""
    try:
        return os.lstat(path).st_mode
    except (OSError, ValueError):
        return 0


@lru_cache(maxsize=1024)
def _map_bits(text: str) -> int | None:
    words = [word.strip() for word in text.split(",")]
    if len(words) > MAX_WORDS or not all(_HEX_WORD.fullmatch(word) for word in words):
        return None
    return int("".join(word.zfill(8) for word in words), 16)


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
