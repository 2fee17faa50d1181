"""The compact form of a machine: counts in place of lists, so that a person can write one in a few lines."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import TypeGuard, TypeVar

from msgspec import UNSET

from ..cpuset import CpuSet, bits_of, iter_bits
from ..fields import Fields
from .compact_cpus import (
    REGULAR_FIELDS,
    assumed_siblings,
    grouped_cpus,
    id_bits,
    page_counts,
    preferences,
    refuse_crooked_distances,
    refuse_repeated_devices,
    refuse_repeats,
    regular_cpus,
)
from .forms import MAX_DEVICES, MAX_NODES, SIZE, SIZES, CompactDeviceForm, CompactForm, DistancesForm, MemoryOnlyForm
from .model import Cpu, Device, Machine, MemoryNode

UNITS = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50}
_Near = dict[int, int]
"""A NUMA node without CPUs to the one that it lies at."""
_Value = TypeVar("_Value")


def is_compact(obj: object) -> TypeGuard[Mapping[str, object]]:
    """Tell the compact form from the JSON form: it has counts or groups in place of a list of CPUs."""
    return isinstance(obj, Mapping) and "cpus" not in obj and any(key in obj for key in (*REGULAR_FIELDS, "groups"))


def expand(form: CompactForm, written: Collection[str], fields: Fields) -> Machine:
    """Make the machine of a compact description whose ``written`` fields were given; faults go to ``fields``."""
    cpus = _all_cpus(form, written, fields)
    nodes = sorted({cpu.numa for cpu in cpus}) or [0]
    memory, near = _memory(form, nodes, fields)
    offline = _offline(form, cpus, fields)
    distances = _distances(form.distances, cpus, memory, near, fields) if fields.sound else None
    machine = Machine(
        name=form.name,
        cpus=tuple(cpu for cpu in cpus if not offline >> cpu.id & 1),
        memory=memory,
        distances=distances,
        devices=expand_devices(form.devices, nodes, fields),
        preferred_allocation=preferences(form.device_plugins),
        offline=tuple(CpuSet.from_bits(offline)),
        uncore_source=form.uncore_source,
        description=form.description or "",
        notes=(
            *(form.notes or ()),
            *(f"source: {source}" for source in form.sources or ()),
            *(f"assumed: {fact}" for fact in form.assumed or ()),
            *(assumed_siblings(form.groups) if fields.sound and form.groups is not UNSET else ()),
        ),
    )
    refuse_repeated_devices(machine.devices, fields)
    return machine


def _all_cpus(form: CompactForm, written: Collection[str], fields: Fields) -> list[Cpu]:
    if form.groups is UNSET:
        return sorted(regular_cpus(form, fields), key=lambda cpu: cpu.id)
    for key in REGULAR_FIELDS:
        if key in written:
            fields.fault(key, "cannot be combined with groups", "either counts or groups")
    return grouped_cpus(form.groups, fields)


def _offline(form: CompactForm, cpus: Sequence[Cpu], fields: Fields) -> int:
    offline = id_bits(form.offline, "offline", fields)
    every = bits_of(cpu.id for cpu in cpus) if fields.sound else offline
    if offline & ~every:
        fields.fault("offline", f"the machine has no CPUs {CpuSet.from_bits(offline & ~every)}")
    elif fields.sound and offline == every:
        fields.fault("offline", "leaves no CPU online")
    return offline


def _memory(form: CompactForm, nodes: Sequence[int], fields: Fields) -> tuple[tuple[MemoryNode, ...], _Near]:
    """Return the memory of every node, and for nodes without CPUs the node each lies at."""
    sizes = _per_node(form.memory, nodes, "memory", fields)
    pages = _per_node(form.hugepages, nodes, "hugepages", fields)
    paths = ("memory", "hugepages")
    memory = [_node(*each, paths, fields) for each in zip(nodes, sizes, pages, strict=False)]
    near: _Near = {}
    for index, extra in enumerate(form.memory_only_nodes or ()):
        memory += _without_cpus(extra, f"memoryOnlyNodes[{index}]", near, fields)
    if len(memory) > MAX_NODES:
        fields.fault("memoryOnlyNodes", f"makes {len(memory)} NUMA nodes", f"at most {MAX_NODES}")
    if fields.sound:
        refuse_repeats((node.node for node in memory), "memoryOnlyNodes", fields)
    for node in sorted(set(near.values()) - set(nodes)) if fields.sound else ():
        fields.fault("memoryOnlyNodes", f"the machine has no CPUs on NUMA node {node}")
    return tuple(sorted(memory, key=lambda node: node.node)), near


def _without_cpus(form: MemoryOnlyForm, path: str, near: _Near, fields: Fields) -> list[MemoryNode]:
    nodes = list(iter_bits(id_bits(form.nodes, f"{path}.nodes", fields)))
    if form.near is not None:
        neighbours = list(iter_bits(id_bits(form.near, f"{path}.near", fields)))
        if len(neighbours) not in (1, len(nodes)):
            fields.fault(f"{path}.near", f"names {len(neighbours)} NUMA nodes", f"1 or {len(nodes)}")
        near.update(zip(nodes, neighbours * (len(nodes) if len(neighbours) == 1 else 1), strict=False))
    sizes = _per_node(form.memory, nodes, f"{path}.memory", fields)
    paths = (f"{path}.memory", f"{path}.hugepages")
    return [_node(node, size, form.hugepages, paths, fields) for node, size in zip(nodes, sizes, strict=False)]


def _per_node(value: _Value | list[_Value], nodes: Sequence[int], path: str, fields: Fields) -> list[_Value]:
    """Return one value per node, from one for all or a list."""
    if not isinstance(value, list):
        return [value] * len(nodes)
    if fields.sound and len(value) != len(nodes):
        fields.fault(path, f"has {len(value)} entries", f"one for all, or one for each of {len(nodes)} NUMA nodes")
    return value


def _node(
    node: int, size: int | str | None, pages: Mapping[str, int] | None, paths: tuple[str, str], fields: Fields
) -> MemoryNode:
    """Return a node's memory; ``paths`` are those of the size and of the pages."""
    memory = _size_in_bytes(size, paths[0], fields) if isinstance(size, str) else size
    hugepages = page_counts(pages, paths[1], fields)
    if fields.sound and memory is not None:
        held = sum(_size_in_bytes(page, paths[1], fields) * count for page, count in hugepages.items())
        if held > memory:
            fields.fault(paths[1], f"hold {held} bytes, more than the {memory} of NUMA node {node}")
    return MemoryNode(node, memory, hugepages)


def _size_in_bytes(text: str, path: str, fields: Fields) -> int:
    """Return the bytes of ``512Gi`` or ``62.5Gi``, rounded down to kB, as the kernel tells them."""
    if not re.fullmatch(SIZE, text):
        fields.fault(path, f"is {text!r}", SIZES)
        return 0
    whole, _, part = text[:-2].partition(".")
    unit = UNITS[text[-2:]]
    return (int(whole) * unit + (int(part) * unit // 10 ** len(part) if part else 0)) // 1024 * 1024


def _distances(
    form: str | list[list[int]] | DistancesForm,
    cpus: Sequence[Cpu],
    memory: Sequence[MemoryNode],
    near: _Near,
    fields: Fields,
) -> tuple[tuple[int, ...], ...] | None:
    if isinstance(form, str):  # "none"
        return None
    if isinstance(form, list):
        refuse_crooked_distances(form, memory, fields)
        return tuple(map(tuple, form))
    sockets: dict[int, set[int]] = {}
    for cpu in cpus:
        sockets.setdefault(cpu.numa, set()).add(cpu.socket)
    for node, neighbour in near.items():
        sockets[node] = sockets.get(neighbour, set())
    ids = [node.node for node in memory]
    return tuple(tuple(_distance(form, row, column, sockets, near) for column in ids) for row in ids)


def _distance(form: DistancesForm, row: int, column: int, sockets: Mapping[int, set[int]], near: _Near) -> int:
    if row == column:
        return form.itself
    if near.get(row) == column or near.get(column) == row:
        return form.socket if form.near is None else form.near
    return form.socket if sockets.get(row, set()) & sockets.get(column, set()) else form.remote


def expand_devices(
    forms: Sequence[CompactDeviceForm] | None, nodes: Sequence[int], fields: Fields
) -> tuple[Device, ...]:
    """Return the devices: one by its id, ``count`` of one kind, or ``perNuma`` on each NUMA node with CPUs.

    Devices without an id are numbered within their resource: ``gpu-0`` for ``example.com/gpu``.
    """
    numbered: dict[str, int] = {}
    devices: list[Device] = []
    for index, form in enumerate(forms or ()):
        _refuse_doubled(form, f"devices[{index}]", fields)
        places = _places(form, nodes)
        first = numbered.get(form.resource, 0)
        if form.id is None:
            numbered[form.resource] = first + len(places)
        if sum(numbered.values()) > MAX_DEVICES:
            fields.fault(f"devices[{index}]", f"makes more than {MAX_DEVICES} devices")
            break
        kind = form.resource.rpartition("/")[2]
        devices += [
            Device(form.resource, form.id or f"{kind}-{first + at}", place, form.healthy)
            for at, place in enumerate(places)
        ]
    return tuple(devices)


def _places(form: CompactDeviceForm, nodes: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the NUMA nodes of each device of an entry."""
    if form.per_numa is not None:
        return [(node,) for node in nodes for _ in range(form.per_numa)]
    return [(form.numa,) if isinstance(form.numa, int) else tuple(form.numa or ())] * (form.count or 1)


def _refuse_doubled(form: CompactDeviceForm, path: str, fields: Fields) -> None:
    ways = {"id": form.id, "count": form.count, "perNuma": form.per_numa}
    named = [key for key, value in ways.items() if value is not None]
    if len(named) > 1:
        fields.fault(path, f"has {' and '.join(named)}", "one of them")
    if form.per_numa is not None and form.numa is not None:
        fields.fault(f"{path}.numa", "cannot be combined with perNuma")
