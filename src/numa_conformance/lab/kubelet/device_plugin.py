"""The machine's devices, told to the kubelet by device plugins (v1beta1)."""

import threading
from collections.abc import Iterator
from typing import Any

import grpc

from ...machine import Device, Machine
from ..kubelet_apis.interfaces import DEVICE_PLUGINS, ask, serve, service


class FakeDevicePlugin:
    """The plugin of one resource. It prefers the lowest ids where the machine says so."""

    def __init__(self, resource: str, devices: list[Device], folder: str, *, prefers: bool) -> None:
        """Serve on a socket in ``folder``, the kubelet's of device plugins."""
        self.resource = resource
        self._devices = devices
        self._prefers = prefers
        self._folder = folder
        self._ended = threading.Event()
        self._name = f"{resource.replace('/', '_')}.sock"
        self._server: grpc.Server | None = None

    def register(self) -> None:
        """Serve, and tell the kubelet, which has removed what sockets it found when it started."""
        self.close()
        self._ended = threading.Event()
        methods = {
            "GetDevicePluginOptions": lambda request, context: self._options(),
            "ListAndWatch": self._list,
            "GetPreferredAllocation": self._prefer,
            "Allocate": self._allocate,
            "PreStartContainer": lambda request, context: DEVICE_PLUGINS.Empty(),
        }
        self._server = serve(f"{self._folder}/{self._name}", service(DEVICE_PLUGINS, "DevicePlugin", methods))
        registration = DEVICE_PLUGINS.RegisterRequest(
            version="v1beta1", endpoint=self._name, resource_name=self.resource, options=self._options()
        )
        ask(f"{self._folder}/kubelet.sock", DEVICE_PLUGINS, "Registration/Register", registration, "Empty")

    def close(self) -> None:
        """Stop serving."""
        self._ended.set()
        if self._server is not None:
            self._server.stop(None)

    def _options(self) -> Any:
        return DEVICE_PLUGINS.DevicePluginOptions(get_preferred_allocation_available=self._prefers)

    def _list(self, request: Any, context: object) -> Iterator[Any]:
        messages, devices = DEVICE_PLUGINS, []
        for device in self._devices:
            nodes = [messages.NUMANode(ID=node) for node in device.numa]
            topology = messages.TopologyInfo(nodes=nodes) if nodes else None
            health = "Healthy" if device.healthy else "Unhealthy"
            devices.append(messages.Device(ID=device.id, health=health, topology=topology))
        yield messages.ListAndWatchResponse(devices=devices)
        self._ended.wait()

    def _prefer(self, request: Any, context: object) -> Any:
        responses = []
        for container in request.container_requests:
            included = sorted(container.must_include_deviceIDs)
            others = sorted(set(container.available_deviceIDs) - set(included))
            chosen = [*included, *others][: container.allocation_size]
            responses.append(DEVICE_PLUGINS.ContainerPreferredAllocationResponse(deviceIDs=chosen))
        return DEVICE_PLUGINS.PreferredAllocationResponse(container_responses=responses)

    def _allocate(self, request: Any, context: object) -> Any:
        answers = [DEVICE_PLUGINS.ContainerAllocateResponse() for _ in request.container_requests]
        return DEVICE_PLUGINS.AllocateResponse(container_responses=answers)


def plugins_of(machine: Machine, folder: str) -> list[FakeDevicePlugin]:
    """Return a plugin for each resource of the machine."""
    by_resource: dict[str, list[Device]] = {}
    for device in machine.devices:
        by_resource.setdefault(device.resource, []).append(device)
    prefers = machine.preferred_allocation.get
    return [
        FakeDevicePlugin(resource, devices, folder, prefers=prefers(resource) is not None)
        for resource, devices in sorted(by_resource.items())
    ]
