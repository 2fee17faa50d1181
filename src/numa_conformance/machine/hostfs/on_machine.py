"""A machine that is not there, for this process and for what it becomes."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from ...cpuset import bits_of, format_bits
from ...errors import Fault, UsageError
from ...namespaces import bind, enter_mount_namespace, make_read_only, mount_memory, mount_memory_around, overlay
from ..model import Machine
from .fake import write_machine
from .fake.pci import BUS, DEVICES, DRIVERS
from .fake.proc import stat
from .fake.tree import Tree, cpu_map

_SYSTEM = "/sys/devices/system"
_MEBIBYTES = 512
_COVERED = ("sys/bus/cpu/devices", "sys/bus/node/devices", "sys/kernel/mm/hugepages", "proc/cpuinfo", "proc/meminfo",
            "proc/stat", "proc/interrupts", BUS, DRIVERS)  # fmt: skip


def enter_machine(machine: Machine, *, become_root: bool = False) -> None:
    """Lay the machine's tree over ``/sys`` and ``/proc`` for this process and all that it starts, until they end.

    The tree lies in memory and cannot be written to; nothing of it is seen by others, and nothing remains. The host's
    PCI devices stay, near all CPUs and at no NUMA node, unless the machine has some. Raises ``UsageError`` where
    the system does not allow it.
    """
    if not Path(_SYSTEM).is_dir():
        raise UsageError(Fault(_SYSTEM, "does not exist", "a system with sysfs mounted on /sys"))
    enter_mount_namespace(become_root=become_root)
    of_the_host = {name: Path("/proc", name).read_text(errors="replace") for name in ("cpuinfo", "stat")}
    system = os.open(_SYSTEM, os.O_PATH | os.O_DIRECTORY)
    others = sorted(set(os.listdir(_SYSTEM)) - {"cpu", "node", "memory"})
    # The place is one that the tree covers in the end, so that nothing else is hidden meanwhile.
    mount_memory(_SYSTEM, _MEBIBYTES)
    tree = Tree(Path(_SYSTEM), shared=True)
    write_machine(machine, tree, of_the_host["cpuinfo"])
    tree.write_whole("proc/stat", stat(machine, of_the_host["stat"]))
    for name in others:
        tree.folder(f"sys/devices/system/{name}")
    # These cover files of the host that say "all CPUs" or "all NUMA nodes", and would contradict the machine.
    tree.write("everything/cpulist", format_bits(machine.online_bits))
    tree.write("everything/cpumap", cpu_map(machine.online_bits))
    tree.write("everything/nodelist", format_bits(bits_of(machine.numa_ids)))
    tree.write("everything/no_node", -1)
    make_read_only(_SYSTEM)
    for name in _COVERED:
        if Path("/", name).exists() and Path(_SYSTEM, name).exists():
            bind(f"{_SYSTEM}/{name}", f"/{name}")
    has_devices = Path(_SYSTEM, BUS).exists()
    for file, place in _covers():
        if has_devices and BUS in str(place):
            continue
        bind(f"{_SYSTEM}/{file}", str(place))
    if has_devices:
        mount_memory_around(f"/{DEVICES}", 1)
        for root in Path(_SYSTEM, DEVICES).glob("pci*"):
            Path("/", DEVICES, root.name).mkdir()
            bind(str(root), f"/{DEVICES}/{root.name}")
    bind(f"{_SYSTEM}/{DEVICES}/system", _SYSTEM)
    for name in others:
        bind(f"/proc/self/fd/{system}/{name}", f"{_SYSTEM}/{name}")
    os.close(system)


def lay_files(folder: Path, place: str = "/") -> None:
    """Let this process see the files of a folder at their places, beside those that are there.

    Raises ``UsageError`` where one is in no folder of this system, or the system does not allow it.
    """
    names = sorted(each.name for each in folder.iterdir())
    known = {name: os.path.join(place, name) for name in names if (folder / name).is_dir()}
    new = [name for name in names if not os.path.isdir(known.get(name, ""))]
    if not new:
        for name, below in known.items():
            lay_files(folder / name, below)
        return
    if place == "/":
        raise UsageError(Fault(str(folder / new[0]), "is in no folder of this system", "such as sys/class"))
    mounts = [each for each, *_ in _mount_points() if each.startswith(os.path.join(place, ""))]
    apart = list(_apart(folder, place, mounts))
    links = {name: os.readlink(name) for name in apart if os.path.islink(name)}
    try:
        opened = {name: f"/proc/self/fd/{os.open(name, os.O_PATH | os.O_CLOEXEC)}" for name in (place, *mounts)}
        if links:
            mount_memory(place, 1)
        for name, goal in links.items():
            os.makedirs(os.path.dirname(name), exist_ok=True)
            os.symlink(goal, name)
        overlay([*([place] if links else ()), str(folder), opened.pop(place)], place)
        for name, before in opened.items():
            bind(before, name)
    except OSError as error:
        raise UsageError(Fault(str(folder), f"cannot be laid over {place}: {error.strerror}")) from error
    for name in apart:
        lay_files(folder / os.path.relpath(name, place), name)


def _apart(folder: Path, place: str, mounts: Sequence[str]) -> Iterator[str]:
    """Yield the links and mounts in a place that a folder has folders for: an overlay would hide what is in them."""
    for each in folder.iterdir():
        there = os.path.join(place, each.name)
        if each.is_dir() and not each.is_symlink():
            yield from [there] if there in mounts or os.path.islink(there) else _apart(each, there, mounts)


def _covers() -> Iterator[tuple[str, Path]]:
    """Yield a file of the tree, and the place that it goes over."""
    for pattern, file in (
        ("bus/pci/devices/*/local_cpus", "cpumap"),
        ("bus/pci/devices/*/local_cpulist", "cpulist"),
        ("bus/pci/devices/*/numa_node", "no_node"),
        ("class/pci_bus/*/cpuaffinity", "cpumap"),
        ("class/pci_bus/*/cpulistaffinity", "cpulist"),
    ):
        yield from ((f"everything/{file}", place) for place in Path("/sys").glob(pattern))
    for folder in _process_cpusets():
        for kind, file in (("cpus", "cpulist"), ("mems", "nodelist")):
            for name in (f"cpuset.{kind}", f"cpuset.effective_{kind}", f"cpuset.{kind}.effective"):
                if (folder / name).exists():
                    yield f"everything/{file}", folder / name


def _process_cpusets() -> Iterator[Path]:
    """Yield the folders of the control groups that say which CPUs and NUMA nodes this process may use."""
    for line in Path("/proc/self/cgroup").read_text(errors="replace").splitlines():
        number, controllers, group = line.split(":", 2)
        if number == "0" or "cpuset" in controllers.split(","):
            kind = "cgroup2" if number == "0" else "cgroup"
            for place, type_, options in _mount_points():
                if type_ == kind and (kind == "cgroup2" or "cpuset" in options.split(",")):
                    yield Path(place) / group.lstrip("/")


def _mount_points() -> Iterator[list[str]]:
    """Yield place, kind and options of each mount that this process sees."""
    for line in Path("/proc/self/mounts").read_text(errors="replace").splitlines():
        yield line.split(" ")[1:4]
