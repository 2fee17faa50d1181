"""``v1 Pod``, as far as the node's resource managers and the scheduler look at it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ..fields import Fields, condition, object_at, objects_at
from ..sources.handlers import HANDLERS
from ..sources.quirks.areas import NodeQuirks
from .container import QOS_CLASSES, Container, QosClass, qos_class, read_claims, read_container
from .features import FeatureGates
from .pod_fields import POD_FIELDS, SPEC_FIELDS, check_containers, check_names, check_resources
from .pod_level import default_limits, read_pod_level
from .quantity import Quantity, canonical, quantities

Served = Literal["containers", "nobody", "pod"]
"""Whom the static policies of the managers give resources of their own.

They serve each container by its own amounts, nobody, or the pod as a whole. In the last case each container gets a part
of the pod's (gate PodLevelResourceManagers).
"""
_REFUSALS = {reason for handler in HANDLERS.values() for reason in handler.reasons} - {"Evicted"}
"""Reasons of admission; pods that ran are evicted too. What the node has too little of is ``OutOf<resource>``."""
CRITICAL_PRIORITY = 2_000_000_000
"""The priority from which on a pod is critical."""
_CLASSES = {"system-cluster-critical": CRITICAL_PRIORITY, "system-node-critical": CRITICAL_PRIORITY + 1000}
_SOURCE, _MIRROR = "kubernetes.io/config.source", "kubernetes.io/config.mirror"


@dataclass(frozen=True, slots=True)
class Pod:
    """A pod as one node sees it.

    ``requests`` and ``limits`` are those of the pod as a whole (``spec.resources``). They are empty for most pods, and
    not every agent looks at them (``under_gates``). ``has_resources``: whether the pod has the field, maybe empty.
    ``created`` is the creation timestamp as written, ``phase`` and ``reason`` are those of the status. ``raw`` is the
    JSON object that the pod was read from. Pods of one template share it. ``claims``: the names of its resource claims
    (``spec.resourceClaims``).

    What an agent makes of it: ``served``, ``is_empty_class``, ``compares_by_container`` (for the class),
    ``reuses_sidecars`` (their resources are left for later containers). ``original`` is the pod before that.
    """

    uid: str
    name: str
    namespace: str
    init_containers: tuple[Container, ...]
    containers: tuple[Container, ...]
    overhead: Mapping[str, Quantity] = field(default_factory=dict)
    requests: Mapping[str, Quantity] = field(default_factory=dict)
    limits: Mapping[str, Quantity] = field(default_factory=dict)
    status_qos_class: QosClass | None = None
    node_name: str = ""
    priority: int = 0
    created: str = ""
    phase: str = ""
    reason: str = ""
    scheduler_name: str = "default-scheduler"
    raw: Mapping[str, Any] = field(default_factory=dict, compare=False)
    has_resources: bool = False
    claims: tuple[str, ...] = ()
    served: Served = "containers"
    is_empty_class: bool = False
    compares_by_container: bool = False
    reuses_sidecars: bool = False
    original: "Pod | None" = field(default=None, compare=False, repr=False)
    _qos: QosClass | None = field(default=None, init=False, compare=False, repr=False)
    _by_name: Mapping[str, Container] | None = field(default=None, init=False, compare=False, repr=False)

    @classmethod
    def from_dict(cls, obj: object, place: str = "", *, validate: bool = True) -> "Pod":
        """Read a Pod as a user would write it; fields that do not concern resources are ignored.

        Amounts become what the API server hands on (ADM-DEF-01, ADM-QTY-04). With ``validate`` its checks of resources
        apply. A request above its limit is a fault, and so is a request for devices or huge pages that differs from its
        limit. A field that no version of Kubernetes knows is a fault too, except in what the API server itself has
        handed out. Raises ``UsageError`` with every fault and its field path.
        """
        fields = Fields(place)
        pod = _read(fields.mapping(obj, ""), fields, validate=validate)
        fields.raise_if_any()
        return pod

    def to_dict(self) -> Mapping[str, Any]:
        """Return the JSON object the pod was read from, with the name and the uid that it was given."""
        metadata = self.raw.get("metadata") or {}
        identity = {"name": self.name, "uid": self.uid} if self.name else {"uid": self.uid}
        if identity.items() <= metadata.items():
            return self.raw
        return {**self.raw, "metadata": {**metadata, **identity}}

    def named(self, name: str) -> "Pod":
        """Return a pod that differs by its name, and by the uid that follows from it."""
        return replace(self, name=name, uid=f"{self.namespace}/{name}")

    @property
    def ended(self) -> bool:
        """Whether all containers have ended for good: such a pod holds nothing."""
        return self.phase in ("Succeeded", "Failed")

    @property
    def was_refused(self) -> bool:
        """Whether a kubelet refused it for lack of resources or of an alignment: it never ran."""
        return self.phase == "Failed" and (self.reason in _REFUSALS or self.reason.startswith("OutOf"))

    @property
    def is_unschedulable(self) -> bool:
        """Whether a scheduler found no node for it, by its status."""
        return condition(self.raw, "PodScheduled", "False") is not None

    @property
    def restarted(self) -> frozenset[str]:
        """The containers that have ended and were started again, by the pod's status."""
        statuses = objects_at(self.raw, "status", "containerStatuses")
        return frozenset(str(status.get("name")) for status in statuses if status.get("restartCount"))

    @property
    def is_static(self) -> bool:
        """Whether a kubelet read it from a file or an address of its own."""
        return object_at(self.raw, "metadata", "annotations").get(_SOURCE) in ("file", "http")

    @property
    def is_critical(self) -> bool:
        """Whether a kubelet ends others for it where resources lack: static, mirror, or of high priority."""
        is_mirror = _MIRROR in object_at(self.raw, "metadata", "annotations")
        return self.is_static or is_mirror or self.priority >= CRITICAL_PRIORITY

    @property
    def qos(self) -> QosClass:
        """The class in the pod's status when there is one, else the computed one (ADM-QOS-08, 09)."""
        if self._qos is None:
            by_pod = self.has_pod_level or self.is_empty_class
            counted = [Container("", self.requests, self.limits)] if by_pod else self.all_containers
            qos = self.status_qos_class or qos_class(counted, by_container=self.compares_by_container)
            object.__setattr__(self, "_qos", qos)
            return qos
        return self._qos

    @property
    def has_pod_level(self) -> bool:
        """Whether the pod as a whole has resources."""
        return bool(self.requests or self.limits)

    def under_gates(self, gates: FeatureGates, quirks: NodeQuirks) -> "Pod":
        """Return the pod as an agent with these gates reads it: its own resources count with PodLevelResources only.

        Kubernetes has changed its mind about whom the managers serve in such a pod (CPU-ELIG-10).
        """
        pod = self.original or self
        changes = gates.changes
        # Of a single container the class is the same either way.
        if changes.class_by_container and len(pod.all_containers) > 1 and not pod.compares_by_container:
            pod = replace(pod, compares_by_container=True)
        if pod.status_qos_class and pod.raw and not changes.class_told_in_status_counts:  # else nothing more is known
            pod = replace(pod, status_qos_class=None)
        if gates.enabled("DRAExtendedResource"):
            pod = _without_claimed(pod)
        if any(container.restart_always for container in pod.init_containers):
            pod = _with_sidecars(pod, gates, quirks)
        if not pod.has_resources:
            return pod
        if not gates.enabled("PodLevelResources"):
            unpins = pod.has_pod_level and quirks.switched_off_pod_resources_unpin
            return replace(pod, requests={}, limits={}, served="nobody" if unpins else "containers", original=pod)
        if not pod.has_pod_level:
            return replace(pod, is_empty_class=quirks.empty_pod_resources_are_best_effort, original=pod)
        requests, limits = pod.requests, pod.limits
        if changes.pod_limits_follow_containers and gates.enabled("PodLevelResourcesFixDefaulting"):
            limits = default_limits((requests, limits), pod.init_containers, pod.containers)
        elif not limits:  # then none is added
            written = object_at(pod.raw, "spec", "resources", "requests")
            requests = {name: amount for name, amount in requests.items() if name in written}
        served: Served = "containers" if quirks.pod_level_pods_are_pinned_by_container else "nobody"
        if gates.enabled("PodLevelResourceManagers"):
            served = "pod"
        return replace(pod, requests=requests, limits=limits, served=served, original=pod)

    @property
    def all_containers(self) -> tuple[Container, ...]:
        """Init containers in spec order, then app containers in spec order (CPU-ELIG-08)."""
        return self.init_containers + self.containers

    def is_ordinary_init(self, container: Container) -> bool:
        """Tell whether this is an init container that ends before the next container begins."""
        return any(init.name == container.name and not init.restart_always for init in self.init_containers)

    def leaves_for_reuse(self, container: Container) -> bool:
        """Tell whether what the container has is left to later containers of the pod."""
        return self.is_ordinary_init(container) or (container.restart_always and self.reuses_sidecars)

    def has_container(self, name: str) -> bool:
        """Tell whether the pod has a container of this name."""
        return name in self._named_containers()

    def container(self, name: str) -> Container:
        """Return the container of this name; raises ``KeyError``."""
        return self._named_containers()[name]

    @property
    def claim_names(self) -> list[str]:
        """The resource claims that the pod or one of its containers names, sorted."""
        return sorted({*self.claims, *(claim for container in self.all_containers for claim in container.claims)})

    def _named_containers(self) -> Mapping[str, Container]:
        named = self._by_name
        if named is None:
            named = {container.name: container for container in self.all_containers}
            object.__setattr__(self, "_by_name", named)
        return named


def _without_claimed(pod: Pod) -> Pod:
    """Return a pod without the extended resources that a claim stands for, by its status (DEV-DRA-01)."""
    mappings = objects_at(pod.raw, "status", "extendedResourceClaimStatus", "requestMappings")
    claimed = {(mapping.get("containerName"), mapping.get("resourceName")) for mapping in mappings}

    def left(container: Container, amounts: Mapping[str, Quantity]) -> dict[str, Quantity]:
        return {name: amount for name, amount in amounts.items() if (container.name, name) not in claimed}

    def without(containers: tuple[Container, ...]) -> tuple[Container, ...]:
        return tuple(
            replace(each, requests=left(each, each.requests), limits=left(each, each.limits)) for each in containers
        )

    if not claimed:
        return pod
    return replace(pod, init_containers=without(pod.init_containers), containers=without(pod.containers), original=pod)


def _with_sidecars(pod: Pod, gates: FeatureGates, quirks: NodeQuirks) -> Pod:
    """Return a pod with init containers that keep running as an agent sees it: without the gate they are ordinary."""
    if not quirks.sidecars_leave_their_resources:
        return pod
    if gates.enabled("SidecarContainers"):
        return replace(pod, reuses_sidecars=True)
    ordinary = tuple(replace(container, restart_always=False) for container in pod.init_containers)
    return replace(pod, init_containers=ordinary)


def _read(obj: Mapping[str, Any], fields: Fields, *, validate: bool) -> Pod:
    fields.same(obj, apiVersion="v1", kind="Pod")
    metadata = fields.mapping(obj.get("metadata"), "metadata")
    spec = fields.mapping(obj.get("spec"), "spec")
    status = fields.mapping(obj.get("status"), "status")
    strict = validate and "resourceVersion" not in metadata
    if strict:
        fields.known(obj, "", POD_FIELDS)
        fields.known(spec, "spec", SPEC_FIELDS, listed=False)
        check_resources(spec, "spec", fields)
    uid = fields.name(metadata.get("uid"), "metadata.uid")
    name = fields.name(metadata.get("name"), "metadata.name")
    if not (name or uid or "name" in metadata):
        fields.fault("metadata.name", "Required value: a pod needs a name")
    namespace = fields.name(metadata.get("namespace"), "metadata.namespace", "default") or "default"
    listed_init = fields.entries(spec.get("initContainers"), "spec.initContainers")
    listed_apps = fields.entries(spec.get("containers"), "spec.containers")
    init = tuple(read_container(path, item, fields, validate=validate, init=True) for path, item in listed_init)
    apps = tuple(read_container(path, item, fields, validate=validate) for path, item in listed_apps)
    if not apps and not spec.get("containers"):
        fields.fault("spec.containers", "Required value: a pod needs at least one container")
    check_names([*listed_init, *listed_apps], fields)
    if strict:
        check_containers(spec, [*listed_init, *listed_apps], fields)
    overhead = quantities(spec.get("overhead"), "spec.overhead", fields)
    requests, limits = read_pod_level(spec, init, apps, fields, validate=validate)
    return Pod(
        uid=uid or f"{namespace}/{name}",
        name=name,
        namespace=namespace,
        init_containers=init,
        containers=apps,
        claims=read_claims(spec.get("resourceClaims"), "spec.resourceClaims", fields),
        overhead=canonical(overhead),
        requests=requests,
        limits=limits,
        status_qos_class=_status_class(status, fields),
        node_name=fields.name(spec.get("nodeName"), "spec.nodeName"),
        priority=fields.whole(
            spec.get("priority"), "spec.priority", _CLASSES.get(str(spec.get("priorityClassName")), 0)
        ),
        created=str(metadata.get("creationTimestamp") or ""),
        phase=fields.text(status.get("phase"), "status.phase"),
        reason=fields.text(status.get("reason"), "status.reason"),
        scheduler_name=fields.name(spec.get("schedulerName"), "spec.schedulerName") or "default-scheduler",
        raw=obj,
        has_resources=spec.get("resources") is not None,
        served="nobody" if requests or limits else "containers",
    )


def _status_class(status: Mapping[str, Any], fields: Fields) -> QosClass | None:
    written = fields.text(status.get("qosClass"), "status.qosClass")
    known = next((known for known in QOS_CLASSES if written == known), None)
    if written and known is None:
        fields.fault("status.qosClass", f"{written!r} is no QoS class", ", ".join(QOS_CLASSES))
    return known
