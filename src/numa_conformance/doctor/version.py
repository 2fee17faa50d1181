"""Which version the running kubelet is: read in its program, as nothing beside it says so, and nothing is run."""

import os
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from ..errors import UsageError
from ..files import open_plain
from ..sources.versions import DEFAULT, KubernetesVersion
from .configuration import KubeletProcess
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
            versions.update(_versions(text))
            before = text[-_LONGEST:]
    return frozenset(versions)


def _versions(text: bytes) -> Iterator[str]:
    for match in _TEXT.finditer(text):
        if match.start() and not _OF_A_LONGER_TEXT.match(text, match.start() - 1):
            yield match[0].decode("ascii")
