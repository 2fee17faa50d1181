"""A host tree as a ``Machine``: the hardware's truth, as the kernel tells it below ``/sys`` and ``/proc``."""

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from ...cpuset import bits_of, format_bits, ids_by_key, iter_bits
from ...errors import Fault, UsageError
from ..model import UNSEEN, Cpu, Machine
from .host_files import HostFiles, read_distances, read_memory_node, total_memory

_CPU = "sys/devices/system/cpu"
_IDS = ("physical_package_id", "core_id")
_NODE = "sys/devices/system/node"
_POOLS = "sys/kernel/mm/hugepages"
MAX_CPUS = 8192


def read_machine(root: Path | str, name: str | None = None) -> Machine:
    """Read the tree below ``root`` (``/`` for this computer).

    Core ids in the result are the lowest CPU of the core, so they are unique on the machine. What contradicts itself
    becomes a note. Raises ``UsageError`` naming the file when there is nothing to go by.
    """
    default = "this-computer" if str(root) == "/" else Path(root).resolve().name
    return _Reader(HostFiles(Path(root))).read(name or default)


def unseen(root: Path, machine: Machine) -> tuple[str, ...]:
    """Return what a tree lacks of what a kernel shows, and what stands in its place, each as a note."""
    files = HostFiles(root)
    nodes = [f"node{node}" for node in files.numbered(_NODE, "node")]
    bare = bits_of(cpu.id for cpu in machine.cpus if cpu.core is None)
    pools = all(files.resolve(pool) for pool in [f"{_NODE}/{node}/hugepages" for node in nodes] or [_POOLS])
    pages = any(node.hugepages for node in machine.memory)
    lacks = {
        f"{_CPU}/cpu*/topology of the CPUs {format_bits(bare)}; they have no core": bare,
        f"{_CPU}/cpu*/cache; assumed: no last-level cache": not any(
            files.names(f"{_CPU}/cpu{cpu.id}/cache") for cpu in machine.cpus
        ),
        f"{_NODE}/node*; assumed: one NUMA node": not nodes,
        "memory of each NUMA node; assumed: none": any(node.memory is None for node in machine.memory),
        "hugepages; " + ("those of the usual size are from meminfo" if pages else "assumed: none"): not pools,
        f"{_NODE}/node*/distance; assumed: none": nodes and machine.distances is None,
    }
    return tuple(UNSEEN + what for what, lacking in lacks.items() if lacking)


@dataclass
class _Groups:
    """What is known of each online CPU: the CPUs of its core, socket and last-level cache as bits, 0 if unknown."""

    core: dict[int, int]
    socket: dict[int, int]
    cache: dict[int, int]


class _Reader:
    def __init__(self, files: HostFiles) -> None:
        self._files = files
        self._notes: list[str] = []
        self._known_ids: dict[tuple[int, str], int | None] = {}
        self._cache_folders: dict[int, str | None] = {}

    def read(self, name: str) -> Machine:
        online, offline = self._online()
        groups = _Groups(
            core={cpu: self._siblings(cpu, online, ("core_cpus", "thread_siblings")) for cpu in iter_bits(online)},
            socket={cpu: self._siblings(cpu, online, ("package_cpus", "core_siblings")) for cpu in iter_bits(online)},
            cache={cpu: self._last_level_cache(cpu, online) for cpu in iter_bits(online)},
        )
        self._complete(groups)
        numa = self._numa_nodes(online)
        nodes = sorted(numa) if numa else [0]
        node_of = {cpu: node for node, cpus in numa.items() for cpu in iter_bits(cpus)}
        homeless = [cpu for cpu in iter_bits(online) if numa and cpu not in node_of]
        if homeless:
            self._notes.append(f"CPUs {format_bits(bits_of(homeless))} are on no NUMA node; node {nodes[0]} is taken")
        sockets = self._numbered_groups(groups.socket, {cpu: self._id(cpu, _IDS[0]) for cpu in iter_bits(online)})
        caches = self._numbered_groups(groups.cache, self._cache_ids(online))
        if any(core & ~groups.socket[cpu] and groups.socket[cpu] for cpu, core in groups.core.items()):
            self._notes.append("a core lies in several sockets")
        cores = {cpu: _lowest(core) if core else None for cpu, core in groups.core.items()}
        memory = [read_memory_node(self._files, id) for id in nodes] if numa else [total_memory(self._files, _POOLS)]
        return Machine(
            name=name,
            cpus=tuple(
                Cpu(cpu, cores[cpu], sockets.get(cpu, 0), node_of.get(cpu, nodes[0]), caches.get(cpu))
                for cpu in iter_bits(online)
            ),
            memory=tuple(memory),
            distances=read_distances(self._files, nodes, self._notes) if numa else None,
            offline=tuple(iter_bits(offline)),
            notes=tuple(self._notes),
        )

    def _online(self) -> tuple[int, int]:
        """Return online and offline CPUs that have a folder."""
        numbers = self._files.numbered(_CPU, "cpu")
        if not numbers:
            accepted = "folders cpu0, cpu1, ..., or for state files alone a --machine: a text of lscpu and numactl -H"
            raise UsageError(Fault(self._files.shown(_CPU), "there are no CPUs in this tree", accepted))
        if len(numbers) > MAX_CPUS:
            raise UsageError(Fault(self._files.shown(_CPU), f"names {len(numbers)} CPUs", f"at most {MAX_CPUS}"))
        present = bits_of(numbers)
        listed = self._files.cpu_list(f"{_CPU}/online")
        switched_off = bits_of(cpu for cpu in numbers if self._files.text(f"{_CPU}/cpu{cpu}/online") == "0")
        if listed is None:
            online = present & ~switched_off
        else:
            online = listed & present
            if listed & ~present:
                self._notes.append(f"CPUs {format_bits(listed & ~present)} are listed as online and have no folder")
        if not online:
            raise UsageError(Fault(self._files.shown(f"{_CPU}/online"), "no CPU is online"))
        return online, present & ~online

    def _siblings(self, cpu: int, online: int, names: tuple[str, ...]) -> int:
        """Return the CPUs that the kernel groups with this one, from a map or a list; 0 when it says nothing."""
        for name in names:
            folder = f"{_CPU}/cpu{cpu}/topology"
            siblings = self._files.cpu_map(f"{folder}/{name}") or self._files.cpu_list(f"{folder}/{name}_list")
            if siblings:
                return siblings & online | 1 << cpu
        return 0

    def _last_level_cache(self, cpu: int, online: int) -> int:
        folder = self._cache_folder(cpu)
        if folder is None:
            return 0
        mapped = self._files.cpu_map(f"{folder}/shared_cpu_map")
        listed = self._files.cpu_list(f"{folder}/shared_cpu_list")
        if mapped and listed and mapped != listed:
            self._note_once("shared_cpu_map and shared_cpu_list of a last-level cache contradict each other")
        shared = mapped or listed
        return (shared & online | 1 << cpu) if shared else 0

    def _cache_folder(self, cpu: int) -> str | None:
        """Return the folder of the first cache of level 3 that a CPU has."""
        if cpu not in self._cache_folders:
            above = f"{_CPU}/cpu{cpu}/cache"
            folders = (f"{above}/index{index}" for index in self._files.numbered(above, "index"))
            at_level_3 = (folder for folder in folders if self._files.text(f"{folder}/level") == "3")
            self._cache_folders[cpu] = next(at_level_3, None)
        return self._cache_folders[cpu]

    def _complete(self, groups: _Groups) -> None:
        """Fill in from ids what sibling lists do not say, and make groups agree among their members."""
        for known, names in ((groups.socket, _IDS[:1]), (groups.core, _IDS)):
            ids = {cpu: tuple(self._id(cpu, name) for name in names) for cpu, bits in known.items() if not bits}
            missing = [cpu for cpu, known_ids in ids.items() if known_ids[-1] is not None]
            same = ids_by_key((ids[cpu], cpu) for cpu in missing)
            for cpu in missing:
                known[cpu] = same[ids[cpu]]
        for label, known in (("core", groups.core), ("socket", groups.socket), ("cache", groups.cache)):
            self._agree(label, known)

    def _agree(self, label: str, known: dict[int, int]) -> None:
        """Let the lowest CPU of a group speak for it where its members name different groups."""
        naming = defaultdict(int, ids_by_key((bits, cpu) for cpu, bits in known.items()))  # by group
        for cpu in sorted(known):
            above = known[cpu] >> cpu + 1 << cpu + 1
            for other in iter_bits(above & ~naming[known[cpu]] & ~naming[0]):
                self._note_once(f"CPUs of one {label} name different members")
                if known[other] & known[cpu]:
                    naming[known[other]] &= ~(1 << other)
                    known[other] &= ~known[cpu] | 1 << other
                    naming[known[other]] |= 1 << other
        assigned = 0
        for cpu in sorted(known):
            if known[cpu] and not assigned >> cpu & 1:
                members = known[cpu] & ~assigned
                for other in iter_bits(members):
                    known[other] = members
                assigned |= members

    def _id(self, cpu: int, name: str) -> int | None:
        if (cpu, name) not in self._known_ids:
            self._known_ids[cpu, name] = self._files.number(f"{_CPU}/cpu{cpu}/topology/{name}")
        return self._known_ids[cpu, name]

    def _numa_nodes(self, online: int) -> dict[int, int]:
        nodes = {}
        for node in self._files.numbered(_NODE, "node"):
            cpus_of_node = self._files.cpu_map(f"{_NODE}/node{node}/cpumap")
            if cpus_of_node is None:
                cpus_of_node = self._files.cpu_list(f"{_NODE}/node{node}/cpulist")
            if cpus_of_node is None:
                cpus_of_node = bits_of(self._files.numbered(f"{_NODE}/node{node}", "cpu"))
            nodes[node] = cpus_of_node & online
        assigned = 0
        for node, cpus in sorted(nodes.items()):
            if cpus & assigned:
                self._note_once(f"CPUs {format_bits(cpus & assigned)} are on several NUMA nodes; the lowest is taken")
            nodes[node] = cpus & ~assigned
            assigned |= cpus
        return nodes

    def _cache_ids(self, online: int) -> dict[int, int | None]:
        folders = {cpu: folder for cpu in iter_bits(online) if (folder := self._cache_folder(cpu)) is not None}
        return {cpu: self._files.number(f"{folder}/id") for cpu, folder in folders.items()}

    def _numbered_groups(self, groups: dict[int, int], ids: dict[int, int | None]) -> dict[int, int]:
        """Return CPU to group number: the kernel's own ids where they tell the groups apart, else the lowest CPU."""
        distinct = sorted({bits for bits in groups.values() if bits}, key=_lowest)
        ids_of_group = [{ids.get(cpu) for cpu in iter_bits(bits)} for bits in distinct]
        usable = all(len(numbers) == 1 and None not in numbers for numbers in ids_of_group)
        values = [next(iter(numbers)) for numbers in ids_of_group]
        if not usable or len(set(values)) < len(values) or any(value is not None and value < 0 for value in values):
            values = [_lowest(bits) for bits in distinct]
        number = dict(zip(distinct, values, strict=True))
        return {cpu: number[bits] or 0 for cpu, bits in groups.items() if bits}

    def _note_once(self, note: str) -> None:
        if note not in self._notes:
            self._notes.append(note)


def _lowest(bits: int) -> int:
    return (bits & -bits).bit_length() - 1
