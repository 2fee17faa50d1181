"""Nodes and pods together, as ``kubectl get nodes,pods -A -o yaml`` prints them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..errors import Fault, UsageError
from ..reading import read_documents
from .documents import pods_of
from .node_object import NodeObject
from .pod import Pod
from .pod_names import PodNames

__all__ = ["ClusterObjects", "read_cluster"]

_LISTS = {"List": None, "NodeList": "Node", "PodList": "Pod"}


@dataclass(frozen=True)
class ClusterObjects:
    """Nodes and pods in the order of the text. Pods that have ended are not among them; ``ended`` counts them."""

    nodes: tuple[NodeObject, ...]
    pods: tuple[Pod, ...]
    ended: int = 0

    @property
    def waiting(self) -> tuple[Pod, ...]:
        """The pods without a node."""
        return tuple(pod for pod in self.pods if not pod.node_name)

    @property
    def bound(self) -> tuple[Pod, ...]:
        """The pods on the nodes, the oldest first."""
        names = {node.name for node in self.nodes}
        return tuple(sorted((pod for pod in self.pods if pod.node_name in names), key=lambda pod: pod.created))

    @property
    def elsewhere(self) -> tuple[Pod, ...]:
        """The pods on nodes that are not listed."""
        names = {"", *(node.name for node in self.nodes)}
        return tuple(pod for pod in self.pods if pod.node_name not in names)


def read_cluster(*paths: Path | str) -> ClusterObjects:
    """Read the Nodes, Pods and workloads of files; Lists are opened, and a file named twice is read once.

    Raises ``UsageError`` with all faults of all files, each naming file, document and field path.
    """
    faults: list[Fault] = []
    nodes: list[NodeObject] = []
    pods: list[Pod] = []
    names = PodNames()
    for path in dict.fromkeys(map(str, paths)):
        for obj, place in _objects(path):
            try:
                if isinstance(obj, Mapping) and obj.get("kind") == "Node":
                    nodes.append(NodeObject.from_dict(obj, place))
                else:
                    pods.extend(pods_of(names.name(obj), place))
            except UsageError as error:
                faults.extend(error.faults)
    faults += _twice("nodes", (node.name for node in nodes)) + _twice("pods of uid", (pod.uid for pod in pods))
    if faults:
        raise UsageError(faults)
    alive = tuple(pod for pod in pods if not pod.ended)
    return ClusterObjects(tuple(nodes), alive, len(pods) - len(alive))


def _objects(path: str) -> Iterator[tuple[object, str]]:
    """Yield the objects of a file, Lists opened."""
    documents = read_documents(path)
    if not documents:
        raise UsageError(Fault(path, "there is no document in it", "Nodes, Pods, Lists, workloads"))
    for document in documents:
        value = document.value
        kind = value.get("kind") if isinstance(value, Mapping) else None
        if kind not in _LISTS:
            yield value, document.place
            continue
        if not isinstance(value.get("items"), list):
            raise UsageError(Fault(f"{document.place}: items", "is missing or no list", "a list of objects"))
        for index, item in enumerate(value["items"]):
            named = {"kind": _LISTS[kind], **item} if _LISTS[kind] and isinstance(item, Mapping) else item
            yield named, f"{document.place}: items[{index}]"


def _twice(what: str, names: Iterable[str]) -> list[Fault]:
    return [Fault("", f"there are {count} {what} {name!r}") for name, count in Counter(names).items() if count > 1]
