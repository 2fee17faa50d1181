"""The reference of the surface ``plugin``: the devices of a machine, offered as a device plugin offers them.

On a machine without devices it offers two of each NUMA node.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import Fault, UsageError
from ..machine import Device, Machine
from .messages.plugin import (
    AllocateDevices,
    DevicesAllocated,
    OfferedDevice,
    PluginRefused,
    PluginStarted,
    PreferDevices,
    Preferred,
)

__all__ = ["PluginOfMachine"]

_RESOURCE, _EACH = "example.com/device", 2


class PluginOfMachine:
    """Offers the devices of one resource, and prefers those that are near each other."""

    def __init__(self, machine: Machine | None) -> None:
        """Take the machine; None: the plugin was not started."""
        self._up = machine is not None
        devices = (machine.devices or tuple(_made_up(machine))) if machine else ()
        self._resource = min((device.resource for device in devices), default=_RESOURCE)
        self._devices: dict[str, Device] = {
            device.id: device for device in devices if device.resource == self._resource
        }

    def started(self) -> PluginStarted:
        """Register and list."""
        self._check()
        offered = [
            OfferedDevice(id, "Healthy" if device.healthy else "Unhealthy", list(device.numa) or None)
            for id, device in self._devices.items()
        ]
        return PluginStarted(self._resource, offered, prefers=True, serves=True)

    def prefer(self, asked: PreferDevices) -> Preferred | PluginRefused:
        """Choose what must be included, then what shares NUMA nodes with it, then the lowest ids."""
        self._check()
        others = sorted(set(asked.available) - set(asked.included))
        chosen = [*asked.included]
        while others and len(chosen) < asked.size:
            near = {node for id in chosen for node in self._nodes(id)}
            nearest = min(others, key=lambda id: (not near & self._nodes(id), id))
            others.remove(nearest)
            chosen.append(nearest)
        if len(chosen) != asked.size:
            return PluginRefused(f"{len(chosen)} devices cannot be {asked.size}")
        return Preferred(chosen)

    def allocate(self, asked: AllocateDevices) -> DevicesAllocated | PluginRefused:
        """Serve what is offered."""
        self._check()
        strange = [id for id in asked.devices if id not in self._devices]
        return PluginRefused(f"there are no devices {', '.join(strange)}") if strange else DevicesAllocated(1)

    def _nodes(self, id: str) -> set[int]:
        return set(self._devices[id].numa) if id in self._devices else set()

    def _check(self) -> None:
        if not self._up:
            raise UsageError(Fault("", "no plugin was started", "plugin.start first"))


def _made_up(machine: Machine) -> Iterator[Device]:
    for node in machine.numa_ids:
        yield from (Device(_RESOURCE, f"{node}-{index}", (node,)) for index in range(_EACH))
