"""An unmodified NRI plugin together with an unmodified kubelet, as a target of the protocol: the surface ``node``."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import StartError, require
from ...kube import Pod
from ...machine import Machine
from ...wire.messages import node as messages
from ..kubelet.launcher import HOME, RUN
from ..kubelet.node import RealNode
from ..kubelet.target import Workshop, reason_and_message
from .of_cri import RuntimePlugins
from .plugin import PluginNode
from .pods import is_entitled
from .runtime_side import built

_OFF = {"cpuManagerPolicy": "none", "memoryManagerPolicy": "None", "topologyManagerPolicy": "none"}
_OF_MANAGERS = (
    "cpuManagerPolicyOptions", "topologyManagerPolicyOptions", "topologyManagerScope", "reservedMemory",
)  # fmt: skip


class PluginWithKubelet(PluginNode):
    """Gives pods to a kubelet whose managers are off, and its containers to the plugin, which decides.

    A configuration is refused as the documentation says with which its managers would not come up: they are off.
    """

    _pods: dict[str, Pod]
    _plugins: RuntimePlugins | None = None
    _node: RealNode | None = None

    def __init__(self, kubelet: str, words: Sequence[str], unsupported: str = "") -> None:
        """Take the kubelet's path beside the plugin's command; raises ``UsageError`` and ``StartError``."""
        built()  # before this process takes mounts of its own
        self._workshop = Workshop(kubelet)
        super().__init__(words, unsupported)

    def _prepare(self, machine: Machine, kubelet: Mapping[str, Any]) -> None:
        folder = self._workshop.folder()
        self._plugins = RuntimePlugins(self._program, folder / "nri", self._qos_of)
        self._node = self._workshop.node(machine, _without_managers(kubelet), {}, folder, self._plugins)

    def _qos_of(self, inside: str) -> str:
        pods = self._node.pods if self._node is not None else {}
        return next((Pod.from_dict(pod.manifest).qos for pod in pods.values() if pod.uid == inside), "BestEffort")

    def _come_up(self, kubelet: Mapping[str, Any]) -> str | None:
        node, plugins = self._up
        assert self._start is not None
        plugins.listen()
        places = {node.folder: HOME, node.folder / "cdi": str(RUN / "cdi")}
        return self._plugin.come_up(self._start, kubelet, plugins.socket, plugins.registered, places)

    def node_admit(self, request: messages.AdmitPod) -> messages.Admitted | messages.Rejected:
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
                reason = ("UnexpectedAdmissionError", words or "") if refusal is None else reason_and_message(refusal)
                self._take(pod.uid)
                return messages.Rejected(self._shared, *reason, pod.qos, updates=self._sent())
        updates = self._sent()
        return messages.Admitted(self._shared, self._holdings(pod.uid), pod.qos, updates=updates)

    def _remove(self, uid: str) -> list[messages.Update]:
        self._take(uid)
        return self._sent()

    def _take(self, uid: str) -> None:
        node, _ = self._up
        inside = node.pods[uid].uid
        node.take(uid)
        node.until_ended(inside)
        del self._pods[uid]

    def node_restart(self, request: messages.RestartNode) -> messages.Restarted | messages.StartFailed:
        """End the plugin and the kubelet, and start both on what is there."""
        kubelet = self._restarting(request)
        node, _ = self._up
        try:
            node.restart(_without_managers(kubelet), {})
        except StartError as error:
            return messages.StartFailed(error.stage, error.message)
        if (failure := self._come_up(kubelet)) is not None:
            return messages.StartFailed("cpu-manager", failure)
        pods: list[messages.ReadmittedPod | messages.RejectedPod] = []
        for uid in list(self._pods):
            refusal = node.refusal(node.pods[uid].uid)
            if refusal is None:
                pods.append(messages.ReadmittedPod(uid, self._holdings(uid)))
            else:
                self._take(uid)
                pods.append(messages.RejectedPod(uid, *reason_and_message(refusal)))
        return messages.Restarted(pods, self._shared)

    def _sent(self) -> list[messages.Update]:
        node, plugins = self._up
        plugins.take_updates()
        return node.sent()

    def _holdings(self, uid: str) -> dict[str, messages.ContainerHolding]:
        node, plugins = self._up
        plugins.take_updates()
        running = {name: made.resources for name, made in node.made(uid).items() if made.is_running}
        return {
            name: self._holding(each.cpuset_cpus, each.cpuset_mems, is_entitled=is_entitled(self._pods[uid], name))
            for name, each in running.items()
        }

    @property
    def _up(self) -> tuple[RealNode, RuntimePlugins]:
        node = require(self._node, "no plugin was started", "node.start")
        return node, require(self._plugins, "no plugin was started", "node.start")

    def _end(self) -> None:
        self._plugin.end()
        if self._node is not None:
            self._node.close()
        if self._plugins is not None:
            self._plugins.close()
        self._node = self._plugins = None


def _without_managers(kubelet: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration whose managers decide nothing: it is the plugin that decides."""
    return {**{name: value for name, value in kubelet.items() if name not in _OF_MANAGERS}, **_OFF}
