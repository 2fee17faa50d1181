"""Which devices a container gets: reusable ones first, then those near the affinity (DEV-ALLOC-04..10)."""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from ....sources.quirks.device import DeviceQuirks
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
    """Return the first ``count`` ids that are allowed, each once."""
    return list(dict.fromkeys(device for device in ids if device in allowed))[:count]


class ResourcePlugin(Protocol):
    """The plugin of one resource. Where it fails to answer the pod is refused: both raise ``Refusal``."""

    @property
    def preference(self) -> Preference | None:
        """What it prefers, None where it says that it prefers nothing (DEV-ALLOC-09)."""

    def allocate(self, ids: Sequence[str]) -> bytes:
        """Tell it what a container is given, and return its answer for that container, as sent (DEV-ALLOC-11)."""
