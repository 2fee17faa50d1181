"""The plan of a cluster of real parts: its nodes, which NODES.yaml lists, and its schedulers."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from ...documents import read_documents
from ...errors import Fault, NumaConformanceError, UsageError
from ...fields import Fields
from ...forms import read_form
from ...kube import KubeletConfiguration
from ...kube.configuration_files import kubelet_document
from ...machine import Machine, is_machine_file, load_machine
from ..daemon.daemon import check_command

MAX_NODES = 500
_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,58}[a-z0-9])?")
_NAMES = "at most 60 small letters, digits and -"
_TWO_KINDS = {"milan": ("amd-milan-7763-nps4", "0,128"), "cascadelake": ("intel-cascadelake-6230", "0,40")}


class _TaintForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    key: Annotated[str, Meta(min_length=1)]
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]
    value: str = ""


_Words = Annotated[list[str], Meta(min_length=1)]


class _GroupForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """An entry of the file; ``nodes``, ``machine``, ``kubelet`` and ``count`` are as in a fleet file."""

    nodes: Annotated[str, Meta(min_length=1)]
    machine: Annotated[str, Meta(min_length=1)]
    kubelet: Annotated[
        str | dict[str, Any] | None, Meta(extra={"accepted": "a KubeletConfiguration, or a file of one"})
    ] = None
    count: Annotated[int, Meta(ge=1, le=MAX_NODES)] = 1
    labels: dict[str, str] = {}
    taints: list[_TaintForm] = []
    binary: Annotated[str | None, Meta(extra={"accepted": "the path of a kubelet"})] = None
    nri: bool = False
    daemons: list[_Words] = []
    images: dict[str, _Words] = {}


class _PlaneForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    programs: list[_Words]


@dataclass(frozen=True)
class PlannedNode:
    """A node that is to be. ``binary``: a kubelet of its own; ``daemons``: programs that are started on it.

    ``nri``: whether its container runtime speaks NRI. ``images``: image to the words of the program that stands for it.
    ``folder``: where paths of daemons and images begin.
    """

    name: str
    machine: Machine
    kubelet: Mapping[str, Any] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: Sequence[Mapping[str, str]] = ()
    binary: str | None = None
    nri: bool = False
    daemons: Sequence[Sequence[str]] = ()
    folder: Path = Path()
    images: Mapping[str, Sequence[str]] = field(default_factory=dict)


KUBECONFIG_PLACE = "{kubeconfig}"
"""What stands in the words of a program beside the control plane for an administrator's kubeconfig."""


class ClusterError(NumaConformanceError):
    """A part of the cluster does not come up, or has ended."""


class Stopped(Exception):  # noqa: N818  (nobody's fault)
    """The cluster is to end while it comes up."""


@dataclass(frozen=True)
class Scheduler:
    """A scheduler beside or in place of the cluster's own: program, KubeSchedulerConfiguration, further flags."""

    program: str
    config: Mapping[str, Any] | None = None
    flags: Sequence[str] = ()


def default_nodes() -> list[PlannedNode]:
    """Return two nodes of two kinds, which align what pods ask for."""
    aligned = {"cpuManagerPolicy": "static", "topologyManagerPolicy": "single-numa-node"}
    return [
        PlannedNode(name, load_machine(machine), {**aligned, "reservedSystemCPUs": reserved})
        for name, (machine, reserved) in _TWO_KINDS.items()
    ]


def read_nodes(path: Path | str) -> tuple[list[PlannedNode], list[list[str]]]:
    """Read a list of ``{nodes, count, machine, kubelet, labels, taints, binary, nri, daemons, images}``.

    ``nodes`` is a name, with a ``*`` for the number where ``count`` is more than 1. Files lie relative to the file. An
    entry ``{programs}`` has further programs of the control plane: their words are returned too. Raises ``UsageError``
    with every fault and its field path.
    """
    documents = read_documents(path)
    if len(documents) != 1 or not isinstance(documents[0].value, list) or not documents[0].value:
        names = ", ".join(_GroupForm.__struct_encode_fields__)
        raise UsageError(Fault(str(path), "is no list of nodes", f"a list of objects with {names}"))
    here = Path(path).parent.absolute()
    faults: list[Fault] = []
    nodes: list[PlannedNode] = []
    programs: list[list[str]] = []
    for index, item in enumerate(documents[0].value):
        try:
            if isinstance(item, dict) and "programs" in item:
                plane = read_form(_PlaneForm, item, str(path), f"[{index}]")
                programs += [extra_words(here, words) for words in plane.programs]
            else:
                form = read_form(_GroupForm, item, str(path), f"[{index}]")
                nodes += _group(form, f"{path}: [{index}]", Path(path).parent)
        except UsageError as error:
            faults.extend(error.faults)
    twice = [name for name, count in Counter(node.name for node in nodes).items() if count > 1]
    faults += [Fault(str(path), f"two nodes are called {name!r}") for name in twice]
    if len(nodes) > MAX_NODES:
        faults.append(Fault(str(path), f"has {len(nodes)} nodes", f"at most {MAX_NODES}"))
    if not (nodes or faults):
        faults.append(Fault(str(path), "has no nodes", "an object with nodes and machine"))
    if faults:
        raise UsageError(faults)
    return nodes, programs


def extra_words(folder: Path, words: Sequence[str]) -> list[str]:
    """Return the words of a program beside the control plane, as they start it in any folder; raises ``UsageError``."""
    filled = [str(folder / words[0]) if "/" in words[0] else words[0], *words[1:]]
    check_command(filled, [KUBECONFIG_PLACE])
    return filled


def _group(form: _GroupForm, place: str, folder: Path) -> list[PlannedNode]:
    fields = Fields()
    if form.count > 1 and form.nodes.count("*") != 1:
        fields.fault(f"{place}.nodes", f"{form.nodes!r} names no {form.count} nodes", "one * for the number")
    names = [form.nodes.replace("*", str(number)) for number in range(form.count)]
    if not _NAME.fullmatch(names[-1]):
        fields.fault(f"{place}.nodes", f"{names[-1]!r} is no name of a node", _NAMES)
    try:
        machine = load_machine(str(folder / form.machine) if is_machine_file(form.machine) else form.machine)
    except UsageError as error:
        fields.take(f"{place}.machine", error)
    try:
        kubelet = _kubelet(form.kubelet, place, folder)
    except UsageError as error:
        fields.take("", error)
    binary = None if form.binary is None else str(folder / form.binary)
    if binary is not None and not Path(binary).is_file():
        fields.fault(f"{place}.binary", f"there is no file {binary}", "the path of a kubelet")
    fields.raise_if_any()
    taints = [msgspec.to_builtins(taint) for taint in form.taints]
    here = folder.absolute()
    return [
        PlannedNode(name, machine, kubelet, form.labels, taints, binary, form.nri, form.daemons, here, form.images)
        for name in names
    ]


def _kubelet(entry: str | dict[str, Any] | None, place: str, folder: Path) -> Mapping[str, Any]:
    """Return the fields of a KubeletConfiguration after they were looked at."""
    if isinstance(entry, str):
        document = kubelet_document(folder / entry)
        value, place = document.value, document.place
    else:
        value, place = entry or {}, f"{place}.kubelet"
    KubeletConfiguration.from_dict(value, place)
    return dict(value)
