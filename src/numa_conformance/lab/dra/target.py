"""An unmodified DRA driver as a target of the protocol, the surface ``claims``; and the kubelet's side that it sees."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

import grpc
from msgspec.structs import replace

from ...errors import NumaConformanceError
from ...wire.messages import claims as messages
from ...wire.messages.describe import Describe, Description
from ..daemon.daemon import HOST, LONGEST, Daemon
from ..kubelet_apis.interfaces import DRA, DRA_V1BETA1, REGISTRATION, GrpcClient, Package, ask, error_text

_SERVICES: dict[str, Package] = {"v1.DRAPlugin": DRA, "v1beta1.DRAPlugin": DRA_V1BETA1}
"""What a driver may say that it speaks, the newest first."""
_LOOK_SECONDS, _CONNECT_SECONDS = 0.01, 3.0


class DriverRefusedError(NumaConformanceError):
    """The driver answered with an error."""


class KubeletOfDrivers:
    """Looks into the folder where plugins register, and asks the first DRA driver there."""

    def __init__(self, root: Path, mount: str) -> None:
        """Take the kubelet's folder and where drivers see it, and make in it what they look for."""
        self._root, self._mount = root, mount
        self._registry = root / "plugins_registry"
        for folder in (self._registry, root / "plugins"):
            folder.mkdir(parents=True, exist_ok=True)
        self._driver: GrpcClient | None = None
        self._package = DRA

    def met(self, seconds: float) -> bool:
        """Wait for a driver; False where none has registered. Raises ``DriverRefusedError`` for what is none."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for socket in sorted(self._registry.glob("*.sock")):
                if self._register(str(socket)):
                    return True
            time.sleep(_LOOK_SECONDS)
        return False

    def _register(self, socket: str) -> bool:
        try:
            info = ask(socket, REGISTRATION, "Registration/GetInfo", REGISTRATION.Empty(), "PluginInfo")
        except grpc.RpcError:
            return False  # one that has ended leaves its socket
        spoken = next((name for name in _SERVICES if name in info.supported_versions), None)
        if info.type != "DRAPlugin" or spoken is None:
            offer = f"type {info.type!r}, versions {', '.join(info.supported_versions)}"
            raise DriverRefusedError(f"what registers is no DRA driver that speaks {' or '.join(_SERVICES)}: {offer}")
        self._package = _SERVICES[spoken]
        self._driver = GrpcClient(self._place_of(info.endpoint), self._package)
        if not self._driver.wait(_CONNECT_SECONDS):
            raise DriverRefusedError(f"nobody serves on its socket {info.endpoint!r}")
        status = REGISTRATION.RegistrationStatus(plugin_registered=True)
        ask(socket, REGISTRATION, "Registration/NotifyRegistrationStatus", status, "Empty")
        return True

    def _place_of(self, endpoint: str) -> str:
        try:
            return str(self._root / Path(endpoint).relative_to(self._mount))
        except ValueError:
            return endpoint

    def prepare(self, namespace: str, name: str, uid: str) -> list[str]:
        """Have a claim prepared; returns the CDI devices of its containers. Raises ``DriverRefusedError``."""
        answer = self._ask("NodePrepareResources", namespace, name, uid)
        return list(dict.fromkeys(id for device in answer.devices for id in device.cdi_device_ids))

    def unprepare(self, namespace: str, name: str, uid: str) -> None:
        """Have a claim unprepared; raises ``DriverRefusedError``."""
        self._ask("NodeUnprepareResources", namespace, name, uid)

    def _ask(self, method: str, namespace: str, name: str, uid: str) -> Any:
        if self._driver is None:
            raise DriverRefusedError("no driver has registered")
        request = self._package.of(f"{method}Request")()
        request.claims.add(namespace=namespace, name=name, uid=uid)
        try:
            response = self._driver.ask(f"DRAPlugin/{method}", request, f"{method}Response")
        except grpc.RpcError as error:
            raise DriverRefusedError(error_text(error)) from error
        answers = {entry.key: entry.value for entry in response.claims}
        if uid not in answers:
            raise DriverRefusedError(f"{method} answers nothing for the claim")
        if answers[uid].error:
            raise DriverRefusedError(answers[uid].error[:LONGEST])
        return answers[uid]

    def close(self) -> None:
        """Ask the driver no longer."""
        if self._driver is not None:
            self._driver.close()
        self._driver = None


CDI, KUBECONFIG, KUBELET, NODE, NRI, RESERVED = (
    "{cdi_folder}", "{kubeconfig}", "{kubelet_folder}", "{node_name}", "{nri_socket}", "{reserved_cpus}",
)  # fmt: skip
PLACEHOLDERS = (CDI, HOST, KUBECONFIG, KUBELET, NODE, NRI, RESERVED)
"""Words of a command that become values: folders, files, the node's name, the CPUs to leave alone."""
PLACES = {"kubelet": "/var/lib/kubelet", "cdi": "/var/run/cdi", "nri": "/var/run/nri"}
"""Folders, and where a driver without placeholders finds each."""


class Backend(Protocol):
    """Where the driver, a ``daemon``, runs. Methods raise ``DriverRefusedError`` where the driver fails or refuses."""

    daemon: Daemon

    @property
    def shared(self) -> dict[str, str] | None:
        """The CPUs of containers without a claim, by name; None where no plugin of NRI decides that."""

    def start(self, request: messages.StartDriver) -> list[dict[str, Any]]:
        """Start the driver on a machine without claims; returns the slices that it publishes."""

    def restart(self) -> list[dict[str, Any]]:
        """End the driver, and start it with the files that it has written; returns the slices."""

    def prepare(self, claim: Mapping[str, Any]) -> messages.ClaimPrepared:
        """Start a claim's container; returns what it has, and the claim where it was allocated here."""

    def unprepare(self, claim: messages.UnprepareClaim) -> None:
        """End a claim's container, and delete the claim."""

    def run(self, name: str) -> None:
        """Start a container without a claim."""

    def end(self, name: str) -> None:
        """End a container without a claim."""

    def close(self) -> None:
        """End all, and remove what was made."""


class DraTarget:
    """Answers the surface ``claims`` by a driver behind a backend."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def describe(self, request: Describe) -> Description:
        """Say which driver this is; without a placeholder for them it reserves no CPUs."""
        daemon = self._backend.daemon
        features = set(messages.FEATURES) - (set() if daemon.names(RESERVED) else {"claims/reserved"})
        return daemon.described("claims", sorted(features))

    def claims_start(self, request: messages.StartDriver) -> messages.DriverStarted | messages.DriverFailed:
        """Start the driver on a machine, and wait until it has published."""
        try:
            return messages.DriverStarted(self._backend.start(request), self._backend.daemon.take_restarts())
        except DriverRefusedError as error:
            self._backend.daemon.check_support()
            return messages.DriverFailed(str(error), self._backend.daemon.absence)

    def claims_restart(self, request: messages.RestartDriver) -> messages.DriverStarted | messages.DriverFailed:
        """Start the driver again with the files that it has written."""
        try:
            return messages.DriverStarted(self._backend.restart(), self._backend.daemon.take_restarts())
        except DriverRefusedError as error:
            return messages.DriverFailed(str(error))

    def claims_prepare(self, request: messages.PrepareClaim) -> messages.ClaimPrepared | messages.ClaimRefused:
        """Have a claim prepared, and start its container."""
        try:
            prepared = self._backend.prepare(request.claim)
        except DriverRefusedError as error:
            return messages.ClaimRefused(str(error))
        return replace(prepared, shared=self._backend.shared)

    def claims_unprepare(self, request: messages.UnprepareClaim) -> messages.ClaimUnprepared | messages.ClaimRefused:
        """End the claim's container, have the claim unprepared, and delete it."""
        return _refusal(self._backend.unprepare, request) or messages.ClaimUnprepared()

    def claims_run(self, request: messages.RunShared) -> messages.SharedRuns | messages.ClaimRefused:
        """Start a container without a claim."""
        return _refusal(self._backend.run, request.name) or messages.SharedRuns(self._backend.shared or {})

    def claims_end(self, request: messages.EndShared) -> messages.SharedRuns | messages.ClaimRefused:
        """End it."""
        return _refusal(self._backend.end, request.name) or messages.SharedRuns(self._backend.shared or {})

    def close(self) -> None:
        """End all, and remove what was made."""
        self._backend.close()


def _refusal(change: Callable[[Any], None], subject: object) -> messages.ClaimRefused | None:
    try:
        change(subject)
    except DriverRefusedError as error:
        return messages.ClaimRefused(str(error))
    return None
