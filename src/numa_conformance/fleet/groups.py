"""Which machine and which kubelet configuration each node of a cluster has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..documentation.versions import DEFAULT, SUPPORTED_RANGE, KubernetesVersion
from ..errors import Fault, UsageError, closest
from ..kube import (
    KubeletConfiguration,
    NodeObject,
    Quantity,
    read_documents,
    read_kubelet_configuration,
)
from ..machine import Machine, is_machine_file, load_machine
from ..node import node_allocatable

__all__ = ["Fleet", "NodeGroup", "NodeKind", "read_fleet"]

_FIELDS = ("nodes", "machine", "kubelet", "kubernetesVersion", "count")
MAX_NODES = 100_000


@dataclass(frozen=True)
class NodeKind:
    """What nodes of one kind are: the hardware, how the kubelet on it is configured, and its version.

    Without a version each node follows its own.
    """

    machine: Machine
    kubelet: KubeletConfiguration
    kubernetes_version: KubernetesVersion | None = None

    def version_on(self, node: NodeObject) -> KubernetesVersion:
        """Return the version whose behaviour a node has; 1.32 where its own is not told or not known."""
        return self.kubernetes_version or KubernetesVersion.known(node.kubelet_version) or DEFAULT


@dataclass(frozen=True)
class NodeGroup:
    """Nodes of one kind. ``pattern`` is a shell pattern for their names; ``count`` nodes are made up by it, if any."""

    pattern: str
    kind: NodeKind
    count: int = 0

    def made_up(self) -> Iterator[NodeObject]:
        """Yield the nodes that the group makes up, named by their number in place of the pattern's star."""
        kubelet = self.kind.kubelet.at(self.kind.kubernetes_version or DEFAULT)
        allocatable = {
            name: Quantity(Fraction(amount, 1000)) if name == "cpu" else Quantity(amount)
            for name, amount in node_allocatable(self.kind.machine, kubelet).items()
        }
        capacity = {"cpu": Quantity(len(self.kind.machine.cpus))}
        for number in range(self.count):
            yield NodeObject(self.pattern.replace("*", str(number)), allocatable, capacity)


@dataclass(frozen=True)
class Fleet:
    """The groups of a cluster; the first whose pattern matches a node's name tells what the node is."""

    groups: tuple[NodeGroup, ...] = ()

    def kind_of(self, name: str) -> NodeKind | None:
        """Return what the node of this name is, None where no group matches."""
        return next((group.kind for group in self.groups if fnmatchcase(name, group.pattern)), None)

    def made_up(self) -> list[NodeObject]:
        """Return all nodes that groups make up."""
        return [node for group in self.groups for node in group.made_up()]

    def mismatches(self, nodes: Iterable[NodeObject]) -> list[str]:
        """Say which nodes have another number of CPUs than their machine, or a version whose behaviour is not known."""
        found = []
        for node in nodes:
            kind, told = self.kind_of(node.name), node.capacity.get("cpu")
            if kind and told is not None and told.milli != 1000 * len(kind.machine.cpus):
                machine = kind.machine
                found.append(f"node {node.name} has {told} CPUs, its machine {machine.name} has {len(machine.cpus)}")
            own = node.kubelet_version
            if kind and own and not kind.kubernetes_version and KubernetesVersion.known(own) is None:
                found.append(f"node {node.name} runs {own}: it is taken for {kind.version_on(node)}")
        return found


def read_fleet(path: Path | str) -> Fleet:
    """Read a file of groups: a list of ``{nodes, machine, kubelet, kubernetesVersion, count}``.

    ``machine`` is a name of the catalogue or a file, ``kubelet`` a KubeletConfiguration file; files lie in the fleet
    file's own folder or below it. Raises ``UsageError`` with every fault and its field path.
    """
    documents = read_documents(path)
    if len(documents) != 1 or not isinstance(documents[0].value, list):
        raise UsageError(Fault(str(path), "is no list of groups", f"a list of objects with {', '.join(_FIELDS)}"))
    return Fleet(tuple(_groups(documents[0].value, str(path))))


def _groups(items: Sequence[object], place: str) -> list[NodeGroup]:
    faults: list[Fault] = []
    groups = []
    for index, item in enumerate(items):
        try:
            groups.append(_group(item, f"{place}: [{index}]", Path(place).parent))
        except UsageError as error:
            faults.extend(error.faults)
    if faults:
        raise UsageError(faults)
    return groups


def _group(item: object, place: str, folder: Path) -> NodeGroup:
    if not isinstance(item, Mapping):
        raise UsageError(Fault(place, "is no object", f"an object with {', '.join(_FIELDS)}"))
    faults = [
        Fault(f"{place}.{key}", "unknown field", ", ".join(_FIELDS), closest(str(key), _FIELDS))
        for key in item
        if key not in _FIELDS
    ]
    pattern = _text(item, "nodes", place, faults)
    machine = _text(item, "machine", place, faults)
    count = item.get("count", 0)
    if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= MAX_NODES:
        faults.append(Fault(f"{place}.count", f"is {count!r}", f"a whole number from 0 to {MAX_NODES}"))
    elif count > 1 and pattern.count("*") != 1:
        faults.append(Fault(f"{place}.nodes", f"{pattern!r} names no {count} nodes", "one * for the number"))
    kubelet = item.get("kubelet")
    if kubelet is not None and not isinstance(kubelet, str):
        faults.append(Fault(f"{place}.kubelet", "is no text", "a file in the fleet file's folder"))
    told = item.get("kubernetesVersion", "")
    version = KubernetesVersion.known(told) if isinstance(told, str) else None
    if told != "" and version is None:
        faults.append(Fault(f"{place}.kubernetesVersion", f"is {told!r}", f'a text, "{SUPPORTED_RANGE}"'))
    if faults:
        raise UsageError(faults)
    kind = NodeKind(_machine(machine, place, folder), _kubelet(kubelet, place, folder), version)
    return NodeGroup(pattern, kind, count)


def _text(item: Mapping[str, Any], key: str, place: str, faults: list[Fault]) -> str:
    value = item.get(key)
    if isinstance(value, str) and value:
        return value
    faults.append(Fault(f"{place}.{key}", "is missing or no text"))
    return ""


def _machine(name: str, place: str, folder: Path) -> Machine:
    if is_machine_file(name):
        return load_machine(str(_within(folder, name, f"{place}.machine")))
    try:
        return load_machine(name)
    except UsageError as error:
        raise error.within(f"{place}.machine") from error


def _kubelet(name: str | None, place: str, folder: Path) -> KubeletConfiguration:
    return read_kubelet_configuration(None if name is None else _within(folder, name, f"{place}.kubelet"))


def _within(folder: Path, name: str, place: str) -> Path:
    """Return a file below a folder, links followed; a fleet file comes from strangers and names no others."""
    root, path = folder.resolve(), (folder / name).resolve()
    if not path.is_relative_to(root):
        raise UsageError(Fault(place, f"{name!r} lies outside the fleet file's folder", "a file in it or below it"))
    return path
