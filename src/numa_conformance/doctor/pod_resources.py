"""What PodResources tells: asked of the kubelet's socket, or read from a dump where it was written down."""

import time
from typing import Any, TypeVar

import msgspec

from ..errors import Fault, UsageError
from ..sources.versions import KubernetesVersion
from ..wire.history.values import Bytes, CpuId, MaybeNode
from .tree import MAX_SMALL, NodeTree

_Kind = TypeVar("_Kind")

PATIENCE = 30.0
"""Seconds after which no further pod is asked for one by one."""
MAX_REPORT = 16 * 1024 * 1024
"""What a kubelet may send in one message: it tells of each device."""
DUMPED = "numa-conformance/pod-resources.json"
"""Where a dump keeps what was told, below its root."""


class DeviceReport(msgspec.Struct, frozen=True):
    """Devices of one resource, and the NUMA nodes told with them."""

    resource: str
    ids: list[str] = []
    nodes: list[MaybeNode] = []


class MemoryReport(msgspec.Struct, frozen=True):
    """Memory of one type, in bytes, on NUMA nodes."""

    type: str
    bytes: Bytes
    nodes: list[MaybeNode] = []


class ContainerReport(msgspec.Struct, frozen=True):
    """What one container has, or (with no name) what the node has to give."""

    name: str = ""
    cpus: list[CpuId] = []
    memory: list[MemoryReport] = []
    devices: list[DeviceReport] = []


class PodReport(msgspec.Struct, frozen=True):
    """What the containers of one pod have. ``got``: what ``Get`` told of it, where that differs from ``List``."""

    namespace: str
    name: str
    containers: list[ContainerReport] = []
    got: list[ContainerReport] | None = None


class PodResourcesReport(msgspec.Struct, frozen=True):
    """All that was told; ``allocatable`` is None where the kubelet does not tell it."""

    pods: list[PodReport] = []
    allocatable: ContainerReport | None = None
    notes: list[str] = []


def read_dump(tree: NodeTree) -> PodResourcesReport | None:
    """Read what a dump keeps; None where it keeps nothing. Raises ``UsageError`` for what is no such thing."""
    return _read(tree, DUMPED, PodResourcesReport, MAX_REPORT)


def _read(tree: NodeTree, file: str, kind: type[_Kind], most: int) -> _Kind | None:
    content = tree.content(file, most)
    try:
        return None if content is None else msgspec.json.decode(content, type=kind)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise UsageError(Fault(file, f"is not what collect-node writes: {error}")) from error


def ask_kubelet(socket: str) -> PodResourcesReport:
    """Ask List, GetAllocatableResources and, of each pod, Get; raises ``UsageError`` where List has no answer."""
    try:
        import grpc

        from ..lab.kubelet_apis.interfaces import POD_RESOURCES, ask
    except ImportError as error:
        raise UsageError(Fault("", f"{error.name} is not installed", "pip install 'numa-conformance[lab]'")) from error

    def call(method: str, request: Any, answer: str) -> Any:
        return ask(socket, POD_RESOURCES, f"PodResourcesLister/{method}", request, answer)

    notes: list[str] = []
    try:
        listed = call("List", POD_RESOURCES.Empty(), "ListPodResourcesResponse").pod_resources
    except grpc.RpcError as error:
        raise UsageError(Fault(socket, f"PodResources does not answer: {_why(error)}", "its socket")) from None
    allocatable = None
    try:
        allocatable = _container(call("GetAllocatableResources", POD_RESOURCES.Empty(), "AllocatableResourcesResponse"))
    except grpc.RpcError as error:
        notes.append(f"GetAllocatableResources is not answered: {_why(error)}")
    pods: list[PodReport] = []
    ask_get, began = True, time.monotonic()
    for pod in listed:
        if ask_get and time.monotonic() - began > PATIENCE:
            ask_get = False
            notes.append(f"Get is slow: {len(pods)} of {len(listed)} pods were asked for in {PATIENCE:g} s")
        containers = [_container(container) for container in pod.containers]
        got = None
        if ask_get:
            try:
                request = POD_RESOURCES.GetPodResourcesRequest(pod_name=pod.name, pod_namespace=pod.namespace)
                answer = call("Get", request, "GetPodResourcesResponse").pod_resources
                got = [_container(container) for container in answer.containers]
            except grpc.RpcError as error:
                ask_get = False
                notes.append(f"Get is not answered: {_why(error)}")
        pods.append(PodReport(pod.namespace, pod.name, containers, got if got != containers else None))
    return PodResourcesReport(pods, allocatable, notes)


def _why(error: Any) -> str:
    return str(error.details() or error.code()) if hasattr(error, "details") else str(error)


def _container(answer: Any) -> ContainerReport:
    devices: dict[str, DeviceReport] = {}
    for device in answer.devices:
        known = devices.get(device.resource_name, DeviceReport(device.resource_name))
        nodes = sorted({*known.nodes, *(node.ID for node in device.topology.nodes)})
        ids = sorted({*known.ids, *device.device_ids})
        devices[device.resource_name] = DeviceReport(device.resource_name, ids, nodes)
    memory = [
        MemoryReport(block.memory_type, block.size, sorted(node.ID for node in block.topology.nodes))
        for block in answer.memory
    ]
    name, in_order = getattr(answer, "name", ""), [devices[resource] for resource in sorted(devices)]
    return ContainerReport(name, sorted(answer.cpu_ids), memory, in_order)


FILE = "numa-conformance/dump.json"
FORMAT = 1


class DumpManifest(msgspec.Struct, frozen=True):
    """A dump's own file: when it was made, and the CPU Manager's state file written, in seconds since the epoch."""

    format: int
    time: float
    state_changed: float | None = None
    version: str | None = None
    tool: str = ""

    @property
    def kubernetes_version(self) -> KubernetesVersion | None:
        """The kubelet's version; None where it was not told, or is none whose behaviour is known."""
        return KubernetesVersion.known(self.version) if self.version else None


def read_manifest(tree: NodeTree) -> DumpManifest | None:
    """Read a dump's own file; None where the tree is none that ``collect-node`` wrote. Raises ``UsageError``."""
    manifest = _read(tree, FILE, DumpManifest, MAX_SMALL)
    if manifest is not None and manifest.format != FORMAT:
        raise UsageError(Fault(FILE, f"is of format {manifest.format}", str(FORMAT)))
    return manifest
