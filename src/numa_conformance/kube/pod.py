"""``v1 Pod``, as far as the node's resource managers and the scheduler look at it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from .container import Container
from .features import FeatureGates
from .fields import Faults, as_integer, as_list, as_mapping, as_text, quantities
from .pod_level import read_pod_level
from .qos import QOS_CLASSES, QosClass, qos_class
from .quantity import Quantity
from .resource_names import amount_faults

__all__ = ["Pod"]


@dataclass(frozen=True)
class Pod:
    """A pod as one node sees it.

    ``requests`` and ``limits`` are those of the pod as a whole (``spec.resources``), empty for most pods; not every
    agent looks at them (``as_seen``). ``created`` is the creation timestamp as written, ``phase`` that of the status.
    ``raw`` is the JSON object it was read from.
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
    scheduler_name: str = "default-scheduler"
    raw: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @classmethod
    def from_dict(cls, obj: object, place: str = "", *, validate: bool = True) -> Pod:
        """Read a Pod as a user would write it; fields that do not concern resources are ignored.

        Amounts become what the API server hands on (ADM-DEF-01, ADM-QTY-04). With ``validate`` its checks of resources
        apply: a request above its limit, or a device or huge page request that differs from its limit, is a fault.
        Raises ``UsageError`` with every fault and its field path.
        """
        faults = Faults(place)
        pod = _read(as_mapping(obj, "", faults), faults, validate=validate)
        faults.raise_if_any()
        return pod

    def to_dict(self) -> Mapping[str, Any]:
        """Return the JSON object the pod was read from, with the uid that it was given where it had none."""
        metadata = self.raw.get("metadata") or {}
        if metadata.get("uid") == self.uid:
            return self.raw
        return {**self.raw, "metadata": {**metadata, "uid": self.uid}}

    @property
    def ended(self) -> bool:
        """Whether all containers have ended for good: such a pod holds nothing."""
        return self.phase in ("Succeeded", "Failed")

    @cached_property
    def qos(self) -> QosClass:
        """The class in the pod's status when there is one, else the computed one (ADM-QOS-08, 09)."""
        counted = [Container("", self.requests, self.limits)] if self.has_pod_level else self.all_containers
        return self.status_qos_class or qos_class(counted)

    @property
    def has_pod_level(self) -> bool:
        """Whether the pod as a whole has resources."""
        return bool(self.requests or self.limits)

    def as_seen(self, gates: FeatureGates) -> Pod:
        """Return the pod as an agent with these gates sees it: its own resources count with PodLevelResources only."""
        hidden = self.has_pod_level and not gates.enabled("PodLevelResources")
        return replace(self, requests={}, limits={}) if hidden else self

    @cached_property
    def all_containers(self) -> tuple[Container, ...]:
        """Init containers in spec order, then app containers in spec order (CPU-ELIG-08)."""
        return self.init_containers + self.containers

    @cached_property
    def _ordinary_init(self) -> frozenset[str]:
        return frozenset(one.name for one in self.init_containers if not one.restart_always)

    @cached_property
    def _by_name(self) -> Mapping[str, Container]:
        return {one.name: one for one in self.all_containers}

    def is_ordinary_init(self, container: Container) -> bool:
        """Tell whether this is an init container that ends before the next container begins."""
        return container.name in self._ordinary_init

    def has_container(self, name: str) -> bool:
        """Tell whether the pod has a container of this name."""
        return name in self._by_name

    def container(self, name: str) -> Container:
        """Return the container of this name; raises ``KeyError``."""
        return self._by_name[name]


def _read(obj: Mapping[str, Any], faults: Faults, *, validate: bool) -> Pod:
    for key, accepted in (("apiVersion", "v1"), ("kind", "Pod")):
        if obj.get(key) not in (None, accepted):
            faults.add(key, f"is {obj[key]!r}", accepted)
    metadata = as_mapping(obj.get("metadata"), "metadata", faults)
    spec = as_mapping(obj.get("spec"), "spec", faults)
    status = as_mapping(obj.get("status"), "status", faults)
    uid = as_text(metadata.get("uid"), "metadata.uid", faults)
    name = as_text(metadata.get("name"), "metadata.name", faults)
    if not (name or uid or "name" in metadata):
        faults.add("metadata.name", "Required value: a pod needs a name")
    namespace = as_text(metadata.get("namespace"), "metadata.namespace", faults, "default") or "default"
    init = tuple(_containers(spec, "initContainers", faults, validate=validate))
    apps = tuple(_containers(spec, "containers", faults, validate=validate))
    if not apps and not spec.get("containers"):
        faults.add("spec.containers", "Required value: a pod needs at least one container")
    _check_names(spec, faults)
    overhead = quantities(spec.get("overhead"), "spec.overhead", faults)
    requests, limits = read_pod_level(spec, init, apps, faults, validate=validate)
    return Pod(
        uid=uid or f"{namespace}/{name}",
        name=name,
        namespace=namespace,
        init_containers=init,
        containers=apps,
        overhead={resource: amount.canonical() for resource, amount in overhead.items()},
        requests=requests,
        limits=limits,
        status_qos_class=_status_class(status, faults),
        node_name=as_text(spec.get("nodeName"), "spec.nodeName", faults),
        priority=as_integer(spec.get("priority"), "spec.priority", faults, 0),
        created=str(metadata.get("creationTimestamp") or ""),
        phase=as_text(status.get("phase"), "status.phase", faults),
        scheduler_name=as_text(spec.get("schedulerName"), "spec.schedulerName", faults) or "default-scheduler",
        raw=obj,
    )


def _status_class(status: Mapping[str, Any], faults: Faults) -> QosClass | None:
    written = as_text(status.get("qosClass"), "status.qosClass", faults)
    for known in QOS_CLASSES:
        if written == known:
            return known
    if written:
        faults.add("status.qosClass", f"{written!r} is no QoS class", ", ".join(QOS_CLASSES))
    return None


def _containers(spec: Mapping[str, Any], key: str, faults: Faults, *, validate: bool) -> Iterator[Container]:
    for index, item in enumerate(as_list(spec.get(key), f"spec.{key}", faults)):
        path = f"spec.{key}[{index}]"
        obj = as_mapping(item, path, faults)
        resources = as_mapping(obj.get("resources"), f"{path}.resources", faults)
        limits = quantities(resources.get("limits"), f"{path}.resources.limits", faults)
        requests = quantities(resources.get("requests"), f"{path}.resources.requests", faults)
        if validate:
            for field_path, message in amount_faults(requests, limits):
                faults.add(f"{path}.resources.{field_path}".rstrip("."), message)
        yield Container(
            name=as_text(obj.get("name"), f"{path}.name", faults),
            requests={name: amount.canonical() for name, amount in _defaulted(requests, limits).items()},
            limits={name: amount.canonical() for name, amount in limits.items()},
            restart_always=key == "initContainers" and obj.get("restartPolicy") == "Always",
        )


def _check_names(spec: Mapping[str, Any], faults: Faults) -> None:
    """Names are required, and unique over init and app containers."""
    seen: set[str] = set()
    for key in ("initContainers", "containers"):
        items = spec.get(key)
        for index, item in enumerate(items if isinstance(items, list) else ()):
            name = item.get("name") if isinstance(item, Mapping) else None
            if name is None or name == "":
                faults.add(f"spec.{key}[{index}].name", "Required value: a container needs a name")
            elif isinstance(name, str):
                if name in seen:
                    faults.add(f"spec.{key}[{index}].name", f"Duplicate value: {name!r}")
                seen.add(name)


def _defaulted(requests: Mapping[str, Quantity], limits: Mapping[str, Quantity]) -> dict[str, Quantity]:
    """Add a request for every resource that has only a limit (ADM-DEF-01); the order of the text is kept."""
    return {**requests, **{name: amount for name, amount in limits.items() if name not in requests}}
