"""An unmodified NRI plugin together with an unmodified kubelet, as a target of the protocol: the surface ``node``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...cpuset import CpuSet, format_bits
from ...errors import Fault, StartError, UsageError
from ...kube import Pod
from ...machine import machine_from_dict
from ...wire.messages.describe import Describe, Description
from ...wire.messages.node import (
    AdmitPod,
    Admitted,
    ContainerHolding,
    NodeStarted,
    NodeState,
    PodStarted,
    ReadmittedPod,
    ReadState,
    Rejected,
    RejectedPod,
    Removed,
    RemovePod,
    Restarted,
    RestartNode,
    RunPod,
    StartFailed,
    StartNode,
    UnknownPod,
)
from ..kubelet.launcher import HOME, RUN
from ..kubelet.node import RealNode
from ..kubelet.target import Workshop, reason_and_message
from .of_cri import RuntimePlugins
from .plugin import Plugin, refused_configuration, reserved
from .pods import is_entitled
from .runtime_side import built

_OFF = {"cpuManagerPolicy": "none", "memoryManagerPolicy": "None", "topologyManagerPolicy": "none"}
_OF_MANAGERS = (
    "cpuManagerPolicyOptions", "topologyManagerPolicyOptions", "topologyManagerScope", "reservedMemory",
)  # fmt: skip
_REFUSED = "UnexpectedAdmissionError"


class PluginWithKubelet:
    """Gives pods to a kubelet whose managers are off, and its containers to the plugin, which decides.

    CPUs that a container of class Guaranteed with a whole number of CPUs is kept to count as its own.
    """

    def __init__(self, kubelet: str, words: Sequence[str], unsupported: str = "") -> None:
        """Take the kubelet's path, the plugin's command, and by which words it says that it does not support a machine.

        Raises ``UsageError`` and ``StartError``.
        """
        program = built()
        self._workshop = Workshop(kubelet)
        self._plugin = Plugin(words, unsupported)
        self._program = program
        self._plugins: RuntimePlugins | None = None
        self._node: RealNode | None = None
        self._start: StartNode | None = None
        self._pods: dict[str, Pod] = {}
        self._online = 0

    def describe(self, request: Describe) -> Description:
        """Say which plugin this is."""
        return self._plugin.described()

    def node_start(self, request: StartNode) -> NodeStarted | StartFailed:
        """Bring up a kubelet without pods, then the plugin, and wait until it has registered.

        A configuration with which its managers would not come up is refused as the documentation says: they are off.
        """
        self._end()
        self._plugin.forget()
        self._start, self._pods = request, {}
        refused = refused_configuration(request)
        if refused is not None:
            return refused
        machine = machine_from_dict(request.machine, "machine")
        self._online = machine.online_bits
        folder = self._workshop.folder()
        self._plugins = RuntimePlugins(self._program, folder / "nri", self._qos_of)
        try:
            self._node = self._workshop.node(machine, _without_managers(request.kubelet), {}, folder, self._plugins)
        except StartError as error:
            return StartFailed(error.stage, error.message)
        failure = self._come_up(request.kubelet)
        if failure is not None:
            self._plugin.check_support()
            return StartFailed("cpu-manager", failure)
        return NodeStarted(self._shared, reserved_cpus=reserved(request.kubelet) or None)

    def _qos_of(self, inside: str) -> str:
        pods = self._node.pods if self._node is not None else {}
        return next((Pod.from_dict(pod.manifest).qos for pod in pods.values() if pod.uid == inside), "BestEffort")

    def _come_up(self, kubelet: Mapping[str, Any]) -> str | None:
        """Serve NRI anew, and start the plugin; returns why that failed."""
        node, plugins = self._up
        assert self._start is not None
        plugins.listen()
        places = {node.folder: HOME, node.folder / "cdi": str(RUN / "cdi")}
        return self._plugin.come_up(self._start, kubelet, plugins.socket, plugins.registered, places)

    def node_admit(self, request: AdmitPod) -> Admitted | Rejected:
        """Give the kubelet a pod, and have its containers made. One that is there keeps what it has."""
        node, _ = self._up
        pod = Pod.from_dict(request.pod)
        if pod.uid not in node.pods:
            node.put(pod.uid, request.pod)
            self._pods[pod.uid] = pod
            refusal = node.refusal(node.pods[pod.uid].uid)
            words = node.run(pod.uid) if refusal is None else None
            self._plugin.check()
            if refusal is not None or words is not None:
                reason = (_REFUSED, words or "") if refusal is None else reason_and_message(refusal)
                self._take(pod.uid)
                return Rejected(self._shared, *reason, pod.qos, updates=self._sent())
        updates = self._sent()
        return Admitted(self._shared, self._holdings(pod.uid), pod.qos, updates=updates)

    def node_run(self, request: RunPod) -> PodStarted | UnknownPod:
        """Tell what the containers have: a runtime's plugins give it when containers are made."""
        if request.uid not in self._pods:
            return UnknownPod(self._shared)
        return PodStarted(self._shared, self._holdings(request.uid), updates=self._sent())

    def node_remove(self, request: RemovePod) -> Removed | UnknownPod:
        """Take a pod away."""
        if request.uid not in self._pods:
            return UnknownPod(self._shared)
        self._take(request.uid)
        return Removed(self._shared, updates=self._sent())

    def _take(self, uid: str) -> None:
        node, _ = self._up
        inside = node.pods[uid].uid
        node.take(uid)
        node.until_ended(inside)
        del self._pods[uid]

    def node_state(self, request: ReadState) -> NodeState:
        """Tell what the containers have."""
        return NodeState(self._shared, {uid: self._holdings(uid) for uid in self._pods})

    def node_restart(self, request: RestartNode) -> Restarted | StartFailed:
        """End the plugin and the kubelet, and start both on what is there."""
        node, _ = self._up
        assert self._start is not None
        self._plugin.end()
        kubelet = self._start.kubelet if request.kubelet is None else request.kubelet
        try:
            node.restart(_without_managers(kubelet), {})
        except StartError as error:
            return StartFailed(error.stage, error.message)
        failure = self._come_up(kubelet)
        if failure is not None:
            return StartFailed("cpu-manager", failure)
        pods: list[ReadmittedPod | RejectedPod] = []
        for uid in list(self._pods):
            refusal = node.refusal(node.pods[uid].uid)
            if refusal is None:
                pods.append(ReadmittedPod(uid, self._holdings(uid)))
            else:
                self._take(uid)
                pods.append(RejectedPod(uid, *reason_and_message(refusal)))
        return Restarted(pods, self._shared)

    def _sent(self) -> list[Any]:
        node, plugins = self._up
        plugins.take_updates()
        return node.sent()

    def _holdings(self, uid: str) -> dict[str, ContainerHolding]:
        node, plugins = self._up
        plugins.take_updates()
        held = {}
        for name, made in node.made(uid).items():
            if made.is_running:
                cpus, mems = made.resources.cpuset_cpus, made.resources.cpuset_mems
                exclusive = cpus if is_entitled(self._pods[uid], name) else ""
                held[name] = ContainerHolding(
                    cpus=exclusive, cpuset=cpus or format_bits(self._online), mems=mems or None
                )
        return held

    @property
    def _shared(self) -> str:
        taken = CpuSet()
        for uid in self._pods:
            for holding in self._holdings(uid).values():
                taken |= CpuSet.parse(holding.cpus)
        return format_bits(self._online & ~taken.bits)

    @property
    def _up(self) -> tuple[RealNode, RuntimePlugins]:
        if self._node is None or self._plugins is None:
            raise UsageError(Fault("", "no plugin was started", "node.start first"))
        return self._node, self._plugins

    def _end(self) -> None:
        """End the plugin, then the kubelet and its runtime."""
        self._plugin.end()
        if self._node is not None:
            self._node.close()
        if self._plugins is not None:
            self._plugins.close()
        self._node = self._plugins = None

    def close(self) -> None:
        """End all, and remove what was made."""
        self._end()
        self._plugin.close()


def _without_managers(kubelet: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration whose managers decide nothing: it is the plugin that decides."""
    return {**{name: value for name, value in kubelet.items() if name not in _OF_MANAGERS}, **_OFF}
