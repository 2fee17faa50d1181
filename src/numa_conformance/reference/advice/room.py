"""What each NUMA node has left, and why the rest is not to be had."""

import math
from collections.abc import Collection, Iterable, Iterator

from ...cpuset import bits_of, format_bits
from ...kube.quantity import Quantity
from ..managers.cpu.static_policy import StaticPolicy
from ..node import Node

_SHORT = 6
_SUFFIXES = ((40, "Ti"), (30, "Gi"), (20, "Mi"), (10, "Ki"))


def gives_whole_cores(node: Node) -> bool:
    """Tell whether exclusive CPUs are whole cores on this node (``full-pcpus-only``)."""
    manager = node.providers.get("cpus")
    return isinstance(manager, StaticPolicy) and manager.options.full_pcpus_only


def free_cpus(node: Node) -> int:
    """Return the CPUs that the node can still give exclusively, none where it gives none."""
    pools = node.pools
    if pools.reserved is None:
        return 0
    free = pools.default & ~pools.reserved
    return free & ~_in_broken_cores(node, free) if gives_whole_cores(node) else free


def room_lines(node: Node, resources: Collection[str]) -> list[str]:
    """Say for each NUMA node what is left of these resources; nodes of which the same is to be said share a line.

    Only what the node's managers give out node by node is told: exclusive CPUs, pinned memory, devices.
    """
    by_text: dict[str, list[int]] = {}
    for number in node.machine.numa_ids:
        parts = [*_cpus(node, number, resources), *_memory(node, number, resources), *_devices(node, number, resources)]
        if parts:
            by_text.setdefault("; ".join(parts), []).append(number)
    return [f"{_nodes(numbers)}: {text}" for text, numbers in by_text.items()]


def _nodes(numbers: list[int]) -> str:
    listed = format_bits(bits_of(numbers))
    return f"NUMA node {listed}" if len(numbers) == 1 else f"NUMA nodes {listed}, each"


def _cpus(node: Node, number: int, resources: Collection[str]) -> Iterator[str]:
    cpus, pools = node.machine.numa_bits[number], node.pools
    if "cpu" not in resources or pools.reserved is None or not cpus:
        return
    free, reserved = cpus & free_cpus(node), cpus & pools.reserved
    lost = [
        (reserved, "reserved"),
        (cpus & ~pools.default & ~reserved, "held by pods"),
        (cpus & pools.default & ~reserved & ~free, "in cores that are not wholly free"),
    ]
    why = ", ".join(f"{bits.bit_count()} {what}" for bits, what in lost if bits)
    yield f"{free.bit_count()} of {cpus.bit_count()} CPUs free" + (f" ({why})" if why else "")


def _in_broken_cores(node: Node, free: int) -> int:
    return sum(core for core in node.machine.core_bits if core & ~free)


def _memory(node: Node, number: int, resources: Iterable[str]) -> Iterator[str]:
    books = node.pools.memory
    if books is None or number not in books:
        return
    for resource in resources:
        table = books[number].tables.get(resource)
        if table is not None:
            why = f" ({_bytes(table.system_reserved)} reserved)" if table.system_reserved else ""
            yield f"{_bytes(table.free)} of {_bytes(table.total)} {resource} free{why}"


def _bytes(number: int) -> str:
    """Write an amount as people read it: exactly where that is short, else rounded down to a tenth."""
    exact = str(Quantity(number, "binary"))
    if len(exact) <= _SHORT:
        return exact
    power, suffix = next((power, suffix) for power, suffix in _SUFFIXES if number >= 2**power)
    return f"{math.floor(number * 10 / 2**power) / 10}{suffix}"


def _devices(node: Node, number: int, resources: Collection[str]) -> Iterator[str]:
    held = _held_devices(node)
    for resource in dict.fromkeys(device.resource for device in node.machine.devices):
        if resource in resources:
            here = [
                device
                for device in node.machine.devices
                if device.resource == resource and number in (device.numa or (number,))
            ]
            free = [device for device in here if device.healthy and (resource, device.id) not in held]
            sick = sum(not device.healthy for device in here)
            yield f"{len(free)} of {len(here)} {resource} free" + (f" ({sick} unhealthy)" if sick else "")


def _held_devices(node: Node) -> set[tuple[str, str]]:
    return {
        (resource, id)
        for containers in node.state().pods.values()
        for placed in containers.values()
        for resource, ids in (placed.devices or {}).items()
        for id in ids
    }
