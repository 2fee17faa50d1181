"""Hints for devices (DEV-HINT-04..08)."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ....sources.quirks.device import DeviceQuirks
from ..compressed_hints import LISTED, CompressedHints, subsets_by_size
from ..hint import Hint
from .device_state import ResourceDevices


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
    loose = 0 if as_kubelet else sum(1 for ids in nodes.values() if not ids)
    loose_free = sum(1 for device in pools.available | pools.reusable if not nodes.get(device)) if loose else 0
    every = Counter(mask for mask in masks.values() if mask)
    reusable = {masks[id] for id in pools.reusable if (ids := nodes.get(id)) or (as_kubelet and ids is not None)}
    usable = Counter(mask for device in pools.available | pools.reusable if (mask := masks.get(device, 0)))

    def capable(mask: int) -> bool:
        return loose + sum(number for near, number in every.items() if near & mask) >= count

    def available(mask: int) -> bool:
        if any(not near & mask for near in reusable):
            return False
        return loose_free + sum(number for near, number in usable.items() if near & mask) >= count

    if len(numa_ids) > LISTED:
        touched = 0
        for mask in every:
            touched |= mask
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
