"""An unmodified NRI plugin as a process, and a node whose CPUs it gives, whoever makes its containers."""

import json
import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...cpuset import CpuSet, format_bits, union
from ...errors import NOT_MET, NumaConformanceError, StartError, require
from ...kube import KubeletConfiguration, reserved_cpu_milli
from ...machine import Machine, machine_from_dict
from ...reference.target import ReferenceTarget
from ...sources.versions import DEFAULT
from ...wire.messages import node as messages
from ...wire.messages.describe import Describe, Description
from ..daemon.daemon import HOST, Daemon
from .runtime_side import NriError, built

SOCKET, KUBELET, RESERVED, AMOUNT, STATE = (
    "{nri_socket}", "{kubelet_config}", "{reserved_cpus}", "{reserved_amount}", "{state_folder}",
)  # fmt: skip
"""What stands in a command for NRI's socket, the kubelet's configuration, its reservation, and files of the plugin."""
FEATURES = ("cpu-manager/static", "node/cpuset", "node/restart")
"""What is asked of a plugin unless ``--numa-features`` says otherwise."""
REGISTER_SECONDS = 20.0
_LOOK_SECONDS = 0.1
PLACE = "/var/run/nri"


class Plugin(Daemon):
    """A daemon that registers with a container runtime."""

    def __init__(self, words: Sequence[str], unsupported: str = "") -> None:
        super().__init__("plugin", words, (SOCKET, HOST, KUBELET, RESERVED, AMOUNT, STATE), unsupported)
        self._state = self.home / "state"

    def forget(self) -> None:
        """Remove the files that it has kept: what starts next is on another machine, or on an empty one."""
        shutil.rmtree(self._state, ignore_errors=True)
        self._state.mkdir()

    def come_up(
        self,
        start: messages.StartNode,
        kubelet: Mapping[str, Any],
        socket: Path,
        registered: Callable[[float], bool],
        places: Mapping[Path, str] | None = None,
    ) -> str | None:
        """Start it, and wait until it has registered at the socket; returns why that failed.

        ``registered`` waits so many seconds, and raises ``NriError``. ``places``: other folders by where it finds them.
        """
        configuration = self.home / "kubelet.json"
        configuration.write_text(json.dumps(kubelet))
        values = {
            SOCKET: str(socket), HOST: str(start.host_root), KUBELET: str(configuration), STATE: str(self._state),
            RESERVED: reserved(kubelet), AMOUNT: f"{reserved_cpu_milli(KubeletConfiguration.from_dict(kubelet))}m",
        }  # fmt: skip
        self.start(start.machine, {**(places or {}), socket.parent: PLACE}, values)
        try:
            return self.wait(lambda: registered(_LOOK_SECONDS), REGISTER_SECONDS, "registered")
        except NriError as error:
            return self.failed(f"the plugin has not taken what is there: {error}")

    def check(self) -> None:
        """Raise ``NumaConformanceError`` with its last words where it has ended."""
        if self.ended is not None:
            raise NumaConformanceError(self.failed(self.ended))


def reserved(kubelet: Mapping[str, Any]) -> str:
    """Return the CPUs that a configuration reserves by their ids."""
    return str(kubelet.get("reservedSystemCPUs") or "")


class PluginNode(ABC):
    """Answers the surface ``node`` by a plugin, which is started anew on each machine.

    CPUs that a container of class Guaranteed with a whole number of CPUs is kept to count as its own.
    """

    def __init__(self, words: Sequence[str], unsupported: str = "") -> None:
        """Take the command, and by which words the plugin says that it does not support a machine.

        Raises ``UsageError`` where the runtime's side cannot be built.
        """
        self._program = built()
        self._plugin = Plugin(words, unsupported)
        self._start: messages.StartNode | None = None
        self._pods: dict[str, Any] = {}
        self._online = 0

    def describe(self, request: Describe) -> Description:
        """Say which plugin this is."""
        return self._plugin.described("node", sorted(FEATURES))

    def node_start(self, request: messages.StartNode) -> messages.NodeStarted | messages.StartFailed:
        """Bring up what makes containers, without any, then the plugin, and wait until it has registered.

        A configuration with which a kubelet that decides would not come up is refused as the documentation says.
        """
        self._end()
        self._plugin.forget()
        self._start, self._pods = request, {}
        machine = machine_from_dict(request.machine, "machine")
        self._online = machine.online_bits
        documented = ReferenceTarget("documented", request.kubernetes_version or DEFAULT).node_start(request)
        if isinstance(documented, messages.StartFailed):
            return documented
        try:
            self._prepare(machine, request.kubelet)
        except StartError as error:
            return messages.StartFailed(error.stage, error.message, "ended" if error.stage == NOT_MET else None)
        if (failure := self._come_up(request.kubelet)) is not None:
            self._plugin.check_support()
            return messages.StartFailed("cpu-manager", failure, self._plugin.absence)
        restarts = self._plugin.take_restarts()
        return messages.NodeStarted(self._shared, reserved(request.kubelet) or None, restarts=restarts)

    def node_run(self, request: messages.RunPod) -> messages.PodStarted | messages.UnknownPod:
        """Tell what the containers have: a runtime's plugins give it when containers are made."""
        if request.uid not in self._pods:
            return messages.UnknownPod(self._shared)
        updates = self._sent()
        return messages.PodStarted(self._shared, self._holdings(request.uid), updates=updates)

    def node_remove(self, request: messages.RemovePod) -> messages.Removed | messages.UnknownPod:
        """Take a pod away."""
        if request.uid not in self._pods:
            return messages.UnknownPod(self._shared)
        updates = self._remove(request.uid)
        return messages.Removed(self._shared, updates=updates)

    def node_state(self, request: messages.ReadState) -> messages.NodeState:
        """Tell what the containers have."""
        return messages.NodeState(self._shared, {uid: self._holdings(uid) for uid in self._pods})

    def _restarting(self, request: messages.RestartNode) -> Mapping[str, Any]:
        """End the plugin, and return the configuration that counts from now on."""
        start = require(self._start, "no plugin was started", "node.start")
        self._plugin.end()
        return start.kubelet if request.kubelet is None else request.kubelet

    def close(self) -> None:
        """End all, and remove what was made."""
        self._end()
        self._plugin.close()

    @property
    def _shared(self) -> str:
        holdings = (holding for uid in self._pods for holding in self._holdings(uid).values())
        return format_bits(self._online & ~union(CpuSet.parse(holding.cpus).bits for holding in holdings))

    def _holding(self, cpus: str, mems: str, *, is_entitled: bool) -> messages.ContainerHolding:
        """Return what a container has whose cpuset and NUMA nodes were set so; "" where nothing keeps it."""
        exclusive = cpus if is_entitled else ""
        return messages.ContainerHolding(exclusive, cpuset=cpus or format_bits(self._online), mems=mems or None)

    @abstractmethod
    def _prepare(self, machine: Machine, kubelet: Mapping[str, Any]) -> None:
        """Bring up what stands beside the plugin; raises ``StartError``."""

    @abstractmethod
    def _come_up(self, kubelet: Mapping[str, Any]) -> str | None:
        """Serve NRI, and start the plugin beside the containers that are there; returns why that failed."""

    @abstractmethod
    def _holdings(self, uid: str) -> dict[str, messages.ContainerHolding]:
        """Return what the containers of a pod have, by name."""

    @abstractmethod
    def _sent(self) -> list[messages.Update]:
        """Return the cpusets that were sent since this was last asked for."""

    @abstractmethod
    def _remove(self, uid: str) -> list[messages.Update]:
        """Take a pod away; returns the cpusets that were sent meanwhile."""

    @abstractmethod
    def _end(self) -> None:
        """End the plugin, then what stands beside it."""
