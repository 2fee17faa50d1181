"""An unmodified DRA driver as a target of the protocol: the surface ``claims``."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from ..errors import Fault, UsageError
from ..protocol.messages.claims import (
    FEATURES,
    ClaimPrepared,
    ClaimRefused,
    ClaimUnprepared,
    DriverFailed,
    DriverStarted,
    PrepareClaim,
    RestartDriver,
    StartDriver,
    UnprepareClaim,
)
from ..protocol.messages.describe import PROTOCOL, Describe, Description
from ..protocol.unmodified import name_of
from ..real_nri.runtime_side import built
from .api_server import ApiServer
from .containers import Containers
from .enter import NOT_ALLOWED, PLACES
from .kubelet import LONGEST, DriverRefusedError, KubeletOfDrivers

__all__ = ["DraTarget"]

CDI, HOST, KUBECONFIG, KUBELET, NODE, NRI, RESERVED = (
    "{cdi_folder}", "{host_root}", "{kubeconfig}", "{kubelet_folder}", "{node_name}", "{nri_socket}", "{reserved_cpus}",
)  # fmt: skip
"""What stands in a command for what a driver is told."""
NODE_NAME = "numa-conformance"
REGISTER_SECONDS, PUBLISH_SECONDS = 6.0, 6.0
_LOOK_SECONDS, _END_SECONDS, _NRI_SECONDS = 0.02, 1.0, 0.5


class DraTarget:
    """Starts the driver anew on each machine, before an API server, a kubelet and a container runtime of ours.

    A command in which ``{cdi_folder}`` stands is told where CDI devices lie, and by other words where the rest is. Any
    other sees the machine below ``/sys`` and ``/proc``, and what is a kubelet's and a runtime's where it always is.
    """

    def __init__(self, words: Sequence[str]) -> None:
        """Take the command; raises ``UsageError`` where it names NRI's socket and what serves it cannot be built."""
        self._words = list(words)
        self._is_told = any(CDI in word for word in words)
        self._leaves_alone = any(RESERVED in word for word in words)
        self._program = self._nri_program()
        self._wait_for_nri = REGISTER_SECONDS if self._names(NRI) else _NRI_SECONDS
        self._home = Path(tempfile.mkdtemp(prefix="dra-"))
        self._log = self._home / "driver.log"
        self._driver: subprocess.Popen[bytes] | None = None
        self._api: ApiServer | None = None
        self._kubelet: KubeletOfDrivers | None = None
        self._containers = Containers(self._home / "none-yet")
        self._start: StartDriver | None = None

    def _names(self, placeholder: str) -> bool:
        return any(placeholder in word for word in self._words)

    def _nri_program(self) -> Path | None:
        """Return what serves NRI. A driver that finds everything where it always is may do without."""
        if self._names(NRI):
            return built()
        if self._is_told:
            return None
        with contextlib.suppress(UsageError):
            return built()
        return None

    def describe(self, request: Describe) -> Description:
        """Say which driver this is."""
        wants: list[Literal["host_root"]] = ["host_root"] if self._is_told else []
        features = sorted(set(FEATURES) - (set() if self._leaves_alone else {"claims/reserved"}))
        return Description(name_of(self._words), "of an unknown version", PROTOCOL, ["claims"], features, wants=wants)

    def claims_start(self, request: StartDriver) -> DriverStarted | DriverFailed:
        """Bring up the stand-ins without anything in them, then the driver, and wait until it has published."""
        self._end()
        self._start = request
        machine = Path(tempfile.mkdtemp(prefix="m", dir=self._home))
        self._folder = machine
        self._containers = Containers(machine)
        self._api = ApiServer(NODE_NAME)
        (machine / "kubelet").mkdir()
        (machine / "machine.json").write_text(json.dumps(request.machine))
        (machine / "kubeconfig").write_text(json.dumps(_kubeconfig(self._api.url)))
        return self._come_up()

    def claims_restart(self, request: RestartDriver) -> DriverStarted | DriverFailed:
        """End the driver, and start it with the files that it has written."""
        api, _, _ = self._up
        self._end_driver()
        api.slices.forget()
        return self._come_up()

    def _come_up(self) -> DriverStarted | DriverFailed:
        assert self._api is not None
        assert self._start is not None
        self._containers.listen(self._program)
        folder = self._folder / "kubelet"
        self._kubelet = KubeletOfDrivers(folder, str(folder) if self._is_told else PLACES["kubelet"])
        told = {
            CDI: str(self._containers.cdi), HOST: str(self._start.host_root), NODE: NODE_NAME,
            KUBECONFIG: str(self._folder / "kubeconfig"), KUBELET: str(self._folder / "kubelet"),
            NRI: str(self._containers.nri / "nri.sock"), RESERVED: self._start.reserved_cpus,
        }  # fmt: skip
        with self._log.open("wb") as log:
            self._driver = subprocess.Popen(
                [*self._entering(), *(_filled_in(word, told) for word in self._words)],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                env={**os.environ, "KUBECONFIG": told[KUBECONFIG], "NODE_NAME": NODE_NAME},
            )  # fmt: skip
        failure = self._meet()
        return DriverStarted(self._api.published()) if failure is None else self._failed(failure)

    def _entering(self) -> Sequence[str]:
        """Return what stands before a command that is not told where all is."""
        if self._is_told:
            return ()
        module = "numa_conformance.real_dra.enter"
        return (sys.executable, "-m", module, str(self._folder / "machine.json"), str(self._folder))

    def _meet(self) -> str | None:
        """Wait until the driver has registered and published; returns why it has not."""
        api, kubelet, containers = self._up
        try:
            if not self._until(lambda: kubelet.met(_LOOK_SECONDS), REGISTER_SECONDS):
                return self._why("registered", REGISTER_SECONDS)
            if not self._until(api.is_complete, PUBLISH_SECONDS):
                return self._why("published all slices of a pool", PUBLISH_SECONDS)
            if not containers.met(self._wait_for_nri) and self._names(NRI):
                return self._why("registered with NRI", REGISTER_SECONDS)
        except DriverRefusedError as error:
            return str(error)
        return None

    def _until(self, happens: Any, seconds: float) -> bool:
        end = time.monotonic() + seconds
        while time.monotonic() < end and self._status is None:
            if happens():
                return True
            time.sleep(_LOOK_SECONDS)
        return False

    def _why(self, what: str, seconds: float) -> str:
        if self._status == NOT_ALLOWED and not self._is_told:
            accepted = f"a command in which {CDI} stands, {KUBELET}, and {HOST} where the driver reads its host"
            raise UsageError(Fault("", self._said, accepted))
        if self._status is not None:
            return f"the driver has ended with exit status {self._status}, and has not {what}"
        return f"the driver has not {what} within {seconds:g} s"

    def _failed(self, why: str) -> DriverFailed:
        return DriverFailed(f"{why}. It said: {self._said}" if self._said else why)

    def claims_prepare(self, request: PrepareClaim) -> ClaimPrepared | ClaimRefused:
        """Store the claim, have it prepared, and start its container."""
        api, kubelet, containers = self._up
        metadata = request.claim.get("metadata") or {}
        namespace, name, uid = (str(metadata.get(key)) for key in ("namespace", "name", "uid"))
        api.claims[namespace, name] = request.claim
        try:
            return ClaimPrepared(containers.run(uid, kubelet.prepare(namespace, name, uid)))
        except DriverRefusedError as error:
            return ClaimRefused(str(error))

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

    @property
    def _status(self) -> int | None:
        return None if self._driver is None else self._driver.poll()

    @property
    def _said(self) -> str:
        return self._log.read_bytes()[-LONGEST:].decode("utf-8", "replace").strip() if self._log.exists() else ""

    def _end_driver(self) -> None:
        if self._kubelet is not None:
            self._kubelet.close()
        if self._driver is not None:
            for number in (signal.SIGTERM, signal.SIGKILL):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._driver.pid, number)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._driver.wait(_END_SECONDS)
                    break
        self._driver = None

    def _end(self) -> None:
        """End the driver, and what stood around it."""
        self._end_driver()
        self._containers.close()
        if self._api is not None:
            self._api.close()
        self._api = self._kubelet = None

    def close(self) -> None:
        """End all, and remove what was made."""
        self._end()
        shutil.rmtree(self._home, ignore_errors=True)


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


def _filled_in(word: str, told: dict[str, str]) -> str:
    for name, value in told.items():
        word = word.replace(name, value)
    return word
