"""``v1 Node``, as far as the scheduler's scoring looks at it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .fields import Faults, as_mapping, as_text, quantities
from .quantity import Quantity

__all__ = ["NodeObject"]


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
    def from_dict(cls, obj: object, place: str = "") -> NodeObject:
        """Read a Node; what it does not say about allocatable amounts is taken from its capacity.

        Raises ``UsageError`` with every fault and its field path.
        """
        faults = Faults(place)
        node = as_mapping(obj, "", faults)
        for key, accepted in (("apiVersion", "v1"), ("kind", "Node")):
            if node.get(key) not in (None, accepted):
                faults.add(key, f"is {node[key]!r}", accepted)
        metadata = as_mapping(node.get("metadata"), "metadata", faults)
        status = as_mapping(node.get("status"), "status", faults)
        capacity = quantities(status.get("capacity"), "status.capacity", faults)
        allocatable = quantities(status.get("allocatable"), "status.allocatable", faults)
        if not (capacity or allocatable):
            faults.add("status.allocatable", "Required value: a node offers something")
        info = as_mapping(status.get("nodeInfo"), "status.nodeInfo", faults)
        name = as_text(metadata.get("name"), "metadata.name", faults)
        if not name:
            faults.add("metadata.name", "Required value: a node needs a name")
        labels = as_mapping(metadata.get("labels"), "metadata.labels", faults)
        made = cls(
            name=name,
            allocatable={**capacity, **allocatable},
            capacity=capacity,
            labels={str(key): as_text(text, f"metadata.labels.{key}", faults) for key, text in labels.items()},
            kubelet_version=as_text(info.get("kubeletVersion"), "status.nodeInfo.kubeletVersion", faults),
            raw=node,
        )
        faults.raise_if_any()
        return made
