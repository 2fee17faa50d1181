"""A device plugin as the agent speaks with it (DEV-API): every answer is awaited for a bounded time."""

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import grpc

from ...errors import Refusal
from ...reference.managers.device import Preference
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
        try:
            self._ask(
                "PreStartContainer", V1BETA1.PreStartContainerRequest(devices_ids=ids), "", self.PRE_START_SECONDS
            )
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
