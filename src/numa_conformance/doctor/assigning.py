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
                    name = _converted(each.metadata.get("name"), str, "metadata.name")
                    getattr(reader, f"add_{kind.lower()}")(each.obj, name)
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


_PROMISES = {
    "FullPCPUs": FULL_CORES, "FullPCPUsOnly": FULL_CORES, "SpreadByPCPUs": SPREAD,
    "SingleNUMANode": ONE_NODE, "SingleNUMANodePodLevel": ONE_NODE, "single-numa-node": ONE_NODE,
}  # fmt: skip
"""What a policy of binding, or one of alignment, promises."""
_ALIGNMENT = "node.koordinator.sh/numa-topology-policy"


def _promised(*policies: object) -> set[Requirement]:
    return {_PROMISES[str(policy)] for policy in policies if str(policy) in _PROMISES}


class _Reader:
    def __init__(self) -> None:
        self.nodes: dict[str, AssignedNode] = defaultdict(AssignedNode)
        self._koordinated: dict[str, set[Requirement]] = defaultdict(lambda: {THERE, APART, COUNT, PLACES, ROOM})
        self._labels: dict[str, Mapping[str, Any]] = {}
        self._pods: dict[str, Pod] = {}

    def _add(self, node: str, *fields: Any) -> None:
        self.nodes[node].assignments.append(Assignment(*fields))

    def add_node(self, obj: Mapping[str, Any], name: str) -> None:
        self._labels[name] = labels = object_at(obj, "metadata", "labels")
        self._koordinated[name] |= _promised(labels.get("node.koordinator.sh/cpu-bind-policy"), labels.get(_ALIGNMENT))
        if "node.koordinator.sh/resource-amplification-ratio" in object_at(obj, "metadata", "annotations"):
            self._koordinated[name] -= {PLACES, ROOM}  # amounts are of amplified CPUs

    def add_noderesourcetopology(self, obj: Mapping[str, Any], name: str) -> None:
        """Take what Koordinator publishes of a node: its CPUs, what pods may have, and what its kubelet assigns."""
        topology = _note(obj, "node.koordinator.sh/cpu-topology", dict[str, list[dict[str, _Id]]])
        if topology is None:
            return
        node = self.nodes[name]
        node.machine = _machine(name, {cpu.get("id", 0): cpu for cpu in topology.get("detail", ())}, "node")
        for zone in objects_at(obj, "zones"):
            amounts = {str(each.get("name")): each.get("allocatable") for each in objects_at(zone, "resources")}
            if zone.get("type") == "Node" and "cpu" in amounts:
                node.room[_id(str(zone.get("name")).removeprefix("node-"))] = _milli(amounts)
        policy = _note(obj, "kubelet.koordinator.sh/cpu-manager-policy", dict[str, Any]) or {}
        if policy.get("policy") == "static" and object_at(policy, "options").get("full-pcpus-only") == "true":
            self._koordinated[name] = self._koordinated[name] - {SPREAD} | {FULL_CORES}
        policies = _converted(obj.get("topologyPolicies") or [], list[str], "topologyPolicies")
        if not self._labels.get(name, {}).get(_ALIGNMENT):  # the label comes first
            self._koordinated[name] |= _promised(*policies)
        for each in _note(obj, "node.koordinator.sh/pod-cpu-allocs", list[dict[str, Any]]) or ():
            if each.get("managedByKubelet") is True:
                self._add(name, f"{_pod_name(each)}, pod-cpu-allocs", {THERE, APART}, _cpus(each.get("cpuset")))

    def add_pod(self, obj: Mapping[str, Any], name: str) -> None:
        """Take what Koordinator and Volcano note at a pod; Volcano counts CPUs of containers that have whole ones."""
        pod = Pod.from_dict(obj)
        if not pod.node_name or pod.ended:
            return
        place = f"pod {pod.namespace}/{pod.name}"
        self._pods[place] = pod
        if (status := _note(obj, "scheduling.koordinator.sh/resource-status", dict[str, Any])) is not None:
            spec = _note(obj, "scheduling.koordinator.sh/resource-spec", dict[str, Any]) or {}
            numa = _note(obj, "scheduling.koordinator.sh/numa-topology-spec", dict[str, Any]) or {}
            promises = self._koordinated[pod.node_name] | _promised(numa.get("numaTopologyPolicy"))
            if not promises & {FULL_CORES, SPREAD}:  # a node that binds takes no pod that requires otherwise
                promises |= _promised(spec.get("requiredCPUBindPolicy"))
            resources = _converted(status.get("numaNodeResources", []), list[dict[str, Any]], "numaNodeResources")
            amounts = {_id(each.get("node")): _milli(each.get("resources", {})) for each in resources}
            cpus = _cpus(status.get("cpuset", ""))
            request = _request(pod) if cpus or any(amounts.values()) else 0
            self._add(pod.node_name, f"{place}, resource-status", promises, cpus, amounts, request)
        if (decision := _note(obj, "volcano.sh/topology-decision", dict[str, dict[_Id, dict[str, Any]]])) is not None:
            amounts = {numa: _milli(each) for numa, each in decision.get("numa", {}).items()}
            whole = sum(container.whole_cpus for container in pod.containers) if pod.qos == "Guaranteed" else 0
            policy = object_at(obj, "metadata", "annotations").get("volcano.sh/numa-topology-policy")
            promises = {THERE, COUNT, ROOM} | (_promised(policy) if len(pod.containers) == 1 else set())
            self._add(pod.node_name, f"{place}, topology-decision", promises, 0, amounts, whole * 1000)

    def add_numatopology(self, obj: Mapping[str, Any], name: str) -> None:
        """Take the CPUs of a node, and what its kubelet assigns, as Volcano's exporter publishes it."""
        spec = object_at(obj, "spec")
        cpus = _converted(spec.get("cpuDetail") or {}, dict[_Id, dict[str, _Id]], "spec.cpuDetail")
        self.nodes[name].machine = _machine(name, cpus, "numa") if cpus else None
        promises = {THERE, APART, COUNT} | _promised(object_at(spec, "policies").get("TopologyManagerPolicy"))
        for each in objects_at(spec, "podAllocations"):
            pod = self._pods.get(_pod_name(each))
            for item in objects_at(each, "containerAllocations"):
                container, cpu = str(item.get("name")), object_at(item, "allocations").get("cpu")
                whole = pod.container(container).whole_cpus if pod and pod.has_container(container) else 0
                if cpu is not None:
                    place = f"{_pod_name(each)}, container {container}, podAllocations"
                    self._add(name, place, promises, _cpus(cpu), {}, whole * 1000)

    def add_customnoderesource(self, obj: Mapping[str, Any], name: str) -> None:
        """Take what Katalyst publishes of the NUMA nodes of a node: what pods may have there, and what they have."""
        consumers: dict[str, dict[int, int]] = defaultdict(dict)
        status = object_at(obj, "status")
        for zone in _zones(status, "topologyZone"):
            if zone.get("type") == "Numa":
                numa = _id(zone.get("name"))
                self.nodes[name].room[numa] = _milli(object_at(zone, "resources", "allocatable"))
                for each in objects_at(zone, "allocations"):
                    consumers[str(each.get("consumer"))][numa] = _milli(each.get("requests", {}))
        for consumer, amounts in consumers.items():
            place = "pod " + "/".join(consumer.split("/")[:2])
            pod, promises = self._pods.get(place), {THERE, ROOM}
            notes = object_at(pod.raw, "metadata", "annotations") if pod else {}
            if notes.get("katalyst.kubewharf.io/qos_level") == "dedicated_cores":
                promises |= {COUNT} | _promised(status.get("topologyPolicy"))
            self._add(name, f"{place}, allocations", promises, 0, amounts, _request(pod) if pod else 0)


def _pod_name(names: Mapping[str, Any]) -> str:
    return f"pod {names.get('namespace')}/{names.get('name')}"


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
    text, place = object_at(obj, "metadata", "annotations").get(key), f"metadata.annotations[{key}]"
    try:
        return None if text is None else _converted(msgspec.json.decode(text), kind, place)
    except (msgspec.DecodeError, TypeError, RecursionError) as error:
        raise UsageError(Fault(place, str(error))) from error


def _converted(value: object, kind: Any, place: str, *, strict: bool = True) -> Any:
    try:
        return msgspec.convert(value, kind, str_keys=True, strict=strict)
    except msgspec.ValidationError as error:
        raise UsageError(Fault(place, str(error))) from error


def _cpus(text: object) -> int:
    return CpuSet.parse(_converted(text, str, "a set of CPUs")).bits


def _id(text: object) -> int:
    return int(_converted(text, _Id, "a NUMA node", strict=False))


def _milli(amounts: object) -> int:
    return Quantity.parse(_converted(amounts, dict[str, Any], "amounts").get("cpu", 0)).milli


def _request(pod: Pod) -> int:
    return pod_requests(pod).get("cpu", Quantity(0)).milli
