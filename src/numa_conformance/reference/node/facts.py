"""What is known of a node besides its machine and configuration, and whether it matches what a pod requires of it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...fields import object_at, objects_at
from ...kube.cluster_objects import NodeObject
from ...kube.kubelet_config import KubeletConfiguration

_OS_LABELS = {"kubernetes.io/os": "linux", "beta.kubernetes.io/os": "linux"}
_PRESSURES = ("MemoryPressure", "DiskPressure", "PIDPressure")


@dataclass(frozen=True, slots=True)
class NodeFacts:
    """What a Node says, as far as admission looks at it; None where nobody knows.

    ``labels``: those that are known, all of them if ``name`` is not empty. ``supplemental_groups``: whether the runtime
    supports the policy Strict. ``disk``: bytes of ephemeral storage that there are; pods may use ``storage``.
    ``scheduled``: kube-scheduler chose the node for its pods by labels, taints and ports, which nobody looks at again.
    ``shuts_down``: its machine is going down.
    """

    name: str = ""
    labels: Mapping[str, str] = field(default_factory=lambda: _OS_LABELS)
    taints: tuple[Mapping[str, Any], ...] = ()
    pressures: tuple[str, ...] = ()
    supplemental_groups: bool | None = None
    disk: int | None = None
    storage: int | None = None
    scheduled: bool = False
    shuts_down: bool = False

    @classmethod
    def of(cls, node: NodeObject | None, config: KubeletConfiguration) -> "NodeFacts":
        """Return what a Node says; without one, what the kubelet's configuration does."""
        if node is None:
            return cls(taints=objects_at(config.raw, "registerWithTaints"))
        conditions = {each.get("type"): each.get("status") for each in objects_at(node.raw, "status", "conditions")}
        disk, storage = (amounts.get("ephemeral-storage") for amounts in (node.capacity, node.allocatable))
        return cls(
            name=node.name,
            labels={**node.labels, **_OS_LABELS},
            taints=objects_at(node.raw, "spec", "taints"),
            pressures=tuple(name for name in _PRESSURES if conditions.get(name) == "True"),
            supplemental_groups=object_at(node.raw, "status", "features").get("supplementalGroupsPolicy") is True,
            disk=None if disk is None else disk.value,
            storage=None if storage is None else storage.value,
        )


def matches(spec: Mapping[str, Any], facts: NodeFacts) -> bool | None:
    """Tell whether nodeSelector and required node affinity of a pod match; None where a label is not known."""
    parts = [_label(key, "In", [text], facts) for key, text in object_at(spec, "nodeSelector").items()]
    if required := object_at(spec, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"):
        parts.append(_any([_term(term, facts) for term in objects_at(required, "nodeSelectorTerms")]))
    return _all(parts)


def _term(term: Mapping[str, Any], facts: NodeFacts) -> bool | None:
    by_label = [
        _label(part.get("key"), part.get("operator"), part.get("values"), facts)
        for part in objects_at(term, "matchExpressions")
    ]
    by_name = [
        _holds(part.get("operator"), part.get("values"), facts.name) if facts.name else None
        for part in objects_at(term, "matchFields")
    ]
    return _all([*by_label, *by_name]) if by_label or by_name else False


def _label(key: object, operator: object, values: object, facts: NodeFacts) -> bool | None:
    known = isinstance(key, str) and key in facts.labels
    return _holds(operator, values, facts.labels[str(key)] if known else None) if known or facts.name else None


def _holds(operator: object, values: object, text: str | None) -> bool:
    listed = values if isinstance(values, list) else []
    match operator:
        case "Exists" | "DoesNotExist":
            return (text is not None) == (operator == "Exists")
        case "In" | "NotIn":
            return (text in listed) == (operator == "In")
        case "Gt" | "Lt":
            try:
                difference = int(text or "") - int(*listed)
            except (TypeError, ValueError):
                return False
            return difference > 0 if operator == "Gt" else difference < 0
    return False


def _all(parts: Sequence[bool | None]) -> bool | None:
    return False if False in parts else None if None in parts else True


def _any(parts: Sequence[bool | None]) -> bool | None:
    return True if True in parts else None if None in parts else False


def tolerates(tolerations: Iterable[Mapping[str, Any]], taint: Mapping[str, Any]) -> bool:
    """Tell whether one of the tolerations covers a taint."""
    return any(
        toleration.get("effect") in (None, "", taint.get("effect"))
        and toleration.get("key") in (None, "", taint.get("key"))
        and (
            toleration.get("operator") == "Exists"
            or (
                toleration.get("operator") in (None, "", "Equal")
                and (toleration.get("value") or "") == (taint.get("value") or "")
            )
        )
        for toleration in tolerations
    )
