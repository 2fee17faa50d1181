"""Which devices a container gets, and which NUMA nodes are hinted for them (DEV-ALLOC-04..10, DEV-HINT-04..08)."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from ....cpuset import union
from ....errors import Refusal
from ....sources.quirks.areas import DeviceQuirks
from ..compressed_hints import LISTED, CompressedHints, subsets_by_size
from ..hint import Hint
from .device_state import NO_NODE, ResourceDevices

Preference = Callable[[frozenset[str], frozenset[str], int], Iterable[str]]
"""A plugin's preferred allocation: (available, must include, size) to ids."""


def lowest_ids(available: frozenset[str], required: frozenset[str], size: int) -> list[str]:
    """Prefer what must be there, then the lowest ids in plain string order."""
    return [*sorted(required), *sorted(available - required)][:size]


def choose(
    devices: ResourceDevices,
    free: frozenset[str],
    reusable: frozenset[str],
    count: int,
    mask: int | None,
    preference: Preference | None,
    quirks: DeviceQuirks,
) -> frozenset[str] | int:
    """Return ``count`` devices, or how many are still needed when there are too few free ones.

    Without the quirk ``devices-without-topology-never-count`` a device without topology is as good as an aligned one.
    """
    taken = set(sorted(reusable)[:count])
    need = count - len(taken)
    if not need:
        return frozenset(taken)
    if len(free) < need:
        return need
    free = free - taken
    as_kubelet = quirks.devices_without_topology_never_count
    aligned, unaligned, anywhere = _by_affinity(devices, free, mask, {NO_NODE} if as_kubelet else set())
    if not as_kubelet and mask is not None:
        aligned, anywhere = aligned | anywhere, frozenset()
    if need < len(aligned):
        pool = aligned
    else:
        taken |= aligned
        pool = free
        need -= len(aligned)
    if need and preference is not None:
        required = frozenset(taken)
        wanted = preference(pool | required, required, count)
        taken |= set(_first(wanted, pool - taken, need))
    rest = [aligned, unaligned, anywhere] if pool is free else [aligned]
    for group in rest:
        taken |= set(_first(sorted(group), group - taken, count - len(taken)))
    return frozenset(taken)


def _by_affinity(
    devices: ResourceDevices, free: frozenset[str], mask: int | None, nowhere: set[int]
) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Split free devices into aligned, unaligned, and without affinity (DEV-ALLOC-06).

    ``nowhere``: a kubelet takes node -1 for its own word for no topology.
    """
    if mask is None or not devices.aware:
        return frozenset(), frozenset(), free
    aligned = frozenset(device for device in free if devices.masks[device] & mask)
    anywhere = frozenset(device for device in free if nowhere.issuperset(devices.nodes[device] or ()))
    return aligned, free - aligned - anywhere, anywhere


def _first(ids: Iterable[str], allowed: frozenset[str] | set[str], count: int) -> list[str]:
    return list(dict.fromkeys(device for device in ids if device in allowed))[:count]


class ResourcePlugin(Protocol):
    """The plugin of one resource. Where it fails to answer the pod is refused: both raise ``Refusal``."""

    @property
    def preference(self) -> Preference | None:
        """What it prefers, None where it says that it prefers nothing (DEV-ALLOC-09)."""

    def allocate(self, ids: Sequence[str]) -> bytes:
        """Tell it what a container is given, and return its answer for that container, as sent (DEV-ALLOC-11)."""


FAILS = "fails"
"""What a plugin prefers that has an error for each call."""
_ERROR = "rpc error: code = Unknown desc = the device plugin fails"


class FailingPlugin:
    """A plugin that has an error for each call."""

    def preference(self, *_: object) -> Iterable[str]:
        """Fail as the kubelet tells it (DEV-ALLOC-09)."""
        raise Refusal.unexpected(f"device plugin GetPreferredAllocation rpc failed with err: {_ERROR}")

    def allocate(self, ids: Sequence[str]) -> bytes:
        """Fail as well."""
        raise Refusal.unexpected(_ERROR)


@dataclass(frozen=True)
class DevicePools:
    """The devices that may be given: free ones, and those that an init container of the pod leaves for reuse."""

    available: frozenset[str]
    reusable: frozenset[str]


def device_hints(
    devices: ResourceDevices, pools: DevicePools, count: int, numa_ids: Sequence[int], quirks: DeviceQuirks
) -> list[Hint] | CompressedHints:
    """Return the hints of one topology-aware resource; an empty list when nothing can hold the request.

    A hint is preferred when no smaller number of NUMA nodes could hold the request with every device there and free.
    """
    masks, nodes = devices.masks, devices.nodes
    as_kubelet = quirks.devices_without_topology_never_count
    loose = devices.suiting_all(quirks)
    loose_free = sum(1 for device in pools.available | pools.reusable if not nodes.get(device)) if loose else 0
    every = Counter(mask for mask in masks.values() if mask)
    reusable = {masks[id] for id in pools.reusable if (ids := nodes.get(id)) or (as_kubelet and ids is not None)}
    usable = Counter(mask for device in pools.available | pools.reusable if (mask := masks.get(device, 0)))

    def capable(mask: int) -> bool:
        return loose + sum(number for near, number in every.items() if near & mask) >= count

    holding: set[int] = set()

    def available(mask: int) -> bool:
        if mask & (mask - 1) in holding or (
            all(near & mask for near in reusable)
            and loose_free + sum(number for near, number in usable.items() if near & mask) >= count
        ):
            holding.add(mask)  # what contains it holds the request too
            return True
        return False

    if len(numa_ids) > LISTED:
        touched = union(every)
        relevant = [node for node in numa_ids if touched >> node & 1]
        free = [node for node in numa_ids if not touched >> node & 1]
        return CompressedHints.build(relevant, free, capable, available) or []
    return _listed(numa_ids, capable, available)


def _listed(numa_ids: Sequence[int], capable: Callable[[int], bool], available: Callable[[int], bool]) -> list[Hint]:
    narrowest = len(numa_ids)
    usable = []
    for mask in subsets_by_size(numa_ids):
        size = mask.bit_count()
        if size < narrowest and capable(mask):
            narrowest = size
        if available(mask):
            usable.append(mask)
    return [Hint(mask, mask.bit_count() == narrowest) for mask in usable]
