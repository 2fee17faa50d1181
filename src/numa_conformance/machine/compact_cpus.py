"""The CPUs of a compactly described machine, by counts or groups; and what both written forms of a machine refuse."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from msgspec import UNSET, UnsetType

from ..cpuset import CpuSet, bit_of, iter_bits
from ..errors import CpuSetSyntaxError
from ..fields import Fields
from .forms import MAX_CPUS, MAX_NODES, PAGE_SIZE, PAGE_SIZES, CompactForm, GroupForm, Numbering, PluginForm, RunsForm
from .model import UNSEEN, Cpu, Device, MemoryNode

_Key = TypeVar("_Key", int, tuple[str, str])


def id_bits(ids: int | str | None, path: str, fields: Fields) -> int:
    """Return, as bits, ids in list format; a single number stands for itself."""
    if isinstance(ids, int):
        return bit_of(ids)
    try:
        return CpuSet.parse(ids or "").bits
    except CpuSetSyntaxError as error:
        fields.fault(path, error.faults[0].message, error.faults[0].accepted)
        return 0


def preferences(plugins: Mapping[str, PluginForm | None] | None) -> dict[str, str | None]:
    """Return the preference of each device plugin."""
    return {name: plugin.preferred_allocation if plugin else None for name, plugin in (plugins or {}).items()}


def page_counts(pages: Mapping[str, int] | None, path: str, fields: Fields) -> dict[str, int]:
    """Return pages by page size, ascending by its text."""
    for size in pages or ():
        if not re.fullmatch(PAGE_SIZE, size):
            fields.fault(f"{path}.{size}", "is not accepted", PAGE_SIZES)
    return dict(sorted((pages or {}).items()))


def refuse_repeats(ids: Iterable[int], path: str, fields: Fields) -> None:
    """Record ids that stand there twice."""
    for number in _repeated(ids):
        fields.fault(path, f"{number} is there twice")


def refuse_repeated_devices(devices: Iterable[Device], fields: Fields) -> None:
    """Record devices of one resource that have one id."""
    for resource, name in _repeated((device.resource, device.id) for device in devices):
        fields.fault("devices", f"the device {name!r} of {resource!r} is there twice")


def refuse_crooked_distances(
    distances: Sequence[Sequence[int]] | None, memory: Sequence[MemoryNode], fields: Fields
) -> None:
    """Record a matrix that is not square over the NUMA nodes."""
    if distances is not None and any(len(row) != len(memory) for row in (distances, *distances)):
        accepted = f"{len(memory)} rows of {len(memory)} numbers"
        fields.fault("distances", "is not square over the NUMA nodes of the machine", accepted)


def _repeated(keys: Iterable[_Key]) -> list[_Key]:
    return sorted(key for key, count in Counter(keys).items() if count > 1)


_SHOWN = 3

_COUNTS = ("sockets", "numaPerSocket", "socketsPerNuma", "coresPerNuma", "threads")
REGULAR_FIELDS = (*_COUNTS, "numbering", "uncore", "cpuIds", "numaIds", "socketIds")
"""What counts say; groups say it otherwise."""


@dataclass(slots=True)
class _Core:
    """One core of a regular machine: which node and socket (counted from 0), which of their cores, which cache."""

    node: int
    socket: int
    rank_in_node: int
    rank_in_socket: int
    numa: int = 0
    uncore: int | None = None


_Order = Callable[[int, _Core, int], tuple[int, ...]]
"""Thread, core and index of the core to where the CPU stands when ids are dealt out."""
_ORDERS: Mapping[Numbering, _Order] = {
    "siblings-offset": lambda thread, core, index: (thread, index),
    "siblings-adjacent": lambda thread, core, index: (index, thread),
    "siblings-offset-in-socket": lambda thread, core, index: (core.socket, thread, index),
    "sockets-alternate": lambda thread, core, index: (thread, core.rank_in_socket, core.socket),
    "nodes-alternate": lambda thread, core, index: (thread, core.rank_in_node, core.numa),
}


def regular_cpus(form: CompactForm, fields: Fields) -> list[Cpu]:
    """Return the CPUs of a machine given by counts; empty when a fault was found."""
    cores = _cores(form, fields)
    if len(cores) * form.threads > MAX_CPUS:
        fields.fault("threads", f"makes {len(cores) * form.threads} CPUs", f"at most {MAX_CPUS} CPUs")
    nodes = 1 + max((core.node for core in cores), default=0)
    sockets = 1 + max((core.socket for core in cores), default=0)
    numa_ids = _ids_or_range(form.numa_ids, "numaIds", nodes, fields)
    socket_ids = _ids_or_range(form.socket_ids, "socketIds", sockets, fields)
    _deal_caches(form.uncore, cores)
    if not fields.sound:
        return []
    for core in cores:
        core.numa = numa_ids[core.node]
    order = _ORDERS[form.numbering]
    dealt = sorted((order(thread, core, at), at) for at, core in enumerate(cores) for thread in range(form.threads))
    return [
        Cpu(number, cores[at].rank_in_socket, socket_ids[cores[at].socket], cores[at].numa, cores[at].uncore)
        for number, (_, at) in zip(_cpu_ids(form.cpu_ids, len(dealt), fields), dealt, strict=False)
    ]


def _cores(form: CompactForm, fields: Fields) -> list[_Core]:
    """Lay the cores out, node by node; a node may hold several sockets, or a socket several nodes."""
    sockets, split, joined = form.sockets, form.numa_per_socket, form.sockets_per_numa
    if split > 1 and joined > 1:
        fields.fault("socketsPerNuma", "cannot be combined with numaPerSocket", "one of the two")
    if sockets % joined:
        fields.fault("socketsPerNuma", f"does not divide the {sockets} sockets")
    nodes = sockets * split // joined
    if nodes > MAX_NODES:
        fields.fault("numaPerSocket", f"makes {nodes} NUMA nodes", f"at most {MAX_NODES}")
    counts = _counts(form.cores_per_numa, nodes, fields)
    if sum(counts) > MAX_CPUS:
        fields.fault("coresPerNuma", f"makes {sum(counts)} cores", f"at most {MAX_CPUS} CPUs")
    for count in sorted({count for count in counts if count % joined}):
        fields.fault("coresPerNuma", f"{count} cores cannot be shared out over {joined} sockets")
    if not fields.sound:
        return []
    cores: list[_Core] = []
    in_socket = [0] * sockets
    for node, count in enumerate(counts):
        for rank in range(count):
            # Either a socket holds `split` nodes, or a node shares its cores out evenly over `joined` sockets.
            socket = node // split if joined == 1 else node * joined + rank // (count // joined)
            cores.append(_Core(node, socket, rank, in_socket[socket]))
            in_socket[socket] += 1
    return cores


def _counts(cores: int | list[int] | UnsetType, nodes: int, fields: Fields) -> list[int]:
    if isinstance(cores, int):
        return [cores] * min(nodes, MAX_NODES)
    if cores is UNSET:
        fields.fault("coresPerNuma", "is missing", "one number, or one for each NUMA node; or groups in its place")
        return []
    if len(cores) != nodes:
        fields.fault("coresPerNuma", f"has {len(cores)} entries", f"one number, or one for each of {nodes} NUMA nodes")
    return cores


def _ids_or_range(ids: list[int] | None, path: str, count: int, fields: Fields) -> list[int]:
    if ids is None:
        return list(range(count))
    if fields.sound and len(ids) != count:
        fields.fault(path, f"has {len(ids)} entries", f"{count} ids")
    refuse_repeats(ids, path, fields)
    return ids


def _cpu_ids(written: int | str | None, count: int, fields: Fields) -> list[int]:
    if written is None:
        return list(range(count))
    _refuse_disorder(written, "cpuIds", "ascending ids; `numbering` says how they are dealt out", fields)
    ids = list(iter_bits(id_bits(written, "cpuIds", fields)))
    if fields.sound and len(ids) != count:
        fields.fault("cpuIds", f"names {len(ids)} CPUs", f"{count} CPUs, as many as the counts make")
    return ids


def _deal_caches(uncore: str | RunsForm, cores: Sequence[_Core]) -> None:
    """Give each core its cache: one for the whole of something, or one for each run of cores within it."""
    run, within = (uncore.cores, uncore.within) if isinstance(uncore, RunsForm) else (MAX_CPUS, uncore)
    if within == "none":
        return
    # Caches count up over the whole machine, in the order in which their first cores stand.
    caches: dict[tuple[int, int], int] = {}
    for index, core in enumerate(cores):
        place, rank = {
            "numa": (core.node, core.rank_in_node),
            "socket": (core.socket, core.rank_in_socket),
            "machine": (0, index),
        }[within]
        core.uncore = caches.setdefault((place, rank // run), len(caches))


def grouped_cpus(groups: Sequence[GroupForm], fields: Fields) -> list[Cpu]:
    """Return the CPUs of a machine given group by group; cores count on within each socket."""
    next_core: dict[int, int] = {}
    cpus: list[Cpu] = []
    for index, group in enumerate(groups):
        cpus += _group(group, f"groups[{index}]", next_core, fields)
    if len(cpus) > MAX_CPUS:
        fields.fault("groups", f"name {len(cpus)} CPUs", f"at most {MAX_CPUS}")
    elif fields.sound and not cpus:
        fields.fault("groups", "name no CPU")
    refuse_repeats((cpu.id for cpu in cpus), "groups", fields)
    return sorted(cpus, key=lambda cpu: cpu.id)


def _group(group: GroupForm, path: str, next_core: dict[int, int], fields: Fields) -> list[Cpu]:
    ids = list(iter_bits(id_bits(group.cpus, f"{path}.cpus", fields)))
    if group.threads > 1:
        _refuse_disorder(group.cpus, f"{path}.cpus", "ascending ids; `siblings` says which share a core", fields)
    if len(ids) % group.threads:
        fields.fault(f"{path}.threads", f"{group.threads} do not divide the {len(ids)} CPUs of the group")
        return []
    first = next_core.get(group.socket, 0)
    next_core[group.socket] = first + len(ids) // group.threads
    return [
        Cpu(number, first + core, group.socket, group.numa, group.uncore)
        for core, siblings in enumerate(_siblings(ids, group.threads, group.siblings)) for number in siblings
    ]  # fmt: skip


def _siblings(ids: Sequence[int], threads: int, way: str | UnsetType) -> list[Sequence[int]]:
    """Return the CPUs of each core: those that stand together, or one of each run; the latter unless it says so."""
    cores = len(ids) // threads
    if way == "adjacent":
        return [ids[at * threads : (at + 1) * threads] for at in range(cores)]
    return [ids[at::cores] for at in range(cores)]


def _refuse_disorder(ids: int | str | None, path: str, accepted: str, fields: Fields) -> None:
    numbers = [int(number) for number in re.findall("[0-9]+", str(ids))]
    if numbers != sorted(numbers):
        fields.fault(path, "the ids do not ascend", accepted)


def assumed_siblings(groups: Sequence[GroupForm]) -> list[str]:
    """Return a note for each group that does not say which CPUs share a core."""
    notes = []
    for group in groups:
        if group.threads > 1 and group.siblings is UNSET:
            ids = list(iter_bits(id_bits(group.cpus, "", Fields())))
            offset, adjacent = (
                " | ".join(",".join(map(str, core)) for core in _siblings(ids, group.threads, way)[:_SHOWN])
                for way in ("offset", "adjacent")
            )
            assumed = f"offset, {offset} ... (siblings: adjacent makes {adjacent} ...)"
            notes.append(f"{UNSEEN}siblings of the CPUs {group.cpus}; assumed: {assumed}")
    return notes
