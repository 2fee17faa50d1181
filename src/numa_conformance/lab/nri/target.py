"""An unmodified NRI plugin as a target of the protocol: the surface ``node``."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...cpuset import CpuSet, format_bits
from ...errors import Fault, UsageError
from ...kube import Container, Pod
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
    Removed,
    RemovePod,
    Restarted,
    RestartNode,
    RunPod,
    StartFailed,
    StartNode,
    UnknownPod,
    Update,
)
from .plugin import Plugin, refused_configuration, reserved
from .pods import RunningContainer, RunningPod
from .runtime_side import NriError, RuntimeSide, built


class NriTarget:
    """Starts the plugin anew on each machine, and tells it of pods and containers as a container runtime does.

    A command in which ``{nri_socket}`` stands is told where the runtime is, and by ``{host_root}`` the machine's tree.
    Any other sees the machine below ``/sys`` and ``/proc``, and the runtime's socket at ``/var/run/nri/nri.sock``. CPUs
    that a container of class Guaranteed with a whole number of CPUs is kept to count as its own.
    """

    def __init__(self, words: Sequence[str], unsupported: str = "") -> None:
        """Take the command, and by which words the plugin says that it does not support a machine.

        Raises ``UsageError`` where the runtime's side cannot be built.
        """
        self._program = built()
        self._plugin = Plugin(words, unsupported)
        self._runtime: RuntimeSide | None = None
        self._start: StartNode | None = None
        self._online = 0
        self._pods: dict[str, RunningPod] = {}

    def describe(self, request: Describe) -> Description:
        """Say which plugin this is."""
        return self._plugin.described()

    def node_start(self, request: StartNode) -> NodeStarted | StartFailed:
        """Bring up a runtime without containers, then the plugin, and wait until it has registered.

        A configuration with which the kubelet beside it would not come up is refused as the documentation says.
        """
        self._end()
        self._plugin.forget()
        self._pods = {}
        self._start = request
        self._online = machine_from_dict(request.machine, "machine").online_bits
        refused = refused_configuration(request)
        if refused is not None:
            return refused
        failure = self._come_up(request.kubelet)
        if failure is not None:
            self._plugin.check_support()
            return StartFailed("cpu-manager", failure)
        return NodeStarted(self._shared, reserved_cpus=reserved(request.kubelet) or None)

    def _come_up(self, kubelet: Mapping[str, Any]) -> str | None:
        """Start both, and tell the plugin of the containers that are there; returns why that failed."""
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
            self._take(self._up.updates())
        return failure

    def node_admit(self, request: AdmitPod) -> Admitted | Rejected:
        """Make the pod's sandbox and its containers, and start them. One that is there keeps what it has."""
        pod = Pod.from_dict(request.pod)
        if pod.uid in self._pods:
            return Admitted(self._shared, self._holdings(pod.uid), pod.qos, updates=[])
        running = self._pods[pod.uid] = RunningPod(pod)
        updates: list[Update] = []
        try:
            self._call("RunPodSandbox", pod=running.message)
            for container in pod.all_containers:
                updates += self._run(running, container)
        except NriError as error:
            updates += self._remove(pod.uid)
            to_others = [update for update in updates if update.uid != pod.uid]
            return Rejected(self._shared, "UnexpectedAdmissionError", str(error), pod.qos, updates=to_others)
        updates += self._take(self._up.updates())
        return Admitted(self._shared, self._holdings(pod.uid), pod.qos, updates=updates)

    def _run(self, pod: RunningPod, container: Container) -> Iterator[Update]:
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

    def _stop(self, pod: RunningPod, container: RunningContainer) -> list[Update]:
        container.message["state"] = "CONTAINER_STOPPED"
        answer = self._call("StopContainer", pod=pod.message, container=container.message)
        del pod.containers[container.spec.name]
        updates = self._take(answer.get("update") or ())
        self._call("RemoveContainer", pod=pod.message, container=container.message)
        return updates

    def node_run(self, request: RunPod) -> PodStarted | UnknownPod:
        """Tell what the containers have: a runtime's plugins give it when containers are made."""
        if request.uid not in self._pods:
            return UnknownPod(self._shared)
        updates = self._take(self._up.updates())
        return PodStarted(self._shared, self._holdings(request.uid), updates=updates)

    def node_remove(self, request: RemovePod) -> Removed | UnknownPod:
        """Stop and remove the pod's containers, then its sandbox."""
        if request.uid not in self._pods:
            return UnknownPod(self._shared)
        updates = self._remove(request.uid)
        return Removed(self._shared, updates=updates)

    def _remove(self, uid: str) -> list[Update]:
        pod, updates = self._pods[uid], []
        for container in list(pod.containers.values()):
            updates += self._stop(pod, container)
        for call in ("StopPodSandbox", "RemovePodSandbox"):
            self._call(call, pod=pod.message)
        del self._pods[uid]
        return updates + self._take(self._up.updates())

    def node_state(self, request: ReadState) -> NodeState:
        """Tell what the containers have."""
        self._take(self._up.updates())
        return NodeState(self._shared, {uid: self._holdings(uid) for uid in self._pods})

    def node_restart(self, request: RestartNode) -> Restarted | StartFailed:
        """End the plugin, and start it anew beside a runtime that has the same containers."""
        if self._start is None:
            raise UsageError(Fault("", "no plugin was started", "node.start first"))
        self._end()
        kubelet = self._start.kubelet if request.kubelet is None else request.kubelet
        failure = self._come_up(kubelet)
        if failure is not None:
            return StartFailed("cpu-manager", failure)
        return Restarted([ReadmittedPod(uid, self._holdings(uid)) for uid in self._pods], self._shared)

    def _call(self, name: str, **message: Any) -> Mapping[str, Any]:
        answer = self._up.call(name, **message)
        self._plugin.check()
        return answer

    def _take(self, updates: Iterable[Mapping[str, Any]]) -> list[Update]:
        """Apply what a plugin has changed; returns the cpusets among it."""
        taken = []
        known = {made.id: (uid, made) for uid, pod in self._pods.items() for made in pod.containers.values()}
        for update in updates:
            uid, made = known.get(str(update.get("containerId")), ("", None))
            if made is not None and made.adjust(update.get("linux") or {}):
                taken.append(Update(uid, made.spec.name, made.cpus, made.mems or None))
        return taken

    def _holdings(self, uid: str) -> dict[str, ContainerHolding]:
        return {
            name: ContainerHolding(
                cpus=made.cpus if made.is_entitled else "",
                cpuset=made.cpus or format_bits(self._online),
                mems=made.mems or None,
            )
            for name, made in self._pods[uid].containers.items()
        }

    @property
    def _shared(self) -> str:
        taken = 0
        for pod in self._pods.values():
            for made in pod.containers.values():
                if made.is_entitled:
                    taken |= CpuSet.parse(made.cpus).bits
        return format_bits(self._online & ~taken)

    @property
    def _up(self) -> RuntimeSide:
        if self._runtime is None:
            raise UsageError(Fault("", "no plugin was started", "node.start first"))
        return self._runtime

    def _end(self) -> None:
        """End the plugin, and the runtime after it."""
        self._plugin.end()
        if self._runtime is not None:
            self._runtime.close()
        self._runtime = None

    def close(self) -> None:
        """End all, and remove what was made."""
        self._end()
        self._plugin.close()
