"""The side of a kubelet that DRA drivers see: where they register, and who asks them to prepare claims."""

import time
from pathlib import Path
from typing import Any

import grpc

from ...errors import NumaConformanceError
from ..daemon.daemon import LONGEST
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
            registration = f"type {info.type!r}, versions {', '.join(info.supported_versions)}"
            raise DriverRefusedError(
                f"what registers is no DRA driver that speaks {' or '.join(_SERVICES)}: {registration}"
            )
        self._package = _SERVICES[spoken]
        self._driver = GrpcClient(self._place_of(info.endpoint), self._package)
        if not self._driver.wait(_CONNECT_SECONDS):
            raise DriverRefusedError(f"nobody serves on its socket {info.endpoint!r}")
        status = REGISTRATION.RegistrationStatus(plugin_registered=True)
        ask(socket, REGISTRATION, "Registration/NotifyRegistrationStatus", status, "Empty")
        return True

    def _place_of(self, endpoint: str) -> str:
        """Return where the socket lies that a driver names."""
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
