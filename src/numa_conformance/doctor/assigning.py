"""What Koordinator, Volcano and Katalyst publish of the CPUs that they assign to pods, read from their objects."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any

import msgspec

from ..chapters import Requirement
from ..chapters.doors.assignments import APART, COUNT, FULL_CORES, ONE_NODE, PLACES, ROOM, SPREAD, THERE
from ..cpuset import MAX_ID, CpuSet
from ..documents import Source
from ..errors import Fault, UsageError
from ..fields import object_at, objects_at
from ..kube import Pod, Quantity, pod_requests
from ..kube.manifests import ManifestObject, read_manifests
from ..machine import Cpu, Machine, MemoryNode
from .assignments import AssignedNode, Assignment

KINDS = {
    "Node": "/api/v1/nodes",
    "NodeResourceTopology": "/apis/topology.node.k8s.io/v1alpha1/noderesourcetopologies",
    "Pod": "/api/v1/pods",
    "Numatopology": "/apis/nodeinfo.volcano.sh/v1alpha1/numatopologies",
    "CustomNodeResource": "/apis/node.katalyst.kubewharf.io/v1alpha1/customnoderesources",
}
"""The kinds that are read, and where an API server has them; what says something of others comes before them."""
_Id = Annotated[int, msgspec.Meta(ge=0, le=MAX_ID)]


def read_assignments(paths: Iterable[Source], machine: Machine | None = None) -> dict[str, AssignedNode]:
    """Return node to what is assigned there, of files of objects; ``machine``: that of nodes whose CPUs no object has.

    Pods that have ended are left out. Raises ``UsageError`` with every fault, and where nothing is assigned.
    """
    faults: list[Fault] = []
    manifests = [each for each in read_manifests(paths, faults) if isinstance(each, ManifestObject)]
    reader = _Reader()
    for kind in KINDS:
        for each in manifests:
            try:
                if each.kind == kind:
                    getattr(reader, f"add_{kind.lower()}")(each.obj, str(each.metadata.get("name")))
            except UsageError as error:
                faults += error.within(each.place).faults
    if faults or not any(node.assignments for node in reader.nodes.values()):
        accepted = f"objects of the kinds {', '.join(KINDS)}, as kubectl get -A -o json prints them"
        raise UsageError(faults or Fault(", ".join(map(str, paths)), "nothing there is assigned CPUs", accepted))
    for node in reader.nodes.values():
        node.machine = node.machine or machine
        if node.machine and not node.room:
            node.room = {numa: cpus.bit_count() * 1000 for numa, cpus in node.machine.numa_bits.items()}
    return dict(sorted(reader.nodes.items()))


class _Reader:
    def __init__(self) -> None:
        self.nodes: dict[str, AssignedNode] = defaultdict(AssignedNode)
        self._promises: dict[str, set[Requirement]] = defaultdict(set)
        self._amplified: set[str] = set()
        self._pods: dict[str, Pod] = {}

    def add_node(self, obj: Mapping[str, Any], name: str) -> None:
        labels = object_at(obj, "metadata", "labels")
        self._promises[name] |= _bound(labels.get("node.koordinator.sh/cpu-bind-policy"))
        self._promises[name] |= _aligned(labels.get("node.koordinator.sh/numa-topology-policy"))
        if "node.koordinator.sh/resource-amplification-ratio" in object_at(obj, "metadata", "annotations"):
            self._amplified.add(name)

    def add_noderesourcetopology(self, obj: Mapping[str, Any], name: str) -> None:
        """Take what Koordinator publishes of a node: its CPUs, what pods may have, and what its kubelet assigns."""
        topology = _note(obj, "node.koordinator.sh/cpu-topology", dict[str, list[dict[str, _Id]]])
        if topology is None:
            return
        node, promises = self.nodes[name], self._promises[name]
        node.machine = _machine(name, {cpu.get("id", 0): cpu for cpu in topology.get("detail", ())}, "node")
        for zone in objects_at(obj, "zones"):
            amounts = {str(each.get("name")): each.get("allocatable") for each in objects_at(zone, "resources")}
            if zone.get("type") == "Node" and "cpu" in amounts:
                node.room[_id(str(zone.get("name")).removeprefix("node-"))] = _milli(amounts)
        policy = _note(obj, "kubelet.koordinator.sh/cpu-manager-policy", dict[str, Any]) or {}
        if policy.get("policy") == "static" and object_at(policy, "options").get("full-pcpus-only") == "true":
            promises -= {SPREAD}
            promises |= {FULL_CORES}
        promises |= _aligned("SingleNUMANode" if obj.get("topologyPolicies") == ["SingleNUMANodePodLevel"] else "")
        for each in _note(obj, "node.koordinator.sh/pod-cpu-allocs", list[dict[str, Any]]) or ():
            if each.get("managedByKubelet") is True:
                place = f"pod {each.get('namespace')}/{each.get('name')}, pod-cpu-allocs"
                node.assignments.append(Assignment(place, frozenset({THERE, APART}), _cpus(each.get("cpuset"))))

    def add_pod(self, obj: Mapping[str, Any], name: str) -> None:
        pod = Pod.from_dict(obj)
        if pod.node_name and not pod.ended:
            self._pods[_place(pod.namespace, pod.name)] = pod
            self._add_koordinated(pod, obj)
            self._add_decided(pod, obj)

    def _add_koordinated(self, pod: Pod, obj: Mapping[str, Any]) -> None:
        status = _note(obj, "scheduling.koordinator.sh/resource-status", dict[str, Any])
        if status is None:
            return
        spec = _note(obj, "scheduling.koordinator.sh/resource-spec", dict[str, str]) or {}
        numa = _note(obj, "scheduling.koordinator.sh/numa-topology-spec", dict[str, str]) or {}
        amounts = {_id(each.get("node")): _milli(each.get("resources")) for each in objects_at(status, _BY_NUMA_NODE)}
        if pod.node_name in self._amplified:  # then they are no CPUs
            amounts = {}
        promises = {THERE, APART, COUNT, PLACES, ROOM} | self._promises[pod.node_name]
        promises |= _bound(spec.get("requiredCPUBindPolicy")) | _aligned(numa.get("numaTopologyPolicy"))
        cpus = _cpus(status.get("cpuset", ""))
        request = pod_requests(pod).get("cpu", _NOTHING).milli if cpus or any(amounts.values()) else 0
        place = f"{_place(pod.namespace, pod.name)}, resource-status"
        self.nodes[pod.node_name].assignments.append(Assignment(place, frozenset(promises), cpus, amounts, request))

    def _add_decided(self, pod: Pod, obj: Mapping[str, Any]) -> None:
        """Take what Volcano decides of a pod: it counts CPUs of containers that have whole ones, by NUMA node."""
        decision = _note(obj, "volcano.sh/topology-decision", dict[str, dict[_Id, dict[str, Any]]])
        if decision is None:
            return
        amounts = {numa: _milli(each) for numa, each in decision.get("numa", {}).items()}
        request = sum(container.whole_cpus for container in pod.containers) * 1000 if pod.qos == "Guaranteed" else 0
        policy = object_at(obj, "metadata", "annotations").get("volcano.sh/numa-topology-policy")
        promises = {THERE, COUNT, ROOM} | ({ONE_NODE} if policy == _SINGLE and len(pod.containers) == 1 else set())
        place = f"{_place(pod.namespace, pod.name)}, topology-decision"
        self.nodes[pod.node_name].assignments.append(Assignment(place, frozenset(promises), 0, amounts, request))

    def add_numatopology(self, obj: Mapping[str, Any], name: str) -> None:
        """Take the CPUs of a node, and what its kubelet assigns, as Volcano's exporter publishes it."""
        spec, node = object_at(obj, "spec"), self.nodes[name]
        cpus = _converted(spec.get("cpuDetail") or {}, dict[_Id, dict[str, _Id]], "spec.cpuDetail")
        node.machine = _machine(name, cpus, "numa") if cpus else None
        is_single = object_at(spec, "policies").get("TopologyManagerPolicy") == _SINGLE
        promises = frozenset({THERE, APART, COUNT} | ({ONE_NODE} if is_single else set()))
        for each in objects_at(spec, "podAllocations"):
            place = _place(each.get("namespace"), each.get("name"))
            pod = self._pods.get(place)
            for item in objects_at(each, "containerAllocations"):
                container, cpu = str(item.get("name")), object_at(item, "allocations").get("cpu")
                known = pod is not None and pod.has_container(container)
                request = pod.container(container).whole_cpus * 1000 if pod and known else 0
                place = f"{_place(each.get('namespace'), each.get('name'))}, container {container}, podAllocations"
                if cpu is not None:
                    node.assignments.append(Assignment(place, promises, _cpus(cpu), request=request))

    def add_customnoderesource(self, obj: Mapping[str, Any], name: str) -> None:
        """Take what Katalyst publishes of the NUMA nodes of a node: what pods may have there, and what they have."""
        node = self.nodes[name]
        consumers: dict[str, dict[int, int]] = defaultdict(dict)
        for zone in _zones(object_at(obj, "status"), "topologyZone"):
            if zone.get("type") == "Numa":
                numa = _id(zone.get("name"))
                node.room[numa] = _milli(object_at(zone, "resources", "allocatable"))
                for each in objects_at(zone, "allocations"):
                    consumers[str(each.get("consumer"))][numa] = _milli(each.get("requests"))
        single = object_at(obj, "status").get("topologyPolicy") == "SingleNUMANodePodLevel"
        for consumer, amounts in consumers.items():
            place = _place(*[*consumer.split("/"), ""][:2])
            pod = self._pods.get(place)
            notes = object_at(pod.raw, "metadata", "annotations") if pod else {}
            is_dedicated = notes.get("katalyst.kubewharf.io/qos_level") == "dedicated_cores"
            promises = {THERE, ROOM} | ({COUNT} | ({ONE_NODE} if single else set()) if is_dedicated else set())
            request = pod_requests(pod).get("cpu", _NOTHING).milli if pod and is_dedicated else 0
            node.assignments.append(Assignment(f"{place}, allocations", frozenset(promises), 0, amounts, request))


_SINGLE = "single-numa-node"
_BY_NUMA_NODE = "numaNodeResources"
_NOTHING = Quantity(0)


def _place(namespace: object, name: object) -> str:
    return f"pod {namespace}/{name}"


def _bound(policy: object) -> set[Requirement]:
    return (
        {SPREAD} if policy == "SpreadByPCPUs" else {FULL_CORES} if policy in ("FullPCPUs", "FullPCPUsOnly") else set()
    )


def _aligned(policy: object) -> set[Requirement]:
    return {ONE_NODE} if policy == "SingleNUMANode" else set()


def _zones(obj: Mapping[str, Any], name: str) -> Iterator[Mapping[str, Any]]:
    for zone in objects_at(obj, name):
        yield zone
        yield from _zones(zone, "children")


def _machine(name: str, cpus: Mapping[int, Mapping[str, int]], numa: str) -> Machine:
    """Make a machine of CPUs by their ids, of which fields that are left out are 0."""
    every = [Cpu(id, cpu.get("core", 0), cpu.get("socket", 0), cpu.get(numa, 0)) for id, cpu in sorted(cpus.items())]
    return Machine(name, tuple(every), tuple(MemoryNode(node, None) for node in sorted({cpu.numa for cpu in every})))


def _note(obj: Mapping[str, Any], key: str, kind: Any) -> Any:
    """Return what an annotation says; None where it is not there."""
    text = object_at(obj, "metadata", "annotations").get(key)
    return None if text is None else _converted(text, kind, f"metadata.annotations[{key}]")


def _converted(value: Any, kind: Any, place: str) -> Any:
    try:
        return msgspec.convert(msgspec.json.decode(value) if isinstance(value, str) else value, kind, str_keys=True)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise UsageError(Fault(place, str(error))) from error


def _cpus(text: object) -> int:
    return CpuSet.parse(str(text)).bits


def _id(text: object) -> int:
    return int(_converted(text, _Id, "a NUMA node"))


def _milli(amounts: Any) -> int:
    return Quantity.parse(object_at(amounts).get("cpu", 0)).milli
