"""An unmodified DRA driver as a target of the protocol, the surface ``claims``, and what a backend does for it."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from msgspec.structs import replace

from ...wire.messages import claims as messages
from ...wire.messages.describe import Describe, Description
from ..daemon.daemon import HOST, Daemon
from .kubelet import DriverRefusedError

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
        """Take where the driver runs."""
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
