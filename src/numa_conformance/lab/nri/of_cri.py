"""Pods and containers as NRI has them, of what a kubelet asks a container runtime for (CRI)."""

import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from ..kubelet.cri_objects import EXITED, READY, CriContainer, RefusedError, Sandbox
from ..kubelet_apis.interfaces import CRI
from .pods import PARENT
from .runtime_side import NriError, RuntimeSide

_STATES = ("CONTAINER_CREATED", "CONTAINER_RUNNING", "CONTAINER_STOPPED")
_WHOLE = {"quota": "cpu_quota", "shares": "cpu_shares", "period": "cpu_period"}
"""What NRI wraps in an object each, and CRI's names."""
_PLAIN = {"cpus": "cpuset_cpus", "mems": "cpuset_mems"}
_CANNOT_REFUSE = ("StopContainer", "RemoveContainer", "StopPodSandbox", "RemovePodSandbox")


class RuntimePlugins:
    """The plugins of NRI beside a ``FakeRuntime``: it hears what happens there, and changes what plugins change."""

    def __init__(
        self,
        program: Path,
        folder: Path,
        qos_of: Callable[[str], str],
        changed: Callable[[CriContainer], None] = lambda container: None,
    ) -> None:
        """Take the runtime's side of NRI, a folder for its socket, and who tells a pod's QoS class by its uid.

        ``changed`` is called with a running container that a plugin has given other resources.
        """
        self._program, self._folder, self._qos_of, self._changed = program, folder, qos_of, changed
        self._side: RuntimeSide | None = None
        self._sandboxes: dict[str, Sandbox] = {}
        self._containers: dict[str, CriContainer] = {}
        self._parents: dict[str, str] = {}
        self._lock = threading.RLock()

    @property
    def socket(self) -> Path:
        """Where NRI is served."""
        return self._folder / "nri.sock"

    @property
    def registrations(self) -> int:
        """How many plugins have registered since it is served."""
        return 0 if self._side is None else self._side.registrations

    def listen(self) -> None:
        """Serve NRI, anew where it was served; plugins that register are told of what is there."""
        self.close()
        none = self._folder / "none"
        none.mkdir(parents=True, exist_ok=True)
        self._side = RuntimeSide(self._program, self.socket, none)
        self._side.call("Listen", **self._known())

    def registered(self, seconds: float) -> bool:
        """Wait for a plugin; False where none has registered in this time. Raises ``NriError`` where it refuses."""
        return self._side is not None and self._side.registered(seconds)

    def __call__(self, event: str, sandbox: Sandbox, container: CriContainer | None) -> None:
        """Tell the plugins what happens, and do what they answer; raises ``RefusedError`` where they refuse."""
        with self._lock:
            self._tell(event, sandbox, container)

    def _tell(self, event: str, sandbox: Sandbox, container: CriContainer | None) -> None:
        self.take_updates()
        message: dict[str, Any] = {"pod": self._pod(sandbox)}
        if container is not None:
            message["container"] = self._container(container)
        self._remember(event, sandbox, container)  # later: who is asked for a pod's class may wait for one that is gone
        if event == "UpdateContainer":
            message["linuxResources"] = message["container"]["linux"]["resources"]
        if self._side is None:
            return
        try:
            answer = self._side.call(event, known=self._known(), **message)
        except NriError as error:
            if event in _CANNOT_REFUSE:
                return
            self._forget(event, sandbox, container)
            raise RefusedError(f"{event}: {error}") from error
        if container is not None:
            _adjust(container.resources, (answer.get("adjust") or {}).get("linux") or {})
        self._take(answer.get("update") or ())

    def take_updates(self) -> None:
        """Do what plugins have asked for unasked."""
        with self._lock:
            self._take(self._side.updates() if self._side is not None else ())

    def close(self) -> None:
        """Serve NRI no longer."""
        if self._side is not None:
            self._side.close()
        self._side = None

    def _known(self) -> dict[str, Any]:
        """Return what is there, as a plugin that registers is told; runtimes tell of nothing that has ended."""
        return {
            "pods": [self._pod(sandbox) for sandbox in self._sandboxes.values() if sandbox.state == READY],
            "containers": [self._container(made) for made in self._containers.values() if made.state != EXITED],
        }

    def _remember(self, event: str, sandbox: Sandbox, container: CriContainer | None) -> None:
        if event == "RunPodSandbox":
            self._sandboxes[sandbox.id] = sandbox
        elif event == "CreateContainer" and container is not None:
            self._containers[container.id] = container
        elif event in ("RemovePodSandbox", "RemoveContainer"):
            self._forget(event, sandbox, container)

    def _forget(self, event: str, sandbox: Sandbox, container: CriContainer | None) -> None:
        if container is None:
            self._sandboxes.pop(sandbox.id, None)
            self._parents.pop(sandbox.id, None)
        elif event in ("RemoveContainer", "CreateContainer"):
            self._containers.pop(container.id, None)

    def _take(self, updates: Iterable[Mapping[str, Any]]) -> None:
        for update in updates:
            if (container := self._containers.get(str(update.get("containerId")))) is not None:
                _adjust(container.resources, update.get("linux") or {})
                if container.is_running:
                    self._changed(container)

    def _pod(self, sandbox: Sandbox) -> dict[str, Any]:
        config = sandbox.config
        return {
            **{name: getattr(config.metadata, name) for name in ("name", "uid", "namespace")}, "id": sandbox.id,
            "labels": dict(config.labels), "annotations": dict(config.annotations),
            "linux": {"cgroupParent": self._parent(sandbox)},
        }  # fmt: skip

    def _parent(self, sandbox: Sandbox) -> str:
        """Return the folder of the pod's cgroup. A kubelet that manages none names none: it is where others have it."""
        if sandbox.id not in self._parents:
            parent = sandbox.config.linux.cgroup_parent
            self._parents[sandbox.id] = parent or PARENT[self._qos_of(sandbox.uid)] + sandbox.uid
        return self._parents[sandbox.id]

    def _container(self, container: CriContainer) -> dict[str, Any]:
        config, resources = container.config, container.resources
        wrapped = {nri: {"value": getattr(resources, cri)} for nri, cri in _WHOLE.items() if getattr(resources, cri)}
        plain = {nri: getattr(resources, cri) for nri, cri in _PLAIN.items() if getattr(resources, cri)}
        limit = resources.memory_limit_in_bytes
        return {
            "id": container.id, "podSandboxId": container.sandbox.id, "name": container.name,
            "state": _STATES[container.state], "labels": dict(config.labels), "annotations": dict(config.annotations),
            "env": [*(f"{env.key}={env.value}" for env in config.envs), *container.environment],
            "linux": {
                "cgroupsPath": f"{self._parent(container.sandbox)}/{container.id}",
                "oomScoreAdj": {"value": resources.oom_score_adj},
                "resources": {"cpu": {**wrapped, **plain}, "memory": {"limit": {"value": limit}} if limit else {}},
            },
        }  # fmt: skip


def _adjust(resources: Any, linux: Mapping[str, Any]) -> None:
    """Give a container the CPUs, NUMA nodes and CPU time that a plugin has set; what it leaves out stays."""
    cpu = (linux.get("resources") or {}).get("cpu") or {}
    whole = {cri: int((cpu.get(nri) or {}).get("value") or 0) for nri, cri in _WHOLE.items()}
    plain = {cri: str(cpu.get(nri) or "") for nri, cri in _PLAIN.items()}
    resources.MergeFrom(CRI.LinuxContainerResources(**whole, **plain))
