"""What is known of a node besides its machine and its kubelet's configuration."""

from collections.abc import Mapping
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
