"""A DRA driver as a process before an API server, a kubelet and a container runtime of ours."""

import contextlib
import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...cpuset import CpuSet
from ...errors import UsageError, require
from ...machine import machine_from_dict
from ...wire.messages.claims import ClaimPrepared, StartDriver, UnprepareClaim
from ..daemon.daemon import HOST, Daemon
from ..nri.runtime_side import built
from . import target
from .api_server import ApiServer
from .containers import Containers

NODE_NAME = "numa-conformance"
REGISTER_SECONDS, PUBLISH_SECONDS = 20.0, 20.0
_LOOK_SECONDS, _NRI_SECONDS = 0.02, 0.5


class DriverProcess:
    """Starts the driver anew on each machine. It is a ``Backend``.

    A command with ``{cdi_folder}`` gets the folder of CDI devices, and all else by its other placeholders. Any other
    command sees the machine below ``/sys`` and ``/proc``, and what is a kubelet's and a runtime's at the usual places.
    """

    def __init__(self, words: Sequence[str], unsupported: str = "") -> None:
        """Take the command, and by which words the driver says that it does not support a machine.

        Raises ``UsageError`` where it names NRI's socket and what serves it cannot be built.
        """
        self.daemon = Daemon("driver", words, target.PLACEHOLDERS, unsupported)
        self._program = self._nri_program()
        self._wait_for_nri = REGISTER_SECONDS if self.daemon.names(target.NRI) else _NRI_SECONDS
        self._api: ApiServer | None = None
        self._kubelet: target.KubeletOfDrivers | None = None
        self._containers = Containers(self.daemon.home / "none-yet", CpuSet())
        self._start: StartDriver | None = None

    def _nri_program(self) -> Path | None:
        """Return the program that serves NRI. A driver at the usual places may do without."""
        if self.daemon.names(target.NRI):
            return built()
        if self.daemon.takes_parameters:
            return None
        with contextlib.suppress(UsageError):
            return built()
        return None

    @property
    def shared(self) -> dict[str, str] | None:
        """The CPUs of containers without a claim, by name."""
        return self._containers.shared

    def start(self, request: StartDriver) -> list[dict[str, Any]]:
        """Start empty stand-ins, then the driver, and wait until it has published; returns its slices."""
        self._end()
        self._start = request
        machine = machine_from_dict(request.machine, "machine")
        self._folder = Path(tempfile.mkdtemp(prefix="m", dir=self.daemon.home))
        self._containers = Containers(self._folder, CpuSet.from_bits(machine.online_bits))
        self._api = ApiServer(NODE_NAME)
        (self._folder / "kubelet").mkdir()
        (self._folder / "kubeconfig").write_text(kubeconfig({"server": self._api.url}, NODE_NAME, {}))
        return self._come_up()

    def restart(self) -> list[dict[str, Any]]:
        """End the driver, and start it with the files that it has written."""
        api, _ = self._up
        self._end_daemon()
        api.slices.forget()
        return self._come_up()

    def _come_up(self) -> list[dict[str, Any]]:
        assert self._api is not None
        assert self._start is not None
        self._containers.listen(self._program)
        folder = self._folder / "kubelet"
        self._kubelet = target.KubeletOfDrivers(
            folder, str(folder) if self.daemon.takes_parameters else target.PLACES["kubelet"]
        )
        values = {
            target.CDI: str(self._containers.cdi), HOST: str(self._start.host_root), target.NODE: NODE_NAME,
            target.KUBECONFIG: str(self._folder / "kubeconfig"), target.KUBELET: str(folder),
            target.NRI: str(self._containers.nri / "nri.sock"), target.RESERVED: self._start.reserved_cpus,
        }  # fmt: skip
        places = {self._folder / name: place for name, place in target.PLACES.items()}
        environment = {"KUBECONFIG": values[target.KUBECONFIG], "NODE_NAME": NODE_NAME}
        self.daemon.start(self._start.machine, places, values, environment, self._api.port, self._api.serve)
        if (failure := self._meet()) is not None:
            raise target.DriverRefusedError(failure)
        return self._api.published()

    def _meet(self) -> str | None:
        """Wait until the driver has registered and published; returns why it has not."""
        api, kubelet = self._up
        wait = self.daemon.wait
        try:
            failure = wait(lambda: kubelet.met(_LOOK_SECONDS), REGISTER_SECONDS, "registered")
            if failure is None:
                # One that was started again meanwhile has registered anew.
                restarts = self.daemon.restarts
                failure = wait(
                    lambda: api.is_complete() and (self.daemon.restarts == restarts or kubelet.met(_LOOK_SECONDS)),
                    PUBLISH_SECONDS, "published all slices of a pool",
                )  # fmt: skip
                self.daemon.absence = "ended" if failure and self.daemon.ended else None
            if failure is None and not self._containers.met(self._wait_for_nri) and self.daemon.names(target.NRI):
                failure = self.daemon.failed(f"the driver has not registered with NRI within {REGISTER_SECONDS:g} s")
        except target.DriverRefusedError as error:
            return self.daemon.failed(str(error))
        return failure

    def prepare(self, claim: Mapping[str, Any]) -> ClaimPrepared:
        """Store the claim, have it prepared, and start its container; returns what the container has."""
        api, kubelet = self._up
        metadata = claim.get("metadata") or {}
        namespace, name, uid = (str(metadata.get(key)) for key in ("namespace", "name", "uid"))
        # A kubelet has none prepared that is not reserved for the pod.
        pods = [{"resource": "pods", "name": f"pod-{uid}", "uid": f"pod-{uid}"}]
        api.claims[namespace, name] = {**claim, "status": {**(claim.get("status") or {}), "reservedFor": pods}}
        cpus, mems = self._containers.run(uid, kubelet.prepare(namespace, name, uid))
        return ClaimPrepared(cpus, mems=mems)

    def unprepare(self, claim: UnprepareClaim) -> None:
        """End the claim's container, have the claim unprepared, and delete it."""
        api, kubelet = self._up
        self._containers.end(claim.uid)
        kubelet.unprepare(claim.namespace, claim.name, claim.uid)
        api.claims.pop((claim.namespace, claim.name), None)

    def run(self, name: str) -> None:
        """Start a container without a claim."""
        _ = self._up
        self._containers.run_shared(name)

    def end(self, name: str) -> None:
        """End it."""
        _ = self._up
        self._containers.end(name)

    @property
    def _up(self) -> tuple[ApiServer, target.KubeletOfDrivers]:
        api = require(self._api, "no driver was started", "claims.start")
        return api, require(self._kubelet, "no driver was started", "claims.start")

    def _end_daemon(self) -> None:
        if self._kubelet is not None:
            self._kubelet.close()
        self.daemon.end()

    def _end(self) -> None:
        self._end_daemon()
        self._containers.close()
        if self._api is not None:
            self._api.close()
        self._api = self._kubelet = None

    def close(self) -> None:
        """End all, and remove what was made."""
        self._end()
        self.daemon.close()


def kubeconfig(cluster: Mapping[str, str], user: str, credentials: Mapping[str, str]) -> str:
    """Return the kubeconfig of a user of one cluster."""
    name = "numa-conformance"
    config = {
        "apiVersion": "v1", "kind": "Config", "clusters": [{"name": name, "cluster": cluster}],
        "users": [{"name": user, "user": credentials}], "current-context": name,
        "contexts": [{"name": name, "context": {"cluster": name, "user": user}}],
    }  # fmt: skip
    return json.dumps(config)
