"""Which machine and which kubelet configuration each node of a cluster has."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from ...documents import read_documents
from ...errors import Fault, UsageError, faults_within
from ...fields import Fields
from ...forms import read_form
from ...kube import KubeletConfiguration, NodeObject, Quantity, read_kubelet_configuration
from ...kube.resource_names import is_huge_page
from ...machine import Machine, is_machine_file, load_machine
from ...sources.versions import DEFAULT, SUPPORTED_RANGE, KubernetesVersion
from ..node import node_allocatable

MAX_NODES = 100_000
_VERSION = f'a text, "{SUPPORTED_RANGE}"'


class _GroupForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    nodes: Annotated[str, Meta(min_length=1)]
    machine: Annotated[str, Meta(min_length=1)]
    kubelet: Annotated[str | None, Meta(extra={"accepted": "a file in the fleet file's folder"})] = None
    kubernetes_version: Annotated[str, Meta(extra={"accepted": _VERSION})] = ""
    count: Annotated[int, Meta(ge=0, le=MAX_NODES)] = 0


@dataclass(frozen=True)
class NodeKind:
    """What nodes of one kind are: the hardware, how the kubelet on it is configured, and its version.

    Without a version each node follows its own.
    """

    machine: Machine
    kubelet: KubeletConfiguration
    kubernetes_version: KubernetesVersion | None = None

    def version_on(self, node: NodeObject) -> KubernetesVersion:
        """Return the version whose behaviour a node has; ``DEFAULT`` where its own is not told or not known."""
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
        """Say which nodes are not as their machine, or have a version whose behaviour is not known.

        Compared are the number of CPUs and the sizes of huge pages that a node has and its machine lacks.
        """
        mismatched = []
        for node in nodes:
            kind, capacity = self.kind_of(node.name), node.capacity.get("cpu")
            if kind and capacity is not None and capacity.milli != 1000 * len(kind.machine.cpus):
                machine = kind.machine
                mismatched.append(
                    f"node {node.name} has {capacity} CPUs, its machine {machine.name} has {len(machine.cpus)}"
                )
            pages = {name for name, amount in node.allocatable.items() if is_huge_page(name) and amount}
            if kind and (unlisted := sorted(pages - node_allocatable(kind.machine, kind.kubelet).keys())):
                mismatched.append(f"node {node.name} has {unlisted[0]}, its machine {kind.machine.name} has none")
            version = node.kubelet_version
            if kind and version and not kind.kubernetes_version and KubernetesVersion.known(version) is None:
                mismatched.append(f"node {node.name} runs {version}: it is taken for {kind.version_on(node)}")
        return mismatched


def read_fleet(path: Path | str) -> Fleet:
    """Read a file of groups: a list of ``{nodes, machine, kubelet, kubernetesVersion, count}``.

    ``machine`` is a name of the catalogue or a file, ``kubelet`` a KubeletConfiguration file; files lie in the fleet
    file's own folder or below it. Raises ``UsageError`` with every fault and its field path.
    """
    documents = read_documents(path)
    if len(documents) != 1 or not isinstance(documents[0].value, list):
        names = ", ".join(_GroupForm.__struct_encode_fields__)
        raise UsageError(Fault(str(path), "is no list of groups", f"a list of objects with {names}"))
    return Fleet(tuple(_groups(documents[0].value, str(path))))


def _groups(items: Sequence[object], place: str) -> list[NodeGroup]:
    faults: list[Fault] = []
    groups = []
    for index, item in enumerate(items):
        try:
            form = read_form(_GroupForm, item, place, f"[{index}]")
            groups.append(_group(form, f"{place}: [{index}]", Path(place).parent))
        except UsageError as error:
            faults.extend(error.faults)
    if faults:
        raise UsageError(faults)
    return groups


def _group(form: _GroupForm, place: str, folder: Path) -> NodeGroup:
    fields = Fields()
    if form.count > 1 and form.nodes.count("*") != 1:
        fields.fault(f"{place}.nodes", f"{form.nodes!r} names no {form.count} nodes", "one * for the number")
    version = KubernetesVersion.known(form.kubernetes_version)
    if form.kubernetes_version and version is None:
        fields.fault(f"{place}.kubernetesVersion", f"is {form.kubernetes_version!r}", _VERSION)
    fields.raise_if_any()
    kubelet = None if form.kubelet is None else _within(folder, form.kubelet, f"{place}.kubelet")
    kind = NodeKind(_machine(form.machine, place, folder), read_kubelet_configuration(kubelet), version)
    return NodeGroup(form.nodes, kind, form.count)


def _machine(name: str, place: str, folder: Path) -> Machine:
    if is_machine_file(name):
        return load_machine(str(_within(folder, name, f"{place}.machine")))
    with faults_within(f"{place}.machine"):
        return load_machine(name)


def _within(folder: Path, name: str, place: str) -> Path:
    """Return a file below a folder, links followed; a fleet file comes from strangers and names no others."""
    root, path = folder.resolve(), (folder / name).resolve()
    if not path.is_relative_to(root):
        raise UsageError(Fault(place, f"{name!r} lies outside the fleet file's folder", "a file in it or below it"))
    return path
