"""cpuset hierarchies of cgroup v1 and v2: a fake one for pods, and cpusets written in a safe order."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from ...cpuset import CpuSet, bits_of, format_bits, union
from ...errors import Fault, UsageError, closest
from ...files import refuse_filled
from ..model import Machine

Version = Literal[1, 2]
Driver = Literal["cgroupfs", "systemd"]
_TOPS: Mapping[Driver, str] = {"cgroupfs": "kubepods", "systemd": "kubepods.slice"}
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


def write_cgroup_tree(
    machine: Machine, root: Path, pods: Mapping[str, Sequence[str]], *, version: int = 2, driver: Driver = "cgroupfs"
) -> None:
    """Write a cpuset hierarchy for pods (uid to container names), every cpuset all CPUs and NUMA nodes.

    Folders are named as ``driver`` names them. ``cgroupfs`` has ``kubepods/pod<uid>/<container>``. ``systemd`` has
    ``kubepods.slice/kubepods-pod<uid>.slice/cri-<container>.scope``, with ``_`` for each ``-`` of the uid. For v1 all
    of it is below ``cpuset``. Raises ``UsageError`` for a folder that is not empty, a version other than 1 and 2,
    another driver, or a name that is no folder name.
    """
    if version not in (1, 2):
        raise UsageError(Fault("version", f"is {version}", "1 or 2"))
    if driver not in _TOPS:
        raise UsageError(Fault("driver", f"is {driver!r}", ", ".join(_TOPS), closest(driver, _TOPS)))
    refuse_filled(root)
    top = root / "cpuset" if version == 1 else root
    cpus, mems = format_bits(machine.online_bits), format_bits(bits_of(machine.numa_ids))
    folders = {top: None, top / _TOPS[driver]: None}
    for uid, containers in pods.items():
        for name in containers:
            folder = _container_folder(top, driver, uid, name)
            folders |= {folder.parent: None, folder: None}
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in (("cpuset.cpus", cpus), ("cpuset.mems", mems)):
            (folder / file).write_text(f"{text}\n", encoding="ascii")
    if version == 2:
        (root / "cgroup.controllers").write_text("cpuset cpu memory\n", encoding="ascii")


def _container_folder(top: Path, driver: Driver, uid: str, container: str) -> Path:
    uid, container = _checked(uid), _checked(container)
    if driver == "systemd":
        return top / "kubepods.slice" / f"kubepods-pod{uid.replace('-', '_')}.slice" / f"cri-{container}.scope"
    return top / "kubepods" / f"pod{uid}" / container


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name) or name in (".", ".."):
        raise UsageError(Fault("", f"{name!r} cannot be the name of a cgroup", "letters, digits, _ . -"))
    return name


class CgroupTree:
    """The cpuset hierarchy below a root, of either version, its folders named by either driver."""

    def __init__(self, top: Path, version: Version, driver: Driver = "cgroupfs") -> None:
        """Take the folder that holds the pods' top folder; ``open`` finds it."""
        self._top = top
        self.version: Version = version
        self.driver: Driver = driver

    @classmethod
    def open(cls, root: Path) -> "CgroupTree":
        """Find out version and driver; raises ``UsageError`` where there is no cpuset hierarchy."""
        if (root / "cgroup.controllers").is_file():
            top, version = root, 2
        elif (root / "cpuset" / "cpuset.cpus").is_file():
            top, version = root / "cpuset", 1
        else:
            accepted = "cgroup.controllers (v2), or cpuset/ (v1)"
            raise UsageError(Fault(str(root), "there is no cpuset hierarchy", accepted))
        driver: Driver = "systemd" if (top / _TOPS["systemd"]).is_dir() else "cgroupfs"
        return cls(top, 2 if version == 2 else 1, driver)

    def apply(self, updates: Iterable[CgroupUpdate]) -> list[Failure]:
        """Write cpusets so that no step gives a container CPUs which another one has and is about to lose.

        First every container shrinks to what it keeps. Then each is given its new set, once no container that loses a
        CPU of it has that CPU any more. Containers that change places in a circle go by way of a CPU that no updated
        container has. Where there is none, a step that overlaps cannot be avoided.

        An update fails when the container is not there, when its cpuset would be empty, or when the writing fails. The
        container keeps its set. That stops only those that wait for its CPUs. Of several updates of one container the
        last counts. Raises ``UsageError`` for a name that is no folder name, before any writing.
        """
        failures: list[Failure] = []
        moves: list[_Move] = []
        for update in {(update.uid, update.container): update for update in updates}.values():
            file = self._file(update.uid, update.container)
            if file is None:
                failures.append(Failure(update, "the container has no cgroup"))
            elif not update.cpus:
                failures.append(Failure(update, "the cpuset would be empty"))
            else:
                moves.append(_Move(update, file, _read(file)))
        return failures + _carry_out(moves, _read(self._top / "cpuset.cpus"))

    def read(self, uid: str, container: str) -> int | None:
        """Return a container's cpuset as bits, None when it has no cgroup."""
        file = self._file(uid, container)
        return None if file is None else _read(file)

    def _file(self, uid: str, container: str) -> Path | None:
        file = _container_folder(self._top, self.driver, uid, container) / "cpuset.cpus"
        if any(place.is_symlink() for place in [file, *list(file.parents)[:3]]) or not file.is_file():
            return None
        return file


@dataclass
class _Move:
    """One cpuset on its way: what it is now and what it is to be."""

    update: CgroupUpdate
    file: Path
    now: int
    reason: str = ""

    @property
    def goal(self) -> int:
        return self.update.cpus

    def write(self, bits: int) -> None:
        try:
            self.file.write_text(format_bits(bits) + "\n", encoding="ascii")
        except OSError as error:
            self.reason = str(error.strerror or error)
            self.now = self.now if self.file.exists() else 0
        else:
            self.now = bits


def _carry_out(moves: Sequence[_Move], every: int) -> list[Failure]:
    for move in moves:
        common = move.now & move.goal
        if common not in (0, move.now):
            move.write(common)
    while waiting := [move for move in moves if move.now != move.goal and not move.reason]:
        # In the way is who still has a CPU that ``move`` is to get, and is to lose it.
        obstacles = {
            id(move): [other for other in moves if other is not move and other.now & ~other.goal & move.goal]
            for move in waiting
        }
        free = [move for move in waiting if not obstacles[id(move)]]
        stuck = [move for move in waiting if any(other.reason for other in obstacles[id(move)])]
        if free:
            free[0].write(free[0].goal)
        elif stuck:
            stuck[0].reason = "another container still has CPUs of it"
        else:
            _break_a_circle([move for blocking in obstacles.values() for move in blocking], moves, every)
    return [Failure(move.update, move.reason) for move in moves if move.reason]


def _break_a_circle(obstacles: Sequence[_Move], moves: Sequence[_Move], every: int) -> None:
    """Put the one most in the way on one CPU that nobody has or gets; where there is none, where it belongs."""
    most = max(obstacles, key=lambda obstacle: sum(other is obstacle for other in obstacles))
    unused = every & ~union(move.now | move.goal for move in moves)
    most.write(unused & -unused or most.goal)


def _read(file: Path) -> int:
    """Return a cpuset as bits; one that cannot be read is none, so that it is written."""
    text = file.read_text(encoding="ascii", errors="replace")[: 1 << 20] if file.is_file() else ""
    try:
        return CpuSet.parse_kernel(text).bits
    except UsageError:
        return 0
