"""The side of a kubelet that device plugins see: where they register, and who asks them (v1beta1)."""

import contextlib
import queue
import threading
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc

from ...wire.messages.plugin import (
    DevicesAllocated,
    OfferedDevice,
    PluginFailed,
    PluginRefused,
    PluginStarted,
    Preferred,
)
from ..kubelet_apis.interfaces import DEVICE_PLUGINS as V1BETA1
from ..kubelet_apis.interfaces import REGISTRATION, GrpcClient, ask, error_text, is_served, serve, service

VERSION = "v1beta1"
CONNECT_SECONDS = 3.0
_SHORT = 0.5


class KubeletOfPlugins:
    """Serves ``kubelet.sock`` in a folder, looks for sockets in another, and asks what registers, of one resource."""

    def __init__(self, folder: Path, registry: Path) -> None:
        """Take the folders, and remove what sockets lie in the first, as a kubelet that starts does."""
        for left in folder.iterdir():
            left.unlink()
        self._folder, self._registry = folder, registry
        self._met: dict[str, tuple[Any, bool]] = {}
        self._registered: queue.SimpleQueue[tuple[Any, bool]] = queue.SimpleQueue()
        self._plugin: GrpcClient | None = None
        self._place = Path()
        self._lost: float | None = None
        self._lists: DeviceLists | None = None
        registration = service(V1BETA1, "Registration", {"Register": self._register})
        self._server: grpc.Server = serve(str(folder / "kubelet.sock"), registration)

    def _register(self, request: Any, context: grpc.ServicerContext) -> Any:
        if request.version != VERSION:
            self._registered.put((f"it speaks version {request.version!r}, not {VERSION}", False))
            context.abort(grpc.StatusCode.UNKNOWN, f'requested API version "{request.version}" is not supported')
        self._registered.put((request, is_served(str(self._folder / request.endpoint))))
        return V1BETA1.Empty()

    def met(self, seconds: float, turn: int = 0, resource: str = "") -> PluginStarted | PluginFailed | None:
        """Wait for a plugin, and ask what it offers; None where none has registered in this time.

        Of several resources one by turns is asked for, or ``resource`` alone, where one is named.
        """
        met = self._met
        with contextlib.suppress(queue.Empty):
            while resource not in met:
                request, serves = self._registered.get(timeout=_SHORT if met else seconds)
                if isinstance(request, str):
                    return PluginFailed(request)
                met[request.resource_name] = request, serves
        met |= self._watched()
        name = resource or (sorted(met)[turn % len(met)] if met else "")
        if name not in met:
            return None
        request, serves = met[name]
        self._place = self._folder / request.endpoint
        self._plugin = GrpcClient(str(self._place), V1BETA1)
        try:
            return self._offer(request, serves=serves)
        except grpc.RpcError as error:
            return PluginFailed(f"after it has registered: {error_text(error)}")

    def _watched(self) -> dict[str, tuple[Any, bool]]:
        """Return what device plugins register by sockets of their own, as a kubelet's plugin watcher finds them."""
        plugins: dict[str, tuple[Any, bool]] = {}
        for socket_ in sorted(map(str, self._registry.rglob("*.sock"))):
            with contextlib.suppress(grpc.RpcError):  # one that has ended leaves its socket
                info = ask(socket_, REGISTRATION, "Registration/GetInfo", REGISTRATION.Empty(), "PluginInfo")
                if info.type != "DevicePlugin" or VERSION not in info.supported_versions:
                    continue
                status = REGISTRATION.RegistrationStatus(plugin_registered=True)
                ask(socket_, REGISTRATION, "Registration/NotifyRegistrationStatus", status, "Empty")
                place = self._registry / Path(info.endpoint).name if info.endpoint else socket_
                request = V1BETA1.RegisterRequest(endpoint=str(place), resource_name=info.name)
                plugins[info.name] = request, is_served(str(place))
        return plugins

    def _offer(self, request: Any, *, serves: bool) -> PluginStarted | PluginFailed:
        assert self._plugin is not None
        if not self._plugin.wait(CONNECT_SECONDS):
            return PluginFailed(f"nobody serves on its socket {request.endpoint!r}")
        options = self._plugin.ask("DevicePlugin/GetDevicePluginOptions", V1BETA1.Empty(), "DevicePluginOptions")
        stream = self._plugin.watch("DevicePlugin/ListAndWatch", V1BETA1.Empty(), "ListAndWatchResponse")
        self._lists = DeviceLists(stream)
        devices = self._lists.first()
        if isinstance(devices, PluginFailed):
            return devices
        return PluginStarted(request.resource_name, devices, options.get_preferred_allocation_available, serves)

    def prefer(self, available: list[str], included: list[str], size: int) -> Preferred | PluginRefused:
        """Ask which devices the plugin prefers."""
        wish = V1BETA1.ContainerPreferredAllocationRequest(
            available_deviceIDs=available, must_include_deviceIDs=included, allocation_size=size
        )
        request = V1BETA1.GetPreferredAllocationRequest(container_requests=[wish])
        answer = self._ask("GetPreferredAllocation", request, "PreferredAllocationResponse")
        if isinstance(answer, PluginRefused):
            return answer
        ids = [id for container in answer.container_responses for id in container.deviceIDs]
        return Preferred(ids, self._later_lists())

    def allocate(self, devices: list[str]) -> DevicesAllocated | PluginRefused:
        """Tell the plugin which devices a container is given."""
        request = V1BETA1.AllocateRequest(container_requests=[V1BETA1.ContainerAllocateRequest(devices_ids=devices)])
        # A list that takes the devices back may be why it refuses, and on its way.
        answer = self._ask("Allocate", request, "AllocateResponse", list_seconds=_SHORT)
        if isinstance(answer, PluginRefused):
            return answer
        return DevicesAllocated(len(answer.container_responses), self._later_lists())

    def _ask(self, method: str, request: Any, answer: str, list_seconds: float = 0.0) -> Any:
        if self._plugin is None:
            return PluginRefused("no plugin has registered")
        try:
            return self._plugin.ask(f"DevicePlugin/{method}", request, answer)
        except grpc.RpcError as error:
            if error.code() is grpc.StatusCode.UNAVAILABLE:
                self._lost = time.monotonic()
            return PluginRefused(error_text(error), self._later_lists(list_seconds))

    def _later_lists(self, seconds: float = 0.0) -> list[list[OfferedDevice]]:
        return [] if self._lists is None else self._lists.later(seconds)

    @property
    def is_lost(self) -> bool:
        """Whether the connection to the plugin broke, and nobody serves on its socket, or might end yet."""
        since = self._lost
        return since is not None and (time.monotonic() < since + _SHORT or not is_served(str(self._place)))

    def forget(self) -> None:
        """Know no plugin, until one registers."""
        self._met.clear()
        if self._plugin is not None:
            self._plugin.close()
        self._plugin = self._lists = self._lost = None

    def close(self) -> None:
        """End."""
        if self._plugin is not None:
            self._plugin.close()
        self._server.stop(0).wait()


LIST_SECONDS, MORE_SECONDS = 3.0, 1.0
"""How long a first list is awaited, and one with devices behind a first one that has none."""
_MOST_LISTS = 16
"""Lists that are kept until the next answer tells them: older ones have been replaced by then."""

Devices = list[OfferedDevice]


class DeviceLists:
    """Reads each list on a thread, until the stream ends."""

    def __init__(self, stream: Iterator[Any]) -> None:
        self._stream = stream
        self._changed = threading.Condition()
        self._new: deque[Devices] = deque(maxlen=_MOST_LISTS)
        self._ended = False
        self._error: grpc.RpcError | None = None
        threading.Thread(target=self._read, name="lists of a device plugin", daemon=True).start()

    def _read(self) -> None:
        try:
            for answer in self._stream:
                with self._changed:
                    self._new.append([_device(device) for device in answer.devices])
                    self._changed.notify_all()
        except grpc.RpcError as error:
            self._error = error
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def first(self) -> Devices | PluginFailed:
        """Wait for a list, a while longer where it has no devices: a plugin may still be looking for them.

        Raises ``grpc.RpcError`` where the stream breaks before.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: self._new or self._ended, LIST_SECONDS):
                return PluginFailed(f"ListAndWatch sends no list within {LIST_SECONDS:g} s")
            if not self._new:
                if self._error is not None:
                    raise self._error
                return PluginFailed("ListAndWatch ends without a list")
            self._changed.wait_for(lambda: any(self._new) or self._ended, MORE_SECONDS)
        return self.later()[-1]

    def later(self, seconds: float = 0.0) -> list[Devices]:
        """Return the lists that have come since the last call; wait so long for one."""
        with self._changed:
            self._changed.wait_for(lambda: self._new or self._ended, seconds)
            lists = list(self._new)
            self._new.clear()
        return lists


def _device(device: Any) -> OfferedDevice:
    nodes = [node.ID for node in device.topology.nodes] if device.HasField("topology") else None
    return OfferedDevice(device.ID, device.health, nodes)
