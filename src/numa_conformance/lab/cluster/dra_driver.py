"""A DRA driver as a daemon of a cluster's node: API server, scheduler and kubelet are real.

Container runtime and machine are stand-ins.
"""

import contextlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...cpuset import format_bits
from ...errors import require
from ...machine import machine_from_dict
from ...wire.messages.claims import ClaimPrepared, StartDriver, UnprepareClaim
from ..daemon.daemon import HOST, LONGEST, Daemon, filled_in
from ..dra.api_server import newest
from ..dra.containers import NOBODY_DECIDES, environment_cpus
from ..dra.target import CDI, KUBECONFIG, KUBELET, NODE, NRI, PLACEHOLDERS, PLACES, RESERVED, DriverRefusedError
from ..kubelet.launcher import HOME
from .control import OpenCluster, bring_up
from .pods import has_started, scheduling_of

NAME = "node"
CLAIMS = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"
CLASSES, SLICES = "/apis/resource.k8s.io/v1/deviceclasses", "/apis/resource.k8s.io/v1/resourceslices"
PODS, EVENTS = "/api/v1/namespaces/default/pods", "/api/v1/namespaces/default/events"
_PUBLISH_SECONDS, _NRI_SECONDS, _PATIENCE, _UNDECIDED_SECONDS = 20.0, 3.0, 40.0, 5.0
_LOOK_SECONDS = 0.05
_DRIVER_SAYS = "NodePrepareResources"
"""What stands in an event where the driver has refused. Others are of a kubelet that is early, and tries again."""


class ClusterDriver:
    """Brings up a cluster for each start, the driver a daemon of its one node. It is a ``Backend``.

    The driver finds all at the usual places. The suite's allocation of a claim is not taken: the cluster's scheduler
    allocates, and ``prepare`` returns its allocation.
    """

    def __init__(self, words: Sequence[str], binaries: Path) -> None:
        self.daemon = Daemon("driver", words, PLACEHOLDERS)
        self._words, self._binaries = list(words), binaries
        self._up = contextlib.ExitStack()
        self._cluster: OpenCluster | None = None
        self._pods: dict[str, str] = {}
        self._shared: set[str] = set()
        self._online = ""
        self._has_plugin = False

    def start(self, request: StartDriver) -> list[dict[str, Any]]:
        """Bring up a cluster with the driver on its node, and wait until it has published; returns its slices."""
        self._end()
        machine = self.daemon.home / "machine.json"
        machine.write_text(json.dumps(request.machine))
        self._online = format_bits(machine_from_dict(request.machine, "machine").online_bits)
        values = {
            KUBECONFIG: f"{HOME}/admin.kubeconfig", NODE: NAME, KUBELET: HOME, RESERVED: request.reserved_cpus,
            CDI: PLACES["cdi"], NRI: f"{PLACES['nri']}/nri.sock", HOST: "/",
        }  # fmt: skip
        kubelet = {"reservedSystemCPUs": request.reserved_cpus} if request.reserved_cpus else {}
        group = {
            "nodes": NAME, "machine": machine.name, "kubelet": kubelet, "nri": True,
            "daemons": [[filled_in(word, values) for word in self._words]],
        }  # fmt: skip
        nodes = self.daemon.home / "nodes.json"
        nodes.write_text(json.dumps([group]))
        try:
            self._cluster = self._up.enter_context(bring_up(nodes, ["--binaries", str(self._binaries)]))
        except RuntimeError as error:
            self.daemon.absence = "ended"
            raise DriverRefusedError(str(error)[-LONGEST:]) from error
        return self._published()

    def restart(self) -> list[dict[str, Any]]:
        """End the driver, and start it with its files. The API server keeps the slices."""
        self._ask("daemons")
        return self._published()

    def _published(self) -> list[dict[str, Any]]:
        """Wait until the driver has registered and published, then make a class of its devices."""
        slices: list[dict[str, Any]] = []

        def is_there() -> bool:
            slices[:] = newest([each["spec"] for each in self._api(SLICES)["items"]])
            return bool(slices) and self._ask("registered")["dra"]

        failure = self._until(is_there, _PUBLISH_SECONDS, "published all slices of a pool")
        self.daemon.absence = "ended" if failure and not slices else None
        self.daemon.restarts += self._ask("registered")["restarts"]
        if failure is not None:
            raise DriverRefusedError(failure)
        seconds = _PUBLISH_SECONDS if self._has_plugin else _NRI_SECONDS
        self._has_plugin = self._until(lambda: self._ask("registered")["nri"], seconds, "registered with NRI") is None
        for driver in {each["driver"] for each in slices}:
            if self._api(f"{CLASSES}/{driver}") is None:
                selector = {"cel": {"expression": f"device.driver == {json.dumps(driver)}"}}
                self._make(CLASSES, "DeviceClass", driver, {"selectors": [selector]})
        return slices

    def _until(self, holds: Callable[[], bool], seconds: float, what: str) -> str | None:
        """Wait, and return why in vain."""
        end = time.monotonic() + seconds
        while not holds():
            ended = self._ask("registered")["ended"]
            if ended or time.monotonic() > end:
                return ended or f"the driver has not {what} within {seconds:g} s"
            time.sleep(_LOOK_SECONDS)
        return None

    def prepare(self, claim: Mapping[str, Any]) -> ClaimPrepared:
        """Make the claim and a pod that uses it, unless they are there, and wait until the pod runs."""
        uid = str(claim["metadata"]["uid"])
        if uid not in self._pods:
            self._make(CLAIMS, "ResourceClaim", uid, claim["spec"])
            self._run(uid, [{"name": "claim", "resourceClaimName": uid}])
        container = self._container(uid)
        cpus = str(container["cpuset"] or environment_cpus(container["environment"]))
        stored = self._api(f"{CLAIMS}/{uid}")
        allocated = {"metadata": {**claim["metadata"]}, "spec": stored["spec"], "status": stored["status"]}
        return ClaimPrepared(cpus, claim=allocated, mems=container["mems"] or None)

    def unprepare(self, claim: UnprepareClaim) -> None:
        """Delete the pod, then the claim: in between the kubelet has it unprepared."""
        self._delete(claim.uid, has_claim=True)

    def run(self, name: str) -> None:
        """Run a pod without a claim."""
        if not self._has_plugin:
            raise DriverRefusedError(NOBODY_DECIDES)
        try:
            self._run(name, [])
        except DriverRefusedError:
            with contextlib.suppress(DriverRefusedError):
                self._delete(name)
            raise
        self._shared.add(name)

    def end(self, name: str) -> None:
        """Delete it."""
        self._delete(name)

    def _run(self, name: str, claims: list[dict[str, Any]]) -> None:
        """Make a pod, and wait until it has started; raises ``DriverRefusedError``."""
        used = {"resources": {"claims": [{"name": claim["name"]} for claim in claims]}} if claims else {}
        spec = {
            "containers": [{"name": "c", "image": "any", **used}], "resourceClaims": claims,
            "terminationGracePeriodSeconds": 1, "automountServiceAccountToken": False,
        }  # fmt: skip
        self._pods[name] = self._make(PODS, "Pod", name, spec)["metadata"]["uid"]
        began = time.monotonic()
        while time.monotonic() < began + _PATIENCE:
            pod = self._api(f"{PODS}/{name}")
            if has_started(pod):
                return
            failure = self._why_not(pod, is_new=time.monotonic() < began + _UNDECIDED_SECONDS)
            if failure is not None:
                raise DriverRefusedError(failure)
            time.sleep(_LOOK_SECONDS)
        raise DriverRefusedError(f"the pod has not started within {_PATIENCE:g} s")

    def _why_not(self, pod: Mapping[str, Any], *, is_new: bool) -> str | None:
        """Return why a pod is not bound, or why its kubelet cannot start it; None while that is not known."""
        if not pod["spec"].get("nodeName"):
            scheduling = scheduling_of(pod)
            why = f"the scheduler has bound the pod to no node: {scheduling.get('message', '')}"[:LONGEST]
            return None if is_new or not scheduling else why
        for status in pod["status"].get("containerStatuses") or ():
            waiting = (status.get("state") or {}).get("waiting") or {}
            if waiting.get("message"):
                return str(waiting["message"])[:LONGEST]
        events = self._api(f"{EVENTS}?fieldSelector=involvedObject.uid={pod['metadata']['uid']}")["items"]
        return next((str(each["message"])[:LONGEST] for each in events if _DRIVER_SAYS in each["message"]), None)

    def _delete(self, name: str, *, has_claim: bool = False) -> None:
        """Delete a pod, and its claim, and wait until they are gone; raises ``DriverRefusedError``."""
        uid = self._pods.pop(name, None)
        self._shared.discard(name)
        for place in () if uid is None else (f"{PODS}/{name}", *([f"{CLAIMS}/{name}"] if has_claim else [])):
            self._api(place, method="DELETE")
            failure = self._until(lambda place=place: self._api(place) is None, _PATIENCE, f"let go of {name}")  # type: ignore[misc]
            if failure is not None:
                raise DriverRefusedError(failure)

    def _container(self, name: str) -> dict[str, Any]:
        return dict(self._ask("containers", self._pods[name])["c"])

    @property
    def shared(self) -> dict[str, str] | None:
        """The CPUs of containers without a claim, by name; None where no plugin of NRI decides that."""
        if not self._has_plugin:
            return None
        return {name: self._container(name)["cpuset"] or self._online for name in sorted(self._shared)}

    def _make(self, place: str, kind: str, name: str, spec: Mapping[str, Any]) -> dict[str, Any]:
        version = "v1" if place.startswith("/api/") else "resource.k8s.io/v1"
        made = {"apiVersion": version, "kind": kind, "metadata": {"name": name}, "spec": spec}
        return dict(self._api(place, made) or {})

    def _api(self, path: str, body: object = None, method: str = "") -> Any:
        return self._ask("api", path, json.dumps(body), method)

    def _ask(self, verb: str, *words: str) -> Any:
        return require(self._cluster, "no driver was started", "claims.start").ask(verb, *words)

    def _end(self) -> None:
        self._up.close()
        self._cluster, self._pods, self._shared, self._has_plugin = None, {}, set(), False

    def close(self) -> None:
        """End the cluster, and remove what was made."""
        self._end()
        self.daemon.close()
