"""An unmodified NRI plugin as a target of the protocol: the surface ``node``."""

import shutil
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...errors import require
from ...kube import Container, Pod
from ...machine import Machine
from ...wire.messages import node as messages
from .plugin import PluginNode
from .pods import RunningContainer, RunningPod
from .runtime_side import NriError, RuntimeSide


class NriTarget(PluginNode):
    """Tells the plugin of pods and containers as a container runtime does.

    A command in which ``{nri_socket}`` stands is told where the runtime is, and by ``{host_root}`` the machine's tree.
    Any other sees the machine below ``/sys`` and ``/proc``, and the runtime's socket at ``/var/run/nri/nri.sock``.
    """

    _pods: dict[str, RunningPod]
    _runtime: RuntimeSide | None = None

    def _prepare(self, machine: Machine, kubelet: Mapping[str, Any]) -> None:
        """Do nothing: the runtime comes up with the plugin."""

    def _come_up(self, kubelet: Mapping[str, Any]) -> str | None:
        assert self._start is not None
        folders = [self._plugin.home / name for name in ("nri", "none")]
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
        socket = folders[0] / "nri.sock"
        self._runtime = RuntimeSide(self._program, socket, folders[1])
        made = [container.message for pod in self._pods.values() for container in pod.containers.values()]
        self._runtime.call("Listen", pods=[pod.message for pod in self._pods.values()], containers=made)
        failure = self._plugin.come_up(self._start, kubelet, socket, self._up.registered)
        if failure is None:
            self._sent()
        return failure

    def node_admit(self, request: messages.AdmitPod) -> messages.Admitted | messages.Rejected:
        """Make the pod's sandbox and its containers, and start them. One that is there keeps what it has."""
        pod = Pod.from_dict(request.pod)
        if pod.uid in self._pods:
            return messages.Admitted(self._shared, self._holdings(pod.uid), pod.qos, updates=[])
        running = self._pods[pod.uid] = RunningPod(pod)
        updates: list[messages.Update] = []
        try:
            self._call("RunPodSandbox", pod=running.message)
            for container in pod.all_containers:
                updates += self._run(running, container)
        except NriError as error:
            updates += self._remove(pod.uid)
            to_others = [update for update in updates if update.uid != pod.uid]
            return messages.Rejected(self._shared, "UnexpectedAdmissionError", str(error), pod.qos, updates=to_others)
        updates += self._sent()
        return messages.Admitted(self._shared, self._holdings(pod.uid), pod.qos, updates=updates)

    def _run(self, pod: RunningPod, container: Container) -> Iterator[messages.Update]:
        """Create and start a container; an ordinary init container ends at once. Yields updates to others."""
        made = pod.made(container)
        try:
            answer = self._call("CreateContainer", pod=pod.message, container=made.message)
        except NriError:
            del pod.containers[container.name]
            raise
        made.adjust((answer.get("adjust") or {}).get("linux") or {})
        yield from self._take(answer.get("update") or ())
        self._call("PostCreateContainer", pod=pod.message, container=made.message)
        self._call("StartContainer", pod=pod.message, container=made.message)
        made.message["state"] = "CONTAINER_RUNNING"
        self._call("PostStartContainer", pod=pod.message, container=made.message)
        if pod.pod.is_ordinary_init(container):
            yield from self._stop(pod, made)

    def _stop(self, pod: RunningPod, container: RunningContainer) -> list[messages.Update]:
        container.message["state"] = "CONTAINER_STOPPED"
        answer = self._call("StopContainer", pod=pod.message, container=container.message)
        del pod.containers[container.spec.name]
        updates = self._take(answer.get("update") or ())
        self._call("RemoveContainer", pod=pod.message, container=container.message)
        return updates

    def _remove(self, uid: str) -> list[messages.Update]:
        pod, updates = self._pods[uid], []
        for container in list(pod.containers.values()):
            updates += self._stop(pod, container)
        for call in ("StopPodSandbox", "RemovePodSandbox"):
            self._call(call, pod=pod.message)
        del self._pods[uid]
        return updates + self._sent()

    def node_state(self, request: messages.ReadState) -> messages.NodeState:
        """Tell what the containers have."""
        self._sent()
        return super().node_state(request)

    def node_restart(self, request: messages.RestartNode) -> messages.Restarted | messages.StartFailed:
        """End the plugin, and start it anew beside a runtime that has the same containers."""
        kubelet = self._restarting(request)
        self._end()
        if (failure := self._come_up(kubelet)) is not None:
            return messages.StartFailed("cpu-manager", failure)
        return messages.Restarted(
            [messages.ReadmittedPod(uid, self._holdings(uid)) for uid in self._pods], self._shared
        )

    def _sent(self) -> list[messages.Update]:
        return self._take(self._up.updates())

    def _call(self, name: str, **message: Any) -> Mapping[str, Any]:
        answer = self._up.call(name, **message)
        self._plugin.check()
        return answer

    def _take(self, updates: Iterable[Mapping[str, Any]]) -> list[messages.Update]:
        """Apply what a plugin has changed; returns the cpusets among it."""
        taken = []
        known = {made.id: (uid, made) for uid, pod in self._pods.items() for made in pod.containers.values()}
        for update in updates:
            uid, made = known.get(str(update.get("containerId")), ("", None))
            if made is not None and made.adjust(update.get("linux") or {}):
                taken.append(messages.Update(uid, made.spec.name, made.cpus, made.mems or None))
        return taken

    def _holdings(self, uid: str) -> dict[str, messages.ContainerHolding]:
        containers = self._pods[uid].containers.items()
        return {name: self._holding(made.cpus, made.mems, is_entitled=made.is_entitled) for name, made in containers}

    @property
    def _up(self) -> RuntimeSide:
        return require(self._runtime, "no plugin was started", "node.start")

    def _end(self) -> None:
        self._plugin.end()
        if self._runtime is not None:
            self._runtime.close()
        self._runtime = None
