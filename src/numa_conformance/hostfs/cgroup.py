"""cpuset hierarchies of cgroup v1 and v2: a fake one for pods, and cpusets written in a safe order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from ..cpuset import CpuSet, format_bits
from ..errors import Fault, UsageError
from ..machine.model import Machine

__all__ = ["CgroupTree", "CgroupUpdate", "Failure", "write_cgroup_tree"]

Version = Literal[1, 2]
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,252}", re.ASCII)


class CgroupUpdate(NamedTuple):
    """The cpuset that one container is to have; ``cpus`` are bits."""

    uid: str
    container: str
    cpus: int


@dataclass(frozen=True, slots=True)
class Failure:
    """An update that could not be written, and why; the others were."""

    update: CgroupUpdate
    reason: str


def write_cgroup_tree(machine: Machine, root: Path, pods: Mapping[str, Sequence[str]], *, version: int = 2) -> None:
    """Write a cpuset hierarchy for pods (uid to container names), every cpuset all CPUs and NUMA nodes.

    The layout is that of the cgroupfs driver: ``kubepods/pod<uid>/<container>``, below ``cpuset`` for v1. Raises
    ``UsageError`` for a folder that is not empty, a version other than 1 and 2, or a name that is no folder name.
    """
    if version not in (1, 2):
        raise UsageError(Fault("version", f"is {version}", "1 or 2"))
    if root.exists() and any(root.iterdir()):
        raise UsageError(Fault(str(root), "is not empty", "an empty folder, or one that does not exist"))
    top = root / "cpuset" if version == 1 else root
    cpus, mems = format_bits(machine.online_bits), format_bits(sum(1 << node for node in machine.numa_ids))
    folders = [top, top / "kubepods"]
    for uid, containers in pods.items():
        pod = top / "kubepods" / f"pod{_checked(uid)}"
        folders += [pod, *(pod / _checked(name) for name in containers)]
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in (("cpuset.cpus", cpus), ("cpuset.mems", mems)):
            (folder / name).write_text(f"{text}\n", encoding="ascii")
    if version == 2:
        (root / "cgroup.controllers").write_text("cpuset cpu memory\n", encoding="ascii")


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name) or name in (".", ".."):
        raise UsageError(Fault("", f"{name!r} cannot be the name of a cgroup", "letters, digits, _ . -"))
    return name


class CgroupTree:
    """The cpuset hierarchy below a root, of either version."""

    def __init__(self, top: Path, version: Version) -> None:
        """Take the folder that holds ``kubepods``; ``open`` finds it."""
        self._top = top
        self.version: Version = version

    @classmethod
    def open(cls, root: Path) -> CgroupTree:
        """Find out the version; raises ``UsageError`` where there is no cpuset hierarchy."""
        if (root / "cgroup.controllers").is_file():
            return cls(root, 2)
        if (root / "cpuset" / "cpuset.cpus").is_file():
            return cls(root / "cpuset", 1)
        raise UsageError(Fault(str(root), "there is no cpuset hierarchy", "cgroup.controllers (v2), or cpuset/ (v1)"))

    def apply(self, updates: Iterable[CgroupUpdate]) -> list[Failure]:
        """Write cpusets in an order in which no step leaves two containers on one exclusive CPU.

        Containers that lose CPUs come first, those that only gain last. One that is not there any more, or whose cpuset
        would be empty, is a failure and does not stop the others.
        """
        failures: list[Failure] = []
        planned: list[tuple[bool, int, CgroupUpdate, Path]] = []
        for place, update in enumerate(updates):
            file = self._file(update.uid, update.container)
            if file is None:
                failures.append(Failure(update, "the container has no cgroup"))
            elif not update.cpus:
                failures.append(Failure(update, "the cpuset would be empty"))
            else:
                gains = not self._read(file) & ~update.cpus
                planned.append((gains, place, update, file))
        for _, _, update, file in sorted(planned, key=lambda one: one[:2]):
            try:
                file.write_text(format_bits(update.cpus) + "\n", encoding="ascii")
            except OSError as error:
                failures.append(Failure(update, str(error.strerror or error)))
        return failures

    def read(self, uid: str, container: str) -> int | None:
        """Return a container's cpuset as bits, None when it has no cgroup."""
        file = self._file(uid, container)
        return None if file is None else self._read(file)

    def _file(self, uid: str, container: str) -> Path | None:
        file = self._top / "kubepods" / f"pod{_checked(uid)}" / _checked(container) / "cpuset.cpus"
        parents = [file, *list(file.parents)[:3]]
        if any(one.is_symlink() for one in parents) or not file.is_file():
            return None
        return file

    def _read(self, file: Path) -> int:
        text = file.read_text(encoding="ascii", errors="replace")[: 1 << 20]
        try:
            return CpuSet.parse_kernel(text).bits
        except UsageError as error:
            raise error.within(str(file)) from error
