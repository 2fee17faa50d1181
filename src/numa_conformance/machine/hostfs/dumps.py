"""Dumps of host trees: folders as they are, tarballs extracted safely."""

import contextlib
import lzma
import os
import re
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

from ...errors import Fault, UsageError, faults_as_of
from ...files import TemporaryFolder, open_plain

Parts: TypeAlias = tuple[str, ...]
"""Of a path below the folder."""

MAX_MEMBERS = 200_000
MAX_TOTAL = 1024 * 1024 * 1024
MAX_DEPTH = 6
MAX_FOLDERS = 10_000
MAX_FILE = 1024 * 1024
"""Bytes kept of one file. One more is written of a larger one, so that the reader refuses it by name."""
MAX_STATE = 64 * 1024 * 1024
"""The same where state files are wanted too."""
_UNREAD = re.compile(
    r"""(?:^|/)(?:
        proc/(?!cpuinfo$|meminfo$)
        | var/log/(?!containers/) | sos_(?:commands|logs|reports|strings)/
        | sys/devices/(?:pci[^/]*|system/memory|system/cpu/cpufreq)/
        | sys/devices/system/node/node[0-9]+/memory[0-9]
        | sys/devices/system/cpu/cpu[0-9]+/(?:
            (?!topology/|cache/)[^/]+/
            | topology/(?!(?:core|package|book|drawer|thread|physical)_)
            | cache/index[0-9]+/(?!id$|level$|size$|type$|shared_cpu_)
        )
    )""",
    re.VERBOSE,
)
"""What a kernel has by the ten thousand and no reader here opens. Making files is what unpacking waits for."""


_NESTED = "sysinfo.tgz"
"""The tree of a node in a must-gather, an archive within the archive."""
_ARCHIVES = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ")


def is_dump(path: Path) -> bool:
    """Tell whether a path is a folder or a tarball."""
    if not path.is_file():  # a pipe can be read only once
        return path.is_dir()
    try:
        with open_plain(path) as stream:
            head = stream.read(512)
    except OSError:
        return False
    return head.startswith(_ARCHIVES) or head[257:262] == b"ustar"


@contextlib.contextmanager
def open_dump(path: Path, inside: str | None = None, *, whole: bool = False) -> Iterator[Path]:
    """Yield the folder that stands for ``/``: ``path`` itself, or the one in a folder or tarball that holds ``sys``.

    ``inside`` names it where there are several machines. ``whole``: of a tarball all is wanted, not only what tells of
    the hardware. Raises ``UsageError``.
    """
    with contextlib.ExitStack() as stack:
        for _ in range(2):  # an archive may lie in a folder or an archive
            if path.exists() and not path.is_dir():
                folder = TemporaryFolder("numa-conformance-", size=2 * MAX_TOTAL)
                stack.callback(folder.close)
                stack.enter_context(faults_as_of(path, folder.path))
                _extract(path, folder.path, inside, whole=whole)
                path = _root(path, folder.path, inside)
            elif inside or _is_root(path):
                path = path / (inside or "")
            else:
                path = path / (_sole(path, _roots(path)) or "")
            inside = None
        yield path


def _extract(path: Path, folder: Path, inside: str | None, *, whole: bool) -> None:
    links: list[tuple[Parts, str]] = []
    wanted = _safe_parts(inside or "")
    try:
        with open_plain(path) as packed, tarfile.open(fileobj=packed) as archive:
            for member in [*_bounded(archive, path)]:  # too many are refused before any is written
                parts = _safe_parts(member.name)
                if not parts or parts[: len(wanted)] != wanted or (not whole and _UNREAD.search(member.name)):
                    continue
                if member.isdir():
                    folder.joinpath(*parts).mkdir(parents=True, exist_ok=True)
                elif member.issym():
                    links.append((parts, member.linkname))
                elif member.isfile() or member.islnk():
                    most = MAX_STATE if whole or parts[-1] == _NESTED else MAX_FILE
                    _write(archive, member, folder.joinpath(*parts), most)
            _read_to_the_end(archive)
    except (tarfile.TarError, OSError, EOFError, zlib.error, lzma.LZMAError, ValueError, KeyError) as error:
        wrong = f"cannot be read as an archive: {error}"
        raise UsageError(Fault(str(path), wrong, "a folder, or a .tar.gz")) from error
    for parts, goal in links:
        with contextlib.suppress(OSError, ValueError):
            _link(folder, parts, goal)


def _bounded(archive: tarfile.TarFile, path: Path) -> Iterator[tarfile.TarInfo]:
    """Yield the members; raises ``UsageError`` where they are too many or, unpacked, too large."""
    total = 0
    for count, member in enumerate(archive):
        total += member.size
        if count >= MAX_MEMBERS or total > MAX_TOTAL:
            raise UsageError(Fault(str(path), "the archive is too large", f"{MAX_MEMBERS} files, {MAX_TOTAL} bytes"))
        yield member


def _read_to_the_end(archive: tarfile.TarFile) -> None:
    """Let the compressed stream check its sums, which stand at its end, past the last member."""
    for _ in range(MAX_TOTAL // MAX_FILE):
        if archive.fileobj is None or not archive.fileobj.read(MAX_FILE):
            return


def _write(archive: tarfile.TarFile, member: tarfile.TarInfo, place: Path, most: int) -> None:
    """Write a file, or a copy of the earlier member that a hard link names; the copy is bounded like any file."""
    source = archive.extractfile(member)
    if source is None:
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    with source, place.open("wb") as target:
        target.write(source.read(most + 1))


def _link(folder: Path, parts: Parts, goal: str) -> None:
    """Make a link, unless the way to it leads through another link and so perhaps out of the folder."""
    place = folder
    for part in parts[:-1]:
        place /= part
        if place.is_symlink():
            return
    place.mkdir(parents=True, exist_ok=True)
    (place / parts[-1]).symlink_to(goal)


def _safe_parts(name: str) -> Parts:
    """Return where a member goes below the folder; nothing for one that would lie outside of it.

    Links are made only after all files are written, so no member is written through one.
    """
    parts = tuple(part for part in name.split("/") if part not in ("", "."))
    return () if ".." in parts else parts


def _root(path: Path, folder: Path, inside: str | None) -> Path:
    if inside:
        chosen = folder.joinpath(*_safe_parts(inside))
        if not _is_root(chosen) and not chosen.is_file():
            raise UsageError(Fault(str(path), f"there is no host tree in {inside!r}", ", ".join(_roots(folder))))
        return chosen
    root = _sole(path, _roots(folder))
    if root is None:
        raise UsageError(Fault(str(path), "there is no host tree in it", "a folder that holds sys/devices/system/cpu"))
    return folder / root


def _sole(path: Path, roots: list[str]) -> str | None:
    if len(roots) > 1:
        raise UsageError(Fault(str(path), "it holds several host trees; name one", ", ".join(roots)))
    return roots[0] if roots else None


def _is_root(folder: Path) -> bool:
    return (folder / "sys" / "devices" / "system" / "cpu").is_dir()


def _roots(folder: Path) -> list[str]:
    roots, left = [], MAX_FOLDERS
    pending = [(folder, 0)]
    while pending and left:
        place, depth = pending.pop()
        left -= 1
        if _is_root(place) or place.name == _NESTED:
            roots.append(str(place.relative_to(folder)))
        elif depth < MAX_DEPTH and os.access(place, os.R_OK | os.X_OK):
            inner = [below for below in place.iterdir() if not below.is_symlink()]
            pending.extend((below, depth + 1) for below in inner if below.is_dir() or below.name == _NESTED)
    return sorted(roots)
