"""What if: how pods fare with another configuration or version, pod by pod."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from ...cpuset import bit_of, bits_of, format_bits, union
from ...machine import Machine
from ..node import AdmissionResult, Placement

Change = Literal[
    "admitted", "refused", "resized", "unresized", "reason", "pinned", "unpinned", "moved", "aligned", "unaligned"
]

CHANGES: tuple[Change, ...] = get_args(Change)


@dataclass(frozen=True)
class PodChange:
    """One pod before and after, and what is different; nothing where it fares as before."""

    uid: str
    before: AdmissionResult
    after: AdmissionResult
    changes: tuple[Change, ...]


def pod_change(machine: Machine, before: AdmissionResult, after: AdmissionResult) -> PodChange:
    """Compare what became of a pod on two nodes of a machine."""
    return PodChange(before.uid, before, after, tuple(_changes(machine, before, after)))


def _changes(machine: Machine, before: AdmissionResult, after: AdmissionResult) -> Iterator[Change]:
    if not (before.admitted and after.admitted):
        if before.admitted != after.admitted:
            if before.resize and after.resize:
                yield "resized" if after.admitted else "unresized"
            else:
                yield "admitted" if after.admitted else "refused"
        elif before.reason != after.reason:
            yield "reason"
        return
    pairs = [
        (held, holds)
        for name, placed in after.placements.items()
        for held, holds in _pairs(before.placements.get(name), placed)
    ]
    if any(holds and not held for held, holds in pairs):
        yield "pinned"
    if any(held and not holds for held, holds in pairs):
        yield "unpinned"
    if any(held and holds and held != holds for held, holds in pairs):
        yield "moved"
    was, now = is_aligned(machine, before.placements), is_aligned(machine, after.placements)
    if was is not None and now is not None and was != now:
        yield "aligned" if now else "unaligned"


def _pairs(before: Placement | None, after: Placement) -> Iterator[tuple[object, object]]:
    """Yield what each manager gave before and after, in the values that answers tell."""
    left, right = ({} if placed is None else placed.holdings for placed in (before, after))
    for name in dict.fromkeys((*left, *right)):
        yield (left[name].to_answer() if name in left else None, right[name].to_answer() if name in right else None)


def is_aligned(machine: Machine, placements: Mapping[str, Placement]) -> bool | None:
    """Tell whether the CPUs, memory and devices of each container come from one NUMA node; None where it has none."""
    on_one_node = [is_on_one for placed in placements.values() if (is_on_one := _one_node(machine, placed)) is not None]
    return all(on_one_node) if on_one_node else None


def numa_nodes(machine: Machine, placed: Placement) -> str:
    """Return the NUMA nodes of what a container has, as a list; a device near to several is not counted."""
    return format_bits(union(_nearness(machine, placed, every=True)))


def _one_node(machine: Machine, placed: Placement) -> bool | None:
    nearness = list(_nearness(machine, placed, every=False))
    if not nearness:
        return None
    shared = -1
    for near in nearness:
        shared &= near
    return shared != 0


def _nearness(machine: Machine, placed: Placement, *, every: bool) -> Iterator[int]:
    """Yield the NUMA nodes, as bits, that each CPU, block of memory and device could be aligned to.

    With ``every`` those that each touches: a device of several nodes is near to all, memory of several lies on all.
    """
    for node, cpus in machine.numa_bits.items():
        if placed.cpus & cpus:
            yield bit_of(node)
    for block in placed.memory or ():
        bits = bits_of(block.nodes)
        yield bits if every or len(block.nodes) == 1 else 0
    near = {(device.resource, device.id): device.numa for device in machine.devices}
    for resource, ids in (placed.devices or {}).items():
        for device in ids:
            nodes = near.get((resource, device), ())
            if nodes and not (every and len(nodes) > 1):
                yield bits_of(nodes)
