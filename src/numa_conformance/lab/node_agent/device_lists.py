"""What a device plugin lists, read as a kubelet reads it and no further: plugins are programs of others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Any

from ...reference.managers.device import ResourceDevices

MOST_DEVICES = 16384
_LONGEST_ID = 63
"""Characters of an id by the documentation, which a kubelet does not enforce (DEV-MODEL-01)."""


class ListRefused(Exception):  # noqa: N818  (the plugin's fault, which is told)
    """A list that is not taken; the former one stands."""


def read_list(listed: Iterable[Any], numa_ids: Collection[int]) -> tuple[ResourceDevices, list[str]]:
    """Return the devices of a list, and what is wrong with it in a line each; raises ``ListRefused``.

    Nodes that the machine lacks are kept as those of a kubelet are: they match nothing (DEV-MODEL-09).
    """
    devices = list(listed)
    if len(devices) > MOST_DEVICES:
        raise ListRefused(f"lists {len(devices)} devices, of which {MOST_DEVICES} are taken at most")
    nodes: dict[str, tuple[int, ...] | None] = {}
    healthy: set[str] = set()
    faults: list[tuple[str, str]] = []
    for device in devices:
        name = device.ID
        if name in nodes:
            faults.append(("are listed more than once, of which the last counts", name))
        if len(name) > _LONGEST_ID:
            faults.append((f"have an id of more than {_LONGEST_ID} characters", name))
        if device.health not in ("Healthy", "Unhealthy"):
            faults.append(("are neither Healthy nor Unhealthy, which counts as unhealthy", name))
        ids = {node.ID for node in device.topology.nodes}
        if ids - set(numa_ids):
            faults.append(("name a NUMA node that the machine does not have", name))
        nodes[name] = tuple(sorted(ids)) if device.HasField("topology") else None
        healthy.discard(name)
        if device.health == "Healthy":
            healthy.add(name)
    return ResourceDevices(nodes, frozenset(healthy)), list(_sentences(faults))


def _sentences(faults: list[tuple[str, str]]) -> Iterable[str]:
    first: dict[str, str] = {}
    for what, name in faults:
        first.setdefault(what, name)
    for what, count in Counter(what for what, _ in faults).items():
        yield f"{count} of its devices {what}, the first of them {first[what]!r}"
