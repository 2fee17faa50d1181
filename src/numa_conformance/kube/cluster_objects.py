"""Nodes and pods together: of manifests, of Helm's output, and as ``kubectl get nodes,pods -A -o yaml`` prints them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..documents import Source
from ..errors import Fault, UsageError
from ..fields import Fields, object_at, objects_at
from ..printable import listed
from .descriptions import DESCRIBED, PODS_OF_NODE
from .manifests import TEMPLATED, ManifestObject, pods_of, read_manifests
from .pod import Pod
from .quantity import Quantity, quantities
from .resizes import allocation_of, resize_reason, scheduling_view_of
from .steps import LifeReader, LifeStep


@dataclass(frozen=True)
class NodeObject:
    """A node as the API server knows it.

    ``allocatable`` is what pods may use, ``capacity`` what there is. ``kubelet_version`` is as the node tells it.
    """

    name: str
    allocatable: Mapping[str, Quantity]
    capacity: Mapping[str, Quantity] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    kubelet_version: str = ""
    raw: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @classmethod
    def from_dict(cls, obj: object, place: str = "") -> "NodeObject":
        """Read a Node; what it does not say about allocatable amounts is taken from its capacity.

        Raises ``UsageError`` with every fault and its field path.
        """
        fields = Fields(place)
        node = fields.mapping(obj, "")
        fields.same(node, apiVersion="v1", kind="Node")
        metadata = fields.mapping(node.get("metadata"), "metadata")
        status = fields.mapping(node.get("status"), "status")
        capacity = quantities(status.get("capacity"), "status.capacity", fields)
        allocatable = quantities(status.get("allocatable"), "status.allocatable", fields)
        if not (capacity or allocatable):
            fields.fault("status.allocatable", "Required value: a node offers something")
        info = fields.mapping(status.get("nodeInfo"), "status.nodeInfo")
        for resource, amount in allocatable.items():
            if amount.as_number < 0:
                fault = f"Invalid value: {amount}: must be greater than or equal to 0"
                fields.fault(f"status.allocatable.{resource}", fault)
        name = fields.name(metadata.get("name"), "metadata.name")
        if not name:
            fields.fault("metadata.name", "Required value: a node needs a name")
        labels = fields.mapping(metadata.get("labels"), "metadata.labels")
        made = cls(
            name=name,
            allocatable={**capacity, **allocatable},
            capacity=capacity,
            labels={str(key): fields.text(text, f"metadata.labels.{key}") for key, text in labels.items()},
            kubelet_version=fields.text(info.get("kubeletVersion"), "status.nodeInfo.kubeletVersion"),
            raw=node,
        )
        fields.raise_if_any()
        return made


_PODS = "kubectl get pods -o yaml"
_MAKERS = """
InferenceService JobSet LeaderWorkerSet MPIJob Notebook PyTorchJob RayCluster RayJob Rollout ScheduledSparkApplication
SparkApplication TFJob VirtualMachine VirtualMachineInstance Workflow
"""
_POD_MAKERS = frozenset(_MAKERS.split())
"""Kinds of other projects that make pods, by rules of their own."""


@dataclass(frozen=True)
class ClusterObjects:
    """Nodes and pods in the order of the text.

    Pods that have ended are not among them: ``ended``, and ``refused``, which a kubelet never ran. ``passed_over``
    counts by kind the objects that make no pods, ``represented`` the workloads whose pods, or what makes those, are
    there themselves. ``life``: the pods and the steps between them, without those that were refused. ``idle``: the
    workloads that make no pods.
    """

    nodes: tuple[NodeObject, ...]
    pods: tuple[Pod, ...]
    ended: tuple[Pod, ...] = ()
    refused: tuple[Pod, ...] = ()
    passed_over: Mapping[str, int] = field(default_factory=dict)
    represented: int = 0
    life: tuple[Pod | LifeStep, ...] = ()
    idle: tuple[str, ...] = ()

    @property
    def in_order(self) -> list[Pod]:
        """The pods with what their kubelet has allocated; those last that it refused come again after the others."""
        absent = {pod.uid for pod in self.absent}
        return [*(allocation_of(pod) for pod in self.pods if pod.uid not in absent), *self.refused]

    @property
    def in_life(self) -> list[Pod | LifeStep]:
        """The same with the steps between them."""
        firsts = {event.uid: event for event in reversed(self.life) if isinstance(event, Pod)}  # later ones are resizes
        ids, absent = {*map(id, firsts.values())}, {pod.uid for pod in self.absent}
        there = (each for each in self.life if not isinstance(each, Pod) or each.uid not in absent)
        life = [allocation_of(each) if isinstance(each, Pod) and id(each) in ids else each for each in there]
        return [*life, *self.refused]

    @cached_property
    def absent(self) -> tuple[Pod, ...]:
        """Pods of other nodes than the one that refused some, and those for which a scheduler found no node.

        The latter only beside pods that have one.
        """
        bound = {pod.node_name for pod in (*self.pods, *self.refused)} - {""}
        refusing = {pod.node_name for pod in self.refused} - {""}
        nodes = refusing if len(refusing) == 1 else bound
        others = (pod for pod in self.pods if (pod.node_name not in nodes if pod.node_name else pod.is_unschedulable))
        return tuple(others) if bound else ()

    @property
    def node(self) -> NodeObject | None:
        """The only node that is listed, or the only listed one that pods name."""
        names = {pod.node_name for pod in self.in_order} - {""}
        nodes = [node for node in self.nodes if len(self.nodes) == 1 or node.name in names]
        return nodes[0] if len(nodes) == 1 else None

    @property
    def waiting(self) -> tuple[Pod, ...]:
        """The pods without a node."""
        return tuple(pod for pod in self.pods if not pod.node_name)

    @property
    def bound(self) -> tuple[Pod, ...]:
        """The pods on the nodes as kube-scheduler counts them, the oldest first."""
        names = {node.name for node in self.nodes}
        pods = sorted((pod for pod in self.pods if pod.node_name in names), key=lambda pod: pod.created)
        return tuple(map(scheduling_view_of, pods))

    @property
    def elsewhere(self) -> tuple[Pod, ...]:
        """The pods on nodes that are not listed."""
        names = {"", *(node.name for node in self.nodes)}
        return tuple(pod for pod in self.pods if pod.node_name not in names)

    @property
    def notices(self) -> tuple[str, ...]:
        """What was left out of the files, to show to the user."""
        return tuple(_notices(self))


def read_cluster(*paths: Source, lives: bool = False) -> ClusterObjects:
    """Read the Nodes, Pods and workloads of files and folders; ``-`` is standard input.

    Lists are opened, a file named twice is read once, and of a workload the replicas become pods named
    ``<workload>-<number>``. A pod without metadata is named after its first container; one without uid gets
    ``<namespace>/<name>``. Objects that make no pods are passed over. Raises ``UsageError`` with all faults of all
    files, each naming file, document and field path. Pods that a kubelet has started come first, in its order.

    ``lives``: steps are read too. A pod may be there again, to be resized or, with ``deletionTimestamp``, to go.
    """
    faults: list[Fault] = []
    manifests = list(read_manifests(paths, faults))
    objects = [manifest for manifest in manifests if isinstance(manifest, ManifestObject)]
    lists = (objects_at(manifest.metadata, "ownerReferences") for manifest in objects if manifest.is_read)
    owners = {_uid(owner) for owners_of_one in lists for owner in owners_of_one} - {""}
    nodes: list[NodeObject] = []
    names, life, represented, idle = PodNames(), LifeReader(lives=lives), 0, list[str]()
    for manifest in manifests:
        try:
            if isinstance(manifest, LifeStep):
                life.step(manifest)
            elif manifest.kind == "Node":
                nodes.append(NodeObject.from_dict(manifest.obj, manifest.place))
            elif manifest.kind in TEMPLATED and _uid(manifest.metadata) in owners:
                represented += 1
            elif manifest.is_read:
                obj = names.name(manifest.obj) if manifest.kind == "Pod" else manifest.obj
                made = pods_of(manifest.kind, obj, manifest.place)
                idle += [] if made else [f"{manifest.kind} {manifest.metadata.get('name')}"]
                for pod in made:
                    life.pod(pod, manifest.place)
        except UsageError as error:
            faults.extend(error.faults)
    names_of_nodes = Counter(node.name for node in nodes).items()
    faults += [Fault("", f"there are {count} nodes {name!r}") for name, count in names_of_nodes if count > 1]
    passed_over = Counter(manifest.kind for manifest in objects if not manifest.is_read)
    if len(manifests) == passed_over.total() and not faults:
        kinds = ", ".join(passed_over) or "nothing"
        faults.append(Fault(", ".join(map(str, paths)), f"holds no pods and nodes, but {kinds}", _instead(passed_over)))
    if faults:
        raise UsageError(faults)
    in_order = life.by_start
    pods = [event for event in in_order if isinstance(event, Pod)]
    alive = tuple(pod for pod in pods if not pod.ended)
    refused = tuple(pod for pod in pods if pod.was_refused)
    ended = tuple(pod for pod in pods if pod.ended and not pod.was_refused)
    events = tuple(event for event in in_order if isinstance(event, LifeStep) or not event.ended)
    return ClusterObjects(tuple(nodes), alive, ended, refused, passed_over, represented, events, tuple(idle))


def _uid(obj: Mapping[str, Any]) -> str:
    uid = obj.get("uid")
    return uid if isinstance(uid, str) else ""


def _notices(objects: ClusterObjects) -> Iterator[str]:
    if objects.passed_over:
        kinds = ", ".join(f"{count} {kind}" for kind, count in objects.passed_over.items())
        makers = _POD_MAKERS & objects.passed_over.keys()
        remedy = f"; give the pods that {', '.join(sorted(makers))} made ({_PODS})" if makers else ""
        yield f"passed over, as only Pods, Nodes and the workloads of Kubernetes are read: {kinds}{remedy}"
    if objects.represented:
        yield f"workloads that are not read, as what they have made is there itself: {objects.represented}"
    if objects.idle:
        yield f"workloads that make no pods, as of 0 replicas, suspended or ended: {listed(objects.idle)}"
    if objects.ended:
        names = (
            f"{pod.namespace}/{pod.name} ({', '.join(filter(None, (pod.phase, pod.reason)))})" for pod in objects.ended
        )
        yield f"pods that are left out, as they have ended: {listed(names)}"
    pods = objects.in_order
    if described := [pod for pod in pods if object_at(pod.raw, "metadata").get("resourceVersion") == DESCRIBED]:
        shown = listed(f"{pod.namespace}/{pod.name}" for pod in described)
        yield (
            f"a description ({shown}) has no affinity, claims and restart policies, nor the other pods of the node: "
            f"{PODS_OF_NODE.replace('NODE', described[0].node_name or 'NODE')} has them"
        )
        if cut := [pod for pod in described if not object_at(pod.raw, "status").get("qosClass")]:
            shown = listed(f"{pod.namespace}/{pod.name}" for pod in cut)
            yield f"a description without its QoS Class is cut, and may lack amounts: {shown}"
    if objects.nodes and not objects.in_order:
        yield "only Nodes are listed, and no pod: of a Node labels, taints and conditions are looked at"
    if going := [pod for pod in objects.pods if object_at(pod.raw, "metadata").get("deletionTimestamp")]:
        names = (f"{pod.namespace}/{pod.name}" for pod in going)
        yield f"being deleted, and on the node until they end: {listed(names)}"
    if waiting := [(pod, reason) for pod in objects.pods if (reason := resize_reason(pod))]:
        names = (f"{pod.namespace}/{pod.name} ({reason})" for pod, reason in waiting)
        yield f"a resize in place waits, and what was allocated before it counts: {listed(names)}"
    if grouped := [pod for pod in objects.in_order if object_at(pod.raw, "spec", "schedulingGroup")]:
        names = (f"{pod.namespace}/{pod.name}" for pod in grouped)
        yield f"not modelled: schedulingGroup of {listed(names)}; kube-scheduler places the pods of a group together"


def _instead(kinds: Iterable[str]) -> str:
    """Say what is accepted in place of such a file."""
    if makers := _POD_MAKERS.intersection(kinds):
        return f"the pods that {', '.join(sorted(makers))} made: {_PODS}"
    if {"Event", "EventList"}.intersection(kinds):
        return f"the pods that they have: {_PODS}"
    remedy = "; a KubeletConfiguration is for --config" if "KubeletConfiguration" in kinds else ""
    return f"Pod, {', '.join(TEMPLATED)}, Node{remedy}"


class PodNames:
    """Makes up names that differ.

    That of the first container for a pod without metadata, a number after it where that is taken; a number after
    ``generateName``.
    """

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._generated: Counter[str] = Counter()

    def name(self, pod: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a pod with a name, if it has no metadata or asks for a generated name; any other as it is."""
        if metadata := pod.get("metadata"):
            prefix = metadata.get("generateName") if isinstance(metadata, Mapping) else None
            if not isinstance(prefix, str) or not prefix or metadata.get("name"):
                return pod
            self._generated[prefix] += 1
            return {**pod, "metadata": {**metadata, "name": f"{prefix}{self._generated[prefix]}"}}
        containers = objects_at(pod, "spec", "containers")
        name = containers[0].get("name") if containers else None
        return {**pod, "metadata": {"name": self._new(name if isinstance(name, str) else "")}}

    def _new(self, wanted: str) -> str:
        number = 1
        name = wanted or "pod-1"
        while name in self._names:
            number += 1
            name = f"{wanted or 'pod'}-{number}"
        self._names.add(name)
        return name
