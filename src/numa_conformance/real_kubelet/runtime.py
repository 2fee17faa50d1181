"""A container runtime that starts nothing: it keeps what the kubelet says, and says it again (CRI v1)."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import grpc

from ..kubelet_apis.interfaces import CRI
from ..kubelet_apis.wire import serve, service

__all__ = ["Container", "FakeRuntime"]

_CREATED, _RUNNING, _EXITED = 0, 1, 2
_READY, _NOT_READY = 0, 1
_CGROUPFS = 1
_AT_ONCE = 1_100
"""Calls: one that waits for each pod that a kubelet takes, and others."""
_LOOK_SECONDS = 0.5
_ANSWERED_EMPTY = ("ContainerStats", "ListContainerStats", "PodSandboxStats", "ListPodSandboxStats",
                   "ReopenContainerLog", "UpdateRuntimeConfig", "UpdatePodSandboxResources", "ListMetricDescriptors",
                   "ListPodSandboxMetrics")  # fmt: skip


@dataclass
class _Sandbox:
    id: str
    config: Any
    created: int
    state: int = _READY


@dataclass
class Container:
    """One container as the kubelet wants it; ``resources`` are the last that it was given, at creation or later.

    ``is_made``: whether the kubelet was told that it is there.
    """

    id: str
    sandbox: _Sandbox
    config: Any
    resources: Any
    created: int
    is_made: bool = False
    state: int = _CREATED
    started: int = 0
    finished: int = 0

    @property
    def uid(self) -> str:
        """The uid of its pod."""
        return str(self.sandbox.config.metadata.uid)

    @property
    def name(self) -> str:
        """Its name in the pod."""
        return str(self.config.metadata.name)

    @property
    def log(self) -> str:
        """The file of its log, as the kubelet names it."""
        return f"{self.sandbox.config.log_directory}/{self.config.log_path}"

    @property
    def has_started(self) -> bool:
        """Whether it was started, be it that it has ended since."""
        return self.state != _CREATED

    @property
    def is_running(self) -> bool:
        """Whether it runs now."""
        return self.state == _RUNNING


@dataclass
class FakeRuntime:
    """Serves CRI on a unix socket, and makes a pod's first container when the pod may run: admitting is one thing.

    ``ends_at_once`` tells of a pod's uid and a container whether it ends when started. ``may_run`` tells of a uid
    whether its containers are made; None: they never will be. Who changes that calls ``tell``. ``changed`` is notified
    whenever the kubelet has done something. ``followed`` is called with each container that was started or given other
    resources, or has ended, and ``stopped`` with the uid of a pod whose sandbox was.
    """

    socket: str
    ends_at_once: Callable[[str, str], bool]
    may_run: Callable[[str], bool | None]
    followed: Callable[[Container], None] = lambda container: None
    stopped: Callable[[str], None] = lambda uid: None
    changed: threading.Condition = field(default_factory=threading.Condition)
    _sandboxes: dict[str, _Sandbox] = field(default_factory=dict)
    _containers: dict[str, Container] = field(default_factory=dict)
    _made: int = 0

    def __post_init__(self) -> None:
        """Serve, until ``close``."""
        runtime = service(CRI, "RuntimeService", self._runtime_methods())
        images = service(CRI, "ImageService", self._image_methods())
        self._server: grpc.Server = serve(self.socket, runtime, images, at_once=_AT_ONCE)

    def close(self) -> None:
        """Stop serving."""
        self._server.stop(None)

    def tell(self) -> None:
        """Look again which pods may run."""
        with self.changed:
            self.changed.notify_all()

    def end(self, uid: str, container: str) -> None:
        """End a container of a pod, as a program that is done; one that is not there is passed over."""
        with self.changed:
            for made in self._containers.values():
                if (made.uid, made.name) == (uid, container) and made.is_running:
                    self._end(made)
            self.changed.notify_all()

    def sandboxes_of(self, uid: str) -> int:
        """How many sandboxes a pod has."""
        with self.changed:
            return sum(sandbox.config.metadata.uid == uid for sandbox in self._sandboxes.values())

    def containers_of(self, uid: str) -> dict[str, Container]:
        """Return a pod's containers by name, the last made where one was made again."""
        with self.changed:
            return {made.name: made for made in self._containers.values() if made.uid == uid}

    def _runtime_methods(self) -> Mapping[str, Callable[..., Any]]:
        empty = CRI.Empty
        return {
            **{name: lambda request, context: empty() for name in _ANSWERED_EMPTY},
            "Version": lambda request, context: CRI.VersionResponse(
                version="0.1.0", runtime_name="numa-conformance", runtime_version="1.0", runtime_api_version="v1"
            ),
            "Status": lambda request, context: CRI.StatusResponse(status=_ready()),
            "RuntimeConfig": lambda request, context: CRI.RuntimeConfigResponse(
                linux=CRI.LinuxRuntimeConfiguration(cgroup_driver=_CGROUPFS)
            ),
            **{name: self._method(answer) for name, answer in self._kept().items()},
            "CreateContainer": self._create,
        }

    def _kept(self) -> Mapping[str, Callable[[Any], Any]]:
        return {
            "RunPodSandbox": self._run_sandbox,
            "PodSandboxStatus": lambda request: CRI.PodSandboxStatusResponse(
                status=_sandbox_status(self._sandboxes[request.pod_sandbox_id])
            ),
            "ListPodSandbox": self._list_sandboxes,
            "StopPodSandbox": self._stop_sandbox,
            "RemovePodSandbox": lambda request: self._forget(self._sandboxes, request.pod_sandbox_id),
            "StartContainer": self._start,
            "StopContainer": lambda request: self._end(self._containers[request.container_id]),
            "RemoveContainer": lambda request: self._forget(self._containers, request.container_id),
            "ListContainers": self._list_containers,
            "ContainerStatus": lambda request: CRI.ContainerStatusResponse(
                status=_container_status(self._containers[request.container_id])
            ),
            "UpdateContainerResources": self._update,
        }

    def _method(self, answer: Callable[[Any], Any]) -> Callable[[Any, grpc.ServicerContext], Any]:
        def method(request: Any, context: grpc.ServicerContext) -> Any:
            with self.changed:
                try:
                    return answer(request)
                except KeyError as missing:
                    context.abort(grpc.StatusCode.NOT_FOUND, f"there is no {missing}")
                finally:
                    self.changed.notify_all()

        return method

    def _next(self) -> str:
        """Return an id as runtimes have them, of 64 hex digits."""
        self._made += 1
        return hashlib.sha256(f"{self.socket} {self._made}".encode()).hexdigest()

    def _run_sandbox(self, request: Any) -> Any:
        sandbox = _Sandbox(self._next(), request.config, time.time_ns())
        self._sandboxes[sandbox.id] = sandbox
        return CRI.RunPodSandboxResponse(pod_sandbox_id=sandbox.id)

    def _stop_sandbox(self, request: Any) -> Any:
        sandbox = self._sandboxes.get(request.pod_sandbox_id)
        if sandbox is not None:
            sandbox.state = _NOT_READY
            self.stopped(str(sandbox.config.metadata.uid))
        return CRI.Empty()

    def _forget(self, kept: dict[str, Any], key: str) -> Any:
        kept.pop(key, None)
        return CRI.Empty()

    def _list_sandboxes(self, request: Any) -> Any:
        wanted = request.filter
        sandboxes = [
            sandbox
            for sandbox in self._sandboxes.values()
            if _fits(wanted, sandbox.id, sandbox.state, sandbox.config.labels)
        ]
        return CRI.ListPodSandboxResponse(
            items=[
                CRI.PodSandbox(
                    id=sandbox.id,
                    metadata=sandbox.config.metadata,
                    state=sandbox.state,
                    created_at=sandbox.created,
                    labels=sandbox.config.labels,
                    annotations=sandbox.config.annotations,
                )
                for sandbox in sandboxes
            ]
        )

    def _create(self, request: Any, context: grpc.ServicerContext) -> Any:
        """Make a container, as soon as its pod may run."""
        with self.changed:
            sandbox = self._sandboxes.get(request.pod_sandbox_id)
            if sandbox is None:
                context.abort(grpc.StatusCode.NOT_FOUND, f"there is no {request.pod_sandbox_id}")
            resources = request.config.linux.resources
            container = Container(self._next(), sandbox, request.config, resources, time.time_ns())
            self._containers[container.id] = container
            self.changed.notify_all()
            while not (may_run := self.may_run(container.uid)) and may_run is not None and context.is_active():
                self.changed.wait(_LOOK_SECONDS)
            container.is_made = bool(may_run) and context.is_active()
            if not container.is_made:
                del self._containers[container.id]
                context.abort(grpc.StatusCode.UNAVAILABLE, "the pod is not to run")
            return CRI.CreateContainerResponse(container_id=container.id)

    def _start(self, request: Any) -> Any:
        container = self._containers[request.container_id]
        container.state, container.started = _RUNNING, time.time_ns()
        self.followed(container)
        if self.ends_at_once(container.uid, container.name):
            self._end(container)
        return CRI.Empty()

    def _end(self, container: Container) -> Any:
        if container.state != _EXITED:
            container.state, container.finished = _EXITED, time.time_ns()
            self.followed(container)
        return CRI.Empty()

    def _update(self, request: Any) -> Any:
        container = self._containers[request.container_id]
        resources = CRI.LinuxContainerResources()
        resources.CopyFrom(container.resources)
        resources.MergeFrom(request.linux)  # a field that is left out stays as it was
        container.resources = resources
        if container.is_running:
            self.followed(container)
        return CRI.Empty()

    def _list_containers(self, request: Any) -> Any:
        wanted = request.filter
        containers = [
            container
            for container in self._containers.values()
            if container.is_made
            and _fits(wanted, container.id, container.state, container.config.labels)
            and wanted.pod_sandbox_id in ("", container.sandbox.id)
        ]
        return CRI.ListContainersResponse(
            containers=[
                CRI.Container(
                    id=container.id,
                    pod_sandbox_id=container.sandbox.id,
                    metadata=container.config.metadata,
                    image=container.config.image,
                    image_ref=container.config.image.image,
                    state=container.state,
                    created_at=container.created,
                    labels=container.config.labels,
                    annotations=container.config.annotations,
                )
                for container in containers
            ]
        )

    def _image_methods(self) -> Mapping[str, Callable[..., Any]]:
        def status(request: Any, context: object) -> Any:
            name = request.image.image
            return CRI.ImageStatusResponse(image=CRI.Image(id=name, repo_tags=[name], size=1, spec=request.image))

        return {
            "ImageStatus": status,
            "PullImage": lambda request, context: CRI.PullImageResponse(image_ref=request.image.image),
            "ListImages": lambda request, context: CRI.Empty(),
            "ImageFsInfo": lambda request, context: CRI.Empty(),
            "RemoveImage": lambda request, context: CRI.Empty(),
        }


def _ready() -> Any:
    conditions = [CRI.RuntimeCondition(type=condition, status=True) for condition in ("RuntimeReady", "NetworkReady")]
    return CRI.RuntimeStatus(conditions=conditions)


def _fits(wanted: Any, own_id: str, state: int, labels: Mapping[str, str]) -> bool:
    return (
        wanted.id in ("", own_id)
        and (not wanted.HasField("state") or wanted.state.state == state)
        and all(labels.get(key) == value for key, value in wanted.label_selector.items())
    )


def _sandbox_status(sandbox: _Sandbox) -> Any:
    """Return a sandbox's status. It repeats the namespaces asked for, else the kubelet makes the pod ever again."""
    options = sandbox.config.linux.security_context.namespace_options
    return CRI.PodSandboxStatus(
        id=sandbox.id,
        metadata=sandbox.config.metadata,
        state=sandbox.state,
        created_at=sandbox.created,
        network=CRI.PodSandboxNetworkStatus(ip="192.0.2.1"),
        linux=CRI.LinuxPodSandboxStatus(namespaces=CRI.Namespace(options=options)),
        labels=sandbox.config.labels,
        annotations=sandbox.config.annotations,
    )


def _container_status(container: Container) -> Any:
    """Return a container's status. It names a log: the kubelet removes all files that begin with what it is told."""
    return CRI.ContainerStatus(
        id=container.id,
        metadata=container.config.metadata,
        state=container.state,
        created_at=container.created,
        started_at=container.started,
        finished_at=container.finished,
        reason="Completed" if container.state == _EXITED else "",
        image=container.config.image,
        image_ref=container.config.image.image,
        labels=container.config.labels,
        annotations=container.config.annotations,
        log_path=container.log,
    )
