"""``NodeAgent``: a node with changing pods, and device plugins (DEV-API). Several threads call it; one changes it."""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import grpc

from ...errors import KubeletFails, Refusal, UsageError
from ...kube.pod import Pod
from ...kube.requests import pod_requests
from ...kube.resource_names import is_extended
from ...reference.managers import device
from ...reference.managers.device import DeviceManager, Preference, ResourceDevices
from ...reference.managers.provider import MakeProvider
from ...reference.managers.registry import PROVIDERS
from ...reference.node import Node
from ...reference.node.results import NodePools, Placement
from ..kubelet_apis.interfaces import DEVICE_PLUGINS as V1BETA1
from ..kubelet_apis.interfaces import GrpcClient

Listed = Callable[["ConnectedPlugin", Any], None]
"""Called with each list of devices."""
Ended = Callable[["ConnectedPlugin", str], None]
"""Called with the reason when no more lists come."""


class CannotConnect(Exception):  # noqa: N818  (the plugin's fault, which it is told)
    """Nobody serves on the plugin's socket, or not this."""


class ConnectedPlugin:
    """The plugin of one resource, which has registered."""

    DIAL_SECONDS = 10
    CALL_SECONDS = 10
    PRE_START_SECONDS = 30

    def __init__(self, resource: str, socket: str) -> None:
        """Connect, and ask for its options: those it registered with do not count. Raises ``CannotConnect``."""
        self.resource = resource
        self._client = GrpcClient(socket, V1BETA1)
        self._stream: Any = None
        try:
            if not self._client.wait(self.DIAL_SECONDS):
                raise CannotConnect("failed to dial device plugin: context deadline exceeded")
            self._options = self._ask("GetDevicePluginOptions", V1BETA1.Empty(), "DevicePluginOptions")
        except grpc.RpcError as error:
            self._client.close()
            raise CannotConnect(f"failed to get device plugin options: {go_error(error)}") from error
        except CannotConnect:
            self._client.close()
            raise

    def watch(self, listed: Listed, ended: Ended) -> None:
        """Follow the lists of its devices, on a thread of its own."""
        self._stream = self._client.watch("DevicePlugin/ListAndWatch", V1BETA1.Empty(), "ListAndWatchResponse")

        def follow() -> None:
            why = "the stream of devices ended"
            try:
                for response in self._stream:
                    listed(self, response.devices)
            except grpc.RpcError as error:
                why = go_error(error)
            ended(self, why)

        threading.Thread(target=follow, name=f"devices of {self.resource}", daemon=True).start()

    @property
    def preference(self) -> Preference | None:
        """What it prefers, where its options say that it can be asked."""
        return self._prefer if self._options.get_preferred_allocation_available else None

    def allocate(self, ids: Sequence[str]) -> bytes:
        """Tell it what a container is given; raises ``Refusal``."""
        request = V1BETA1.AllocateRequest(container_requests=[V1BETA1.ContainerAllocateRequest(devices_ids=ids)])
        try:
            reply = self._ask("Allocate", request, "AllocateResponse")
        except grpc.RpcError as error:
            raise Refusal.unexpected(go_error(error)) from error
        if not reply.container_responses:
            empty = "&AllocateResponse{ContainerResponses:[]*ContainerAllocateResponse{},}"
            raise Refusal.unexpected(f"no containers return in allocation response {empty}")
        answer: bytes = reply.container_responses[0].SerializeToString(deterministic=True)
        return answer

    def pre_start(self, ids: Sequence[str]) -> str | None:
        """Tell it, if it wants to know, that a container starts; return what went wrong."""
        if not self._options.pre_start_required:
            return None
        request = V1BETA1.PreStartContainerRequest(devices_ids=ids)
        try:
            self._ask("PreStartContainer", request, "", self.PRE_START_SECONDS)
        except grpc.RpcError as error:
            return f"device plugin PreStartContainer rpc failed with err: {go_error(error)}"
        return None

    def close(self) -> None:
        """End the connection."""
        self._client.close()

    def _prefer(self, available: frozenset[str], required: frozenset[str], size: int) -> Iterable[str]:
        wish = V1BETA1.ContainerPreferredAllocationRequest(
            available_deviceIDs=sorted(available), must_include_deviceIDs=sorted(required), allocation_size=size
        )
        request = V1BETA1.GetPreferredAllocationRequest(container_requests=[wish])
        try:
            reply = self._ask("GetPreferredAllocation", request, "PreferredAllocationResponse")
        except grpc.RpcError as error:
            text = f"device plugin GetPreferredAllocation rpc failed with err: {go_error(error)}"
            raise Refusal.unexpected(text) from error
        return list(reply.container_responses[0].deviceIDs) if reply.container_responses else []

    def _ask(self, method: str, request: Any, answer: str, seconds: float | None = None) -> Any:
        return self._client.ask(f"DevicePlugin/{method}", request, answer, seconds or self.CALL_SECONDS)


def go_error(error: Any) -> str:
    """Return an error of a call as a kubelet words it."""
    words = error.code().name.lower().split("_")
    name = "Canceled" if words == ["cancelled"] else "".join(map(str.capitalize, words))
    return f"rpc error: code = {name} desc = {error.details()}"


Plugins = dict[str, ConnectedPlugin]
"""The device plugins that have registered, by resource."""

Tell = Callable[[str], None]
"""Takes one line for the person who runs the agent."""
_LONGEST = 400


def line(text: str) -> str:
    """Return a text of others as one line of bounded length."""
    words = " ".join(text[: 2 * _LONGEST].split())
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 3]}..."


def providers_with(plugins: Plugins) -> list[MakeProvider]:
    """Return the managers of a node with real device plugins."""
    return [partial(device.provide, plugins=plugins) if make is device.provide else make for make in PROVIDERS]


@dataclass(frozen=True)
class NodeView:
    """The node as it was after a change: what is read while it decides, which may wait for a device plugin."""

    pods: tuple[Pod, ...]
    refused: tuple[Pod, ...]
    placements: Mapping[str, Mapping[str, Placement]]
    pools: NodePools
    devices: Mapping[str, ResourceDevices]


class NodeAgent:
    """Keeps a node at the pods that are wanted.

    ``lock`` is held by whoever changes ``node`` or ``plugins``; ``view`` is for those who read. As with a kubelet, a
    pod that was refused is asked for again only when it is another one.
    """

    def __init__(self, node: Node, tell: Tell, plugins: Plugins | None = None) -> None:
        """Take a node without pods, and the plugins that it was made with."""
        self.node = node
        self.plugins: Plugins = {} if plugins is None else plugins
        self.lock = threading.RLock()
        self._refused: dict[str, Pod] = {}
        self._tell = tell
        self._wanted: list[Pod] = []
        self._pods: dict[str, Pod] = {}
        self._waiting: dict[str, str] = {}
        self.view = self._view()

    def want(self, pods: Sequence[Pod]) -> None:
        """Remove pods that are missing here or have changed, and admit the new ones in order."""
        with self.lock:
            self._wanted = list(pods)
            by_uid = {pod.uid: pod for pod in pods}
            for uid, pod in list(self._pods.items()):
                if by_uid.get(uid) != pod:
                    del self._pods[uid]
                    if self._refused.pop(uid, None) is None:
                        self.node.remove(uid)
                        self._tell(f"{_name(pod)} removed")
            self._admit_new()

    def offer(self, resource: str, devices: ResourceDevices | None) -> None:
        """Have these be the devices of a resource, None for no such resource; pods that waited for them are admitted.

        The checkpoint is written at each list (DEV-MODEL-02).
        """
        with self.lock:
            manager = self.devices
            if devices is None:
                manager.inventory.resources.pop(resource, None)
            else:
                manager.inventory.resources[resource] = devices
            self.node.write_files({manager.state_file.name: manager.state_file.content()()})
            self._admit_new()

    def _admit_new(self) -> None:
        """Admit what is wanted and not yet asked for: a pod waits until someone offers the devices that it asks for.

        A scheduler sends no pod to a node that lacks them, and a kubelet would not look at them (DEV-MODEL-05).
        """
        for pod in self._wanted:
            if pod.uid in self._pods:
                continue
            if self.plugins:  # which may be slow to answer, while others read
                self.view = self._view()
            known = self.devices.inventory.resources
            missing = ", ".join(sorted(name for name in pod_requests(pod) if is_extended(name) and name not in known))
            if not missing:
                self._admit(pod)
            elif self._waiting.get(pod.uid) != missing:
                self._tell(f"{_name(pod)} waits: nobody offers {line(missing)}")
                self._waiting[pod.uid] = missing
        self._waiting = {pod.uid: self._waiting[pod.uid] for pod in self._wanted if pod.uid in self._waiting}
        self.view = self._view()

    def _view(self) -> NodeView:
        state = self.node.state()
        devices = dict(self.devices.inventory.resources)
        return NodeView(tuple(self.node.pods.values()), tuple(self._refused.values()), state.pods, state.pools, devices)

    @property
    def devices(self) -> DeviceManager:
        """The node's Device Manager."""
        manager = self.node.providers["devices"]
        assert isinstance(manager, DeviceManager)
        return manager

    def _admit(self, pod: Pod) -> None:
        self._waiting.pop(pod.uid, None)
        self._pods[pod.uid] = pod
        try:
            outcome = self.node.admit(pod)
        except (KubeletFails, UsageError) as error:
            self._refuse(pod, str(error))
            return
        if not outcome.admitted:
            self._refuse(pod, f"{outcome.reason}: {outcome.message}")
            return
        self._tell(f"{_name(pod)} admitted")
        fault = self._pre_start(pod)
        if fault is None:
            self.node.run(pod.uid)
        else:
            self._tell(f"{_name(pod)} cannot start: {line(fault)}")

    def _pre_start(self, pod: Pod) -> str | None:
        for container in pod.all_containers:
            for resource, ids in self.devices.allocated(pod.uid, container.name).items():
                plugin = self.plugins.get(resource)
                if plugin and (fault := plugin.pre_start(ids)):
                    return fault
        return None

    def _refuse(self, pod: Pod, why: str) -> None:
        self._refused[pod.uid] = pod
        self._tell(f"{_name(pod)} refused, {line(why)}")


def _name(pod: Pod) -> str:
    return line(f"{pod.namespace}/{pod.name}")
