"""An unmodified DRA driver as a target of the protocol: the surface ``claims``."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...cpuset import CpuSet
from ...errors import Fault, UsageError
from ...machine import machine_from_dict
from ...wire.messages.claims import (
    FEATURES,
    ClaimPrepared,
    ClaimRefused,
    ClaimUnprepared,
    DriverFailed,
    DriverStarted,
    EndShared,
    PrepareClaim,
    RestartDriver,
    RunShared,
    SharedRuns,
    StartDriver,
    UnprepareClaim,
)
from ...wire.messages.describe import Describe, Description
from ..daemon.daemon import HOST, Daemon
from ..nri.runtime_side import built
from .api_server import ApiServer
from .containers import Containers
from .kubelet import DriverRefusedError, KubeletOfDrivers

CDI, KUBECONFIG, KUBELET, NODE, NRI, RESERVED = (
    "{cdi_folder}", "{kubeconfig}", "{kubelet_folder}", "{node_name}", "{nri_socket}", "{reserved_cpus}",
)  # fmt: skip
PLACEHOLDERS = (CDI, HOST, KUBECONFIG, KUBELET, NODE, NRI, RESERVED)
"""What stands in a command for what a driver is told."""
PLACES = {"kubelet": "/var/lib/kubelet", "cdi": "/var/run/cdi", "nri": "/var/run/nri"}
"""Folders, and where a driver that is not told finds each."""
NODE_NAME = "numa-conformance"
REGISTER_SECONDS, PUBLISH_SECONDS = 20.0, 20.0
_LOOK_SECONDS, _NRI_SECONDS = 0.02, 0.5


class DraTarget:
    """Starts the driver anew on each machine, before an API server, a kubelet and a container runtime of ours.

    A command in which ``{cdi_folder}`` stands is told where CDI devices lie, and by other words where the rest is. Any
    other sees the machine below ``/sys`` and ``/proc``, and what is a kubelet's and a runtime's where it always is.
    """

    def __init__(self, words: Sequence[str], unsupported: str = "") -> None:
        """Take the command, and by which words the driver says that it does not support a machine.

        Raises ``UsageError`` where it names NRI's socket and what serves it cannot be built.
        """
        self._daemon = Daemon("driver", words, PLACEHOLDERS, unsupported)
        self._program = self._nri_program()
        self._wait_for_nri = REGISTER_SECONDS if self._daemon.names(NRI) else _NRI_SECONDS
        self._api: ApiServer | None = None
        self._kubelet: KubeletOfDrivers | None = None
        self._containers = Containers(self._daemon.home / "none-yet", CpuSet())
        self._start: StartDriver | None = None

    def _nri_program(self) -> Path | None:
        """Return what serves NRI. A driver that finds everything where it always is may do without."""
        if self._daemon.names(NRI):
            return built()
        if self._daemon.takes_parameters:
            return None
        with contextlib.suppress(UsageError):
            return built()
        return None

    def describe(self, request: Describe) -> Description:
        """Say which driver this is."""
        return self._daemon.described("claims", features(self._daemon))

    def claims_start(self, request: StartDriver) -> DriverStarted | DriverFailed:
        """Bring up the stand-ins without anything in them, then the driver, and wait until it has published."""
        self._end()
        self._start = request
        described = machine_from_dict(request.machine, "machine")
        machine = Path(tempfile.mkdtemp(prefix="m", dir=self._daemon.home))
        self._folder = machine
        self._containers = Containers(machine, CpuSet.from_bits(described.online_bits))
        self._api = ApiServer(NODE_NAME)
        (machine / "kubelet").mkdir()
        (machine / "kubeconfig").write_text(json.dumps(_kubeconfig(self._api.url)))
        answer = self._come_up()
        if isinstance(answer, DriverFailed):
            self._daemon.check_support()
        return answer

    def claims_restart(self, request: RestartDriver) -> DriverStarted | DriverFailed:
        """End the driver, and start it with the files that it has written."""
        api, _, _ = self._up
        self._end_daemon()
        api.slices.forget()
        return self._come_up()

    def _come_up(self) -> DriverStarted | DriverFailed:
        assert self._api is not None
        assert self._start is not None
        self._containers.listen(self._program)
        folder = self._folder / "kubelet"
        self._kubelet = KubeletOfDrivers(folder, str(folder) if self._daemon.takes_parameters else PLACES["kubelet"])
        values = {
            CDI: str(self._containers.cdi), HOST: str(self._start.host_root), NODE: NODE_NAME,
            KUBECONFIG: str(self._folder / "kubeconfig"), KUBELET: str(self._folder / "kubelet"),
            NRI: str(self._containers.nri / "nri.sock"), RESERVED: self._start.reserved_cpus,
        }  # fmt: skip
        places = {self._folder / name: place for name, place in PLACES.items()}
        environment = {"KUBECONFIG": values[KUBECONFIG], "NODE_NAME": NODE_NAME}
        self._daemon.start(self._start.machine, places, values, environment)
        failure = self._meet()
        return DriverStarted(self._api.published()) if failure is None else DriverFailed(failure)

    def _meet(self) -> str | None:
        """Wait until the driver has registered and published; returns why it has not."""
        api, kubelet, containers = self._up
        wait = self._daemon.wait
        try:
            failure = wait(lambda: kubelet.met(_LOOK_SECONDS), REGISTER_SECONDS, "registered")
            failure = failure or wait(api.is_complete, PUBLISH_SECONDS, "published all slices of a pool")
            if failure is None and not containers.met(self._wait_for_nri) and self._daemon.names(NRI):
                failure = self._daemon.failed(f"the driver has not registered with NRI within {REGISTER_SECONDS:g} s")
        except DriverRefusedError as error:
            return self._daemon.failed(str(error))
        return failure

    def claims_prepare(self, request: PrepareClaim) -> ClaimPrepared | ClaimRefused:
        """Store the claim, have it prepared, and start its container."""
        api, kubelet, containers = self._up
        metadata = request.claim.get("metadata") or {}
        namespace, name, uid = (str(metadata.get(key)) for key in ("namespace", "name", "uid"))
        api.claims[namespace, name] = request.claim
        try:
            cpus = containers.run(uid, kubelet.prepare(namespace, name, uid))
        except DriverRefusedError as error:
            return ClaimRefused(str(error))
        return ClaimPrepared(cpus, containers.shared)

    def claims_run(self, request: RunShared) -> SharedRuns | ClaimRefused:
        """Start a container without a claim."""
        _, _, containers = self._up
        try:
            containers.run_shared(request.name)
        except DriverRefusedError as error:
            return ClaimRefused(str(error))
        return SharedRuns(containers.shared or {})

    def claims_end(self, request: EndShared) -> SharedRuns | ClaimRefused:
        """End it."""
        _, _, containers = self._up
        try:
            containers.end(request.name)
        except DriverRefusedError as error:
            return ClaimRefused(str(error))
        return SharedRuns(containers.shared or {})

    def claims_unprepare(self, request: UnprepareClaim) -> ClaimUnprepared | ClaimRefused:
        """End the claim's container, have it unprepared, and delete it."""
        api, kubelet, containers = self._up
        try:
            containers.end(request.uid)
            kubelet.unprepare(request.namespace, request.name, request.uid)
        except DriverRefusedError as error:
            return ClaimRefused(str(error))
        api.claims.pop((request.namespace, request.name), None)
        return ClaimUnprepared()

    @property
    def _up(self) -> tuple[ApiServer, KubeletOfDrivers, Containers]:
        if self._api is None or self._kubelet is None:
            raise UsageError(Fault("", "no driver was started", "claims.start first"))
        return self._api, self._kubelet, self._containers

    def _end_daemon(self) -> None:
        if self._kubelet is not None:
            self._kubelet.close()
        self._daemon.end()

    def _end(self) -> None:
        """End the driver, and what stood around it."""
        self._end_daemon()
        self._containers.close()
        if self._api is not None:
            self._api.close()
        self._api = self._kubelet = None

    def close(self) -> None:
        """End all, and remove what was made."""
        self._end()
        self._daemon.close()


def features(daemon: Daemon) -> list[str]:
    """Return what is asked of a driver unless ``--numa-features`` says otherwise."""
    return sorted(set(FEATURES) - (set() if daemon.names(RESERVED) else {"claims/reserved"}))


def _kubeconfig(url: str) -> dict[str, Any]:
    name = "numa-conformance"
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": {"server": url}}],
        "users": [{"name": name, "user": {}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
        "current-context": name,
    }
