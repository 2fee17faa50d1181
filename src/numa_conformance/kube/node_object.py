"""``v1 Node``, as far as the scheduler's scoring looks at it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..fields import Fields
from .quantity import Quantity, quantities


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
        name = fields.text(metadata.get("name"), "metadata.name")
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
