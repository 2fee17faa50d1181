"""The reference of the surface ``plugin``: the devices of a machine, offered as a device plugin offers them.

A PCI device is called by its address.

On a machine without devices it offers two of each NUMA node.
"""

from collections.abc import Iterator, Mapping

from ...errors import require
from ...machine import Device, Machine, machine_from_dict
from ...machine.pci import pci_functions
from ...wire.messages import plugin

_RESOURCE, _EACH = "example.com/device", 2


class ReferencePlugin:
    """Offers the devices of one resource, and prefers those that are near each other."""

    _devices: Mapping[str, Device] | None = None

    def plugin_start(self, request: plugin.StartPlugin) -> plugin.PluginStarted | plugin.PluginFailed:
        """Offer the devices of a machine."""
        machine = machine_from_dict(request.machine, "machine")
        devices = machine.devices or tuple(_made_up(machine))
        self._resource = min((device.resource for device in devices), default=_RESOURCE)
        names = {each.place: each.address for each in pci_functions(machine) if not each.physical}
        self._devices = {
            names.get(device, device.id): device for device in devices if device.resource == self._resource
        }
        return self._offer()

    def plugin_restart(self, request: plugin.RestartKubelet) -> plugin.PluginStarted | plugin.PluginFailed:
        """Offer them again."""
        return self._offer()

    def _offer(self) -> plugin.PluginStarted:
        offered = [
            plugin.OfferedDevice(id, "Healthy" if device.healthy else "Unhealthy", list(device.numa) or None)
            for id, device in self._offered.items()
        ]
        return plugin.PluginStarted(self._resource, offered, prefers=True, serves=True)

    def plugin_prefer(self, request: plugin.PreferDevices) -> plugin.Preferred | plugin.PluginRefused:
        """Choose what must be included, then what shares NUMA nodes with it, then the lowest ids."""
        nodes = {id: set(device.numa) for id, device in self._offered.items()}
        others = sorted(set(request.available) - set(request.included))
        chosen = [*request.included]
        while others and len(chosen) < request.size:
            near = {node for id in chosen for node in nodes.get(id, ())}
            nearest = min(others, key=lambda id: (near.isdisjoint(nodes.get(id, ())), id))
            others.remove(nearest)
            chosen.append(nearest)
        if len(chosen) != request.size:
            return plugin.PluginRefused(f"{len(chosen)} devices cannot be {request.size}")
        return plugin.Preferred(chosen)

    def plugin_allocate(self, request: plugin.AllocateDevices) -> plugin.DevicesAllocated | plugin.PluginRefused:
        """Serve what is offered."""
        if strange := [id for id in request.devices if id not in self._offered]:
            return plugin.PluginRefused(f"there are no devices {', '.join(strange)}")
        return plugin.DevicesAllocated(1)

    @property
    def _offered(self) -> Mapping[str, Device]:
        return require(self._devices, "no plugin was started", "plugin.start")


def _made_up(machine: Machine) -> Iterator[Device]:
    for node in machine.numa_ids:
        yield from (Device(_RESOURCE, f"{node}-{index}", (node,)) for index in range(_EACH))
