"""A container runtime that starts nothing: it keeps what the kubelet says, and says it again (CRI v1)."""

import hashlib
import math
import signal
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc

from ..kubelet_apis.interfaces import CRI, serve, service
from . import cri_objects as cri
from .launcher import OF_RUNTIME

_CGROUPFS = 1
_AT_ONCE = 1_100
"""Calls: one that waits for each pod that a kubelet takes, and others."""
_LOOK_SECONDS = 0.5
_KILL_SECONDS = 5.0
"""For a program that was killed to be gone."""
_ANSWERED_EMPTY = ("ContainerStats", "ListContainerStats", "PodSandboxStats", "ListPodSandboxStats",
                   "ReopenContainerLog", "UpdateRuntimeConfig", "UpdatePodSandboxResources", "ListMetricDescriptors",
                   "ListPodSandboxMetrics")  # fmt: skip


@dataclass
class FakeRuntime:
    """Serves CRI on a unix socket, and makes a pod's first container when the pod may run: admitting is one thing.

    In ``folder`` it makes the socket, and ``OF_RUNTIME``. ``ends_at_once`` tells of a uid and a container
    whether it ends when started. ``may_run`` tells of a uid whether its containers are made; None: they never will be.
    Who changes that calls ``tell``. ``changed`` is notified whenever the kubelet has done something. ``followed`` is
    called with each container that was started or given other resources, or has ended, and ``stopped`` with the uid of
    a pod whose sandbox was. ``hears`` is called with what happens to a sandbox or a container, by NRI's names; it may
    change a container's resources, or raise ``RefusedError``: ``refused`` keeps the words by the pod's uid.
    ``programs`` runs programs in place of images, and ``address`` is that of all pods.
    """

    folder: Path
    ends_at_once: Callable[[str, str], bool]
    may_run: Callable[[str], bool | None]
    followed: Callable[[cri.CriContainer], None] = lambda container: None
    stopped: Callable[[str], None] = lambda uid: None
    hears: cri.Hears = cri.nobody
    programs: cri.Programs = field(default_factory=cri.Programs)
    address: str = cri.NOWHERE
    refused: dict[str, str] = field(default_factory=dict)
    changed: threading.Condition = field(default_factory=threading.Condition)
    _sandboxes: dict[str, cri.Sandbox] = field(default_factory=dict)
    _containers: dict[str, cri.CriContainer] = field(default_factory=dict)
    _made: int = 0

    def __post_init__(self) -> None:
        """Serve, until ``close``."""
        runtime = service(CRI, "RuntimeService", self._runtime_methods())
        images = service(CRI, "ImageService", self._image_methods())
        for name in OF_RUNTIME:
            (self.folder / name).mkdir(exist_ok=True)
        self._server: grpc.Server = serve(str(self.folder / "cri.sock"), runtime, images, at_once=_AT_ONCE)

    def close(self) -> None:
        """Stop serving."""
        self._server.stop(None)

    def tell(self) -> None:
        """Look again which pods may run."""
        with self.changed:
            self.changed.notify_all()

    def end(self, uid: str, container: str, code: int = 0) -> None:
        """End a container of a pod, as a program that is done; one that is not there is passed over."""
        with self.changed:
            for made in self._containers.values():
                if (made.uid, made.name) == (uid, container) and made.is_running:
                    made.exit_code = code
                    self._end(made)
            self.changed.notify_all()

    def sandboxes_of(self, uid: str) -> int:
        """How many sandboxes a pod has."""
        with self.changed:
            return sum(sandbox.uid == uid for sandbox in self._sandboxes.values())

    def containers_of(self, uid: str) -> dict[str, cri.CriContainer]:
        """Return a pod's containers by name, the last made where one was made again."""
        with self.changed:
            return {made.name: made for made in self._containers.values() if made.uid == uid}

    def _runtime_methods(self) -> Mapping[str, Callable[..., Any]]:
        return {
            **{name: lambda request, context: CRI.Empty() for name in _ANSWERED_EMPTY},
            "Version": lambda request, context: CRI.VersionResponse(
                version="0.1.0", runtime_name="numa-conformance", runtime_version="1.0", runtime_api_version="v1"
            ),
            "Status": lambda request, context: CRI.StatusResponse(status=cri.ready()),
            "RuntimeConfig": lambda request, context: CRI.RuntimeConfigResponse(
                linux=CRI.LinuxRuntimeConfiguration(cgroup_driver=_CGROUPFS)
            ),
            **{name: self._method(answer) for name, answer in self._locked_methods().items()},
            "CreateContainer": self._create,
            "ExecSync": self._execute,
        }

    def _locked_methods(self) -> Mapping[str, Callable[[Any], Any]]:
        return {
            "RunPodSandbox": self._run_sandbox,
            "PodSandboxStatus": lambda request: CRI.PodSandboxStatusResponse(
                status=cri.sandbox_status(self._sandboxes[request.pod_sandbox_id], self.address)
            ),
            "ListPodSandbox": self._list_sandboxes,
            "StopPodSandbox": self._stop_sandbox,
            "RemovePodSandbox": self._remove_sandbox,
            "StartContainer": self._start,
            "StopContainer": self._stop,
            "RemoveContainer": self._remove,
            "ListContainers": self._list_containers,
            "ContainerStatus": lambda request: CRI.ContainerStatusResponse(
                status=cri.container_status(self._containers[request.container_id])
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
                except cri.RefusedError as error:
                    context.abort(grpc.StatusCode.UNKNOWN, str(error))
                finally:
                    self.changed.notify_all()

        return method

    def _next(self) -> str:
        """Return an id as runtimes have them, of 64 hex digits."""
        self._made += 1
        return hashlib.sha256(f"{self.folder} {self._made}".encode()).hexdigest()

    def _run_sandbox(self, request: Any) -> Any:
        sandbox = cri.Sandbox(self._next(), request.config, time.time_ns())
        self._tell_of("RunPodSandbox", sandbox)
        self._sandboxes[sandbox.id] = sandbox
        return CRI.RunPodSandboxResponse(pod_sandbox_id=sandbox.id)

    def _stop_sandbox(self, request: Any) -> Any:
        sandbox = self._sandboxes.get(request.pod_sandbox_id)
        if sandbox is not None and sandbox.state == cri.READY:
            self._tell_of("StopPodSandbox", sandbox)
        if sandbox is not None:
            sandbox.state = cri.NOT_READY
            self.stopped(sandbox.uid)
        return CRI.Empty()

    def _remove_sandbox(self, request: Any) -> Any:
        if (sandbox := self._sandboxes.pop(request.pod_sandbox_id, None)) is not None:
            self._tell_of("RemovePodSandbox", sandbox)
        return CRI.Empty()

    def _remove(self, request: Any) -> Any:
        if (container := self._containers.pop(request.container_id, None)) is not None:
            self._tell_of("RemoveContainer", container.sandbox, container)
        return CRI.Empty()

    def _tell_of(self, event: str, sandbox: cri.Sandbox, container: cri.CriContainer | None = None) -> None:
        """Tell who hears of it; raises ``RefusedError``."""
        try:
            self.hears(event, sandbox, container)
        except cri.RefusedError as error:
            self.refused[sandbox.uid] = str(error)
            raise

    def _list_sandboxes(self, request: Any) -> Any:
        listed = [sandbox for sandbox in self._sandboxes.values() if cri.fits(request.filter, sandbox)]
        return CRI.ListPodSandboxResponse(items=[CRI.PodSandbox(**cri.fields_of(sandbox)) for sandbox in listed])

    def _create(self, request: Any, context: grpc.ServicerContext) -> Any:
        """Make a container, as soon as its pod may run."""
        with self.changed:
            sandbox = self._sandboxes.get(request.pod_sandbox_id)
            if sandbox is None:
                context.abort(grpc.StatusCode.NOT_FOUND, f"there is no {request.pod_sandbox_id}")
            resources = CRI.LinuxContainerResources()
            resources.CopyFrom(request.config.linux.resources)
            container = cri.CriContainer(self._next(), sandbox, request.config, resources, time.time_ns())
            self._containers[container.id] = container
            self.changed.notify_all()
            while not (may_run := self.may_run(container.uid)) and may_run is not None and context.is_active():
                self.changed.wait(_LOOK_SECONDS)
            why = "" if may_run and context.is_active() else "the pod is not to run"
            try:
                if not why:
                    names = [device.name for device in container.config.CDI_devices]
                    container.environment = cri.environment(self.folder / "cdi", names) if names else []
                    self._tell_of("CreateContainer", sandbox, container)
            except cri.RefusedError as error:
                why = str(error)
            container.is_made = not why
            if why:
                del self._containers[container.id]
                self.changed.notify_all()
                context.abort(grpc.StatusCode.UNAVAILABLE, why)
            self._tell_of("PostCreateContainer", sandbox, container)
            return CRI.CreateContainerResponse(container_id=container.id)

    def _start(self, request: Any) -> Any:
        container = self._containers[request.container_id]
        self._tell_of("StartContainer", container.sandbox, container)
        container.state, container.started = cri.RUNNING, time.time_ns()
        self._tell_of("PostStartContainer", container.sandbox, container)
        self.followed(container)
        if not self.programs.start(container) and self.ends_at_once(container.uid, container.name):
            self._end(container)
        return CRI.Empty()

    def _stop(self, request: Any) -> Any:
        """End a container; a program has time to end by itself."""
        container = self._containers[request.container_id]
        for number, seconds in ((signal.SIGTERM, request.timeout), (signal.SIGKILL, _KILL_SECONDS)):
            if container.is_running and self.programs.send(container, number):
                self.changed.wait_for(lambda: not container.is_running, seconds)
        return self._end(container)

    def _execute(self, request: Any, context: grpc.ServicerContext) -> Any:
        container = self._containers[request.container_id]
        code, written = self.programs.execute(container, request.cmd, request.timeout or math.inf)
        if code is None:
            context.abort(grpc.StatusCode.DEADLINE_EXCEEDED, f"{request.cmd[0]} takes longer than {request.timeout} s")
        return CRI.ExecSyncResponse(stdout=written, exit_code=code)

    def _end(self, container: cri.CriContainer) -> Any:
        if container.state != cri.EXITED:
            container.state, container.finished = cri.EXITED, time.time_ns()
            self._tell_of("StopContainer", container.sandbox, container)
            self.followed(container)
        return CRI.Empty()

    def _update(self, request: Any) -> Any:
        container = self._containers[request.container_id]
        resources = CRI.LinuxContainerResources()
        resources.CopyFrom(container.resources)
        resources.MergeFrom(request.linux)  # a field that is left out stays as it was
        container.resources = resources
        self._tell_of("UpdateContainer", container.sandbox, container)
        if container.is_running:
            self.followed(container)
        return CRI.Empty()

    def _list_containers(self, request: Any) -> Any:
        listed = [
            CRI.Container(**cri.fields_of(container), pod_sandbox_id=container.sandbox.id)
            for container in self._containers.values()
            if container.is_made
            and cri.fits(request.filter, container)
            and request.filter.pod_sandbox_id in ("", container.sandbox.id)
        ]
        return CRI.ListContainersResponse(containers=listed)

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
