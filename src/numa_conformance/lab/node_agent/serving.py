"""Serving a node on the sockets of a kubelet, and its PodResources API v1 (DEV-PR-01..05, MEM-REPORT-01)."""

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import grpc

from ...cpuset import Unchecked, iter_bits
from ...errors import UsageError
from ...kube import Pod, files_of, read_cluster
from ...reference.managers.device import NO_NODE
from ...reference.node.results import Placement
from ..kubelet_apis.interfaces import POD_RESOURCES as V1
from ..kubelet_apis.interfaces import serve, service
from .agent import NodeAgent, NodeView, Tell, line
from .registration import DevicePlugins
from .root import AgentRoot, private_sockets


def pod_resources_service(agent: NodeAgent) -> Any:
    """Return the service ``v1.PodResourcesLister`` over an agent's node."""
    lister = _Lister(agent)
    methods = {"List": lister.list, "GetAllocatableResources": lister.allocatable, "Get": lister.get}
    return service(V1, "PodResourcesLister", methods, requests={"Get": "GetPodResourcesRequest"})


class _Lister:
    def __init__(self, agent: NodeAgent) -> None:
        self._agent = agent

    def list(self, request: object, context: object) -> Any:
        """Tell of every pod; before 1.34 of those too that are refused (DEV-PR-05)."""
        view = self._agent.view
        pods = list(view.pods)
        if not self._agent.node.gates.enabled("KubeletPodResourcesListUseActivePods"):
            pods += view.refused
        return V1.ListPodResourcesResponse(pod_resources=[_pod(pod, view) for pod in pods])

    def get(self, request: Any, context: grpc.ServicerContext) -> Any:
        if not self._agent.node.gates.enabled("KubeletPodResourcesGet"):
            context.abort(grpc.StatusCode.UNKNOWN, "PodResources API Get method disabled")
        view = self._agent.view
        name, namespace = request.pod_name, request.pod_namespace
        for pod in (*view.pods, *view.refused):
            if (pod.name, pod.namespace) == (name, namespace):
                return V1.GetPodResourcesResponse(pod_resources=_pod(pod, view))
        return context.abort(grpc.StatusCode.UNKNOWN, f"pod {name} in namespace {namespace} not found")

    def allocatable(self, request: object, context: object) -> Any:
        """Tell what can be given to containers exclusively, whoever has it now."""
        view = self._agent.view
        devices = [
            record
            for resource, listed in sorted(view.devices.items())
            for device in sorted(listed.healthy)
            for record in _records(resource, device, listed.nodes[device])
        ]
        memory = [
            V1.ContainerMemory(memory_type=kind, size=table.allocatable, topology=_nodes([node]))
            for node, books in (view.pools.memory or {}).items()
            for kind, table in books.tables.items()
            if table.allocatable
        ]
        cpus = list(iter_bits(view.pools.allocatable or 0))
        return V1.AllocatableResourcesResponse(devices=devices, cpu_ids=cpus, memory=memory)


def _pod(pod: Pod, view: NodeView) -> Any:
    placed = view.placements.get(pod.uid, {})
    lasting = [*(each for each in pod.init_containers if each.restart_always), *pod.containers]  # (CPU-POD-03)
    containers = [_container(each.name, placed.get(each.name), view) for each in lasting]
    return V1.PodResources(name=pod.name, namespace=pod.namespace, containers=containers)


def _container(name: str, placed: Placement | None, view: NodeView) -> Any:
    if placed is None:
        return V1.ContainerResources(name=name)
    return V1.ContainerResources(
        name=name,
        devices=[record for resource, ids in (placed.devices or {}).items() for record in _held(resource, ids, view)],
        cpu_ids=list(iter_bits(placed.cpus)),
        memory=[
            V1.ContainerMemory(memory_type=block.type, size=block.bytes, topology=_nodes(block.nodes))
            for block in placed.memory or ()
        ],
    )


def _held(resource: str, ids: Iterable[str], view: NodeView) -> Iterator[Any]:
    """Yield the records of devices that a container has; node -1 is a kubelet's word for no topology there."""
    known = view.devices.get(resource)
    for device in ids:
        nodes = known.nodes.get(device) if known else None
        yield from _records(resource, device, tuple(node for node in nodes or () if node != NO_NODE) or None)


def _records(resource: str, device: str, nodes: Iterable[int] | None) -> Iterator[Any]:
    """Yield a record for each NUMA node of a device, none for a topology without nodes (DEV-PR-01, DEV-PR-04)."""
    for topology in [None] if nodes is None else [_nodes([node]) for node in nodes]:
        yield V1.ContainerDevices(resource_name=resource, device_ids=[device], topology=topology)


def _nodes(nodes: Iterable[Unchecked]) -> Any:
    return V1.TopologyInfo(nodes=[V1.NUMANode(ID=node) for node in nodes])


class RateLimit(grpc.ServerInterceptor):
    """As the kubelet does: so many requests a second, and a few at once; the others are refused at once."""

    PER_SECOND, AT_ONCE = 100.0, 10.0

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._left = self.AT_ONCE
        self._then = clock()

    def allows(self) -> bool:
        """Take one request, unless there are too many."""
        with self._lock:
            now = self._clock()
            self._left = min(self.AT_ONCE, self._left + (now - self._then) * self.PER_SECOND)
            self._then = now
            if self._left < 1:
                return False
            self._left -= 1
            return True

    def intercept_service(self, continuation: Any, details: Any) -> Any:
        """Answer a request that is one too many."""
        if self.allows():
            return continuation(details)
        refusal = grpc.StatusCode.RESOURCE_EXHAUSTED, "rejected by rate limit"
        return grpc.unary_unary_rpc_method_handler(lambda request, context: context.abort(*refusal))


class ServedNode(contextlib.AbstractContextManager["ServedNode"]):
    """An agent on its sockets, with the pods of files. A context: on leaving it the sockets are gone."""

    def __init__(self, agent: NodeAgent, root: AgentRoot, files: "PodFiles", tell: Tell) -> None:
        """Admit the pods, and serve; raises ``UsageError``."""
        self._agent = agent
        self._root = root
        self._files = files
        self._tell = tell
        self._reload = threading.Event()
        self._plugins = DevicePlugins(agent, root.device_plugins, tell)
        self._take(*files.read())
        with private_sockets():
            self._servers = [
                serve(str(root.pod_resources), pod_resources_service(agent), interceptors=[RateLimit()]),
                serve(str(root.registration), self._plugins.service()),
            ]

    def read_again(self) -> None:
        """Have the pods read again at the next pass, changed or not."""
        self._reload.set()

    def keep_up(self) -> None:
        """Make one pass: take over what has changed in the files; files with faults change nothing."""
        self._plugins.forget_gone()
        if not (self._files.changed() or self._reload.is_set()):
            return
        self._reload.clear()
        try:
            self._take(*self._files.read())
        except (UsageError, OSError) as error:
            for fault in error.faults if isinstance(error, UsageError) else [error]:
                self._tell(f"the pods stay as they were: {line(str(fault))}")

    def close(self) -> None:
        """Stop serving and remove the sockets."""
        for stopped in [server.stop(1) for server in self._servers]:
            stopped.wait()
        self._plugins.close()
        self._root.close()

    def __exit__(self, *error: object) -> None:
        self.close()

    def _take(self, pods: list[Pod], notices: tuple[str, ...]) -> None:
        for text in notices:
            self._tell(text)
        self._agent.want(pods)


_Stamp = tuple[str, int, int, int]


class PodFiles:
    """Files and folders with pods, as ``simulate`` takes them; those that are gone and empty folders hold none."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = paths
        self._stamps: list[_Stamp] = []

    def read(self) -> tuple[list[Pod], tuple[str, ...]]:
        """Return the pods in order, and what was left out of the files; raises ``UsageError``."""
        self._stamps = self._look()
        files = [file for path in self._paths if path.exists() for file in files_of(path)]
        if not files:
            return [], ()
        objects = read_cluster(*files)
        return list(objects.pods), objects.notices

    def changed(self) -> bool:
        """Tell whether a file came, went or was written since ``read``."""
        return self._look() != self._stamps

    def _look(self) -> list[_Stamp]:
        stamps = []
        for path in self._paths:
            with contextlib.suppress(OSError):  # it may go while we look
                for file in files_of(path):
                    status = os.stat(file)
                    stamps.append((file, status.st_ino, status.st_mtime_ns, status.st_size))
        return stamps
