"""The kubelet's state files, read as a kubelet reads them, with what is wrong where it could not.

Without a tree: one of them, a text in which several were pasted, or a folder with nothing else.
"""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..errors import Fault, UsageError, faults_as_of
from ..fields import object_at, object_once
from ..files import read_bounded
from ..kube.resource_names import page_bytes
from ..machine import Machine
from ..machine.hostfs import open_dump
from ..machine.hostfs.dumps import is_dump
from ..machine.hostfs.stores import STATE_FILES
from ..pasted import plain_lines
from ..reference.managers.cpu import state_formats as of_cpus
from ..reference.managers.cpu.cpu_state import CpuState
from ..reference.managers.cpu.state_file import CPU_FILE
from ..reference.managers.cpu.state_file import decode as decode_cpu
from ..reference.managers.device.device_state import DeviceEntry
from ..reference.managers.device.state_file import DEVICE_FILE, sealed
from ..reference.managers.device.state_file import decode as decode_devices
from ..reference.managers.memory import state_formats as of_memory
from ..reference.managers.memory.memory_state import NodeMemory, PinnedBlock
from ..reference.managers.memory.state_file import MEMORY_FILE
from ..reference.managers.memory.state_file import decode as decode_memory
from ..reference.managers.state_file import CORRUPTED, PLAIN, CheckpointError, FileStyle
from ..reference.managers.state_formats import Format, text_checksum
from .configuration import ROOT_DIR
from .tree import MAX_STATE, Line, NodeTree

_MEMBERS = {MEMORY_FILE: "machinestate", CPU_FILE: "defaultcpuset", DEVICE_FILE: "Data"}
"""What each file has and no other; a kubelet reads names in any case."""
_ACCEPTED = f"a dump of a node, or the text of {', '.join(_MEMBERS)}"


@contextmanager
def open_node(path: Path, *, whole: bool = False) -> Iterator[Path]:
    """Yield the root of a dump (``open_dump``), or of a folder in which state files lie as on a node.

    Raises ``UsageError`` for a file that is neither.
    """
    with ExitStack() as stack:
        texts = {}
        for file in _files(path):
            texts.update(_state_texts(read_bounded(file, MAX_STATE).decode("utf-8", "replace"), str(file)))
        if texts:
            root = Path(stack.enter_context(TemporaryDirectory(prefix="numa-conformance-")))
            for name, text in texts.items():
                place = root / ROOT_DIR.strip("/") / STATE_FILES[name]
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(text, encoding="utf-8")
            with faults_as_of(path, root):
                yield root
        else:
            yield stack.enter_context(open_dump(path, whole=whole))


def memory_of_state(machine: Machine, nodes: Mapping[int, NodeMemory]) -> Machine:
    """Return a machine with the memory and the huge pages that a state file names; as it is where nodes are others."""
    if {node.node for node in machine.memory} != nodes.keys():
        return machine
    memory = []
    for node in machine.memory:
        totals = {name.removeprefix("hugepages-"): table.total for name, table in nodes[node.node].tables.items()}
        amount = totals.pop("memory", None)
        pages = {size: total // page_bytes(size) for size, total in totals.items()}
        memory.append(replace(node, memory=amount, hugepages=pages))
    return replace(machine, memory=tuple(memory))


def _files(path: Path) -> list[Path]:
    if is_dump(path):
        return [] if (path / "sys").exists() else [path / name for name in STATE_FILES if (path / name).is_file()]
    return [path] if path.is_file() else []


def _state_texts(content: str, place: str) -> dict[str, str]:
    """Return the state files that a text has, by name."""
    text = re.sub(r"[ \t]//[^\"\n]*$", "", plain_lines(content), flags=re.M)  # no remarks
    texts, end = dict[str, str](), 0
    while (start := text.find("{", end)) >= 0:
        try:
            document, end = json.JSONDecoder().raw_decode(text, start)
        except (ValueError, RecursionError) as error:
            raise UsageError(Fault(place, f"is no state file: {error}", _ACCEPTED)) from error
        members = {*document, *map(str.lower, document)}
        name = next((name for name, member in _MEMBERS.items() if member in members), None)
        if name is None or name in texts:
            wrong = "what is no state file" if name is None else f"{name} twice"
            raise UsageError(Fault(place, f"holds {wrong}", _ACCEPTED))
        texts[name] = text[start:end]
    if not texts:
        raise UsageError(Fault(place, "is no state file", _ACCEPTED))
    return texts


MOST_NODES = 1024
"""NUMA nodes that a kernel can have."""
MOST_CONTAINERS = 20_000
_EXCERPT = 120


@dataclass
class SavedFile:
    """One file as found: where, its text, the policy it names, and why a kubelet would not take it."""

    path: str
    text: str
    policy: str = ""
    damage: str | None = None

    def line(self, *names: str) -> Line:
        """Return the line that names all of these one after the other, cut to what stands there."""
        at = 0
        for name in names:
            start = self.text.find(json.dumps(name), at)
            at = start if start >= 0 else at
        begin = self.text.rfind("\n", 0, at) + 1
        shown = re.sub(r"\s+", " ", self.text[max(begin, at) : at + _EXCERPT])
        return Line.of(shown, self.path, self.text.count("\n", 0, at) + 1)


@dataclass
class SavedState:
    """What state files say. ``changed``: when the CPU Manager's was last written, in seconds since the epoch.

    ``remarks``: what a person is to know of how a file is read, such as one whose checksum does not fit.
    """

    files: dict[str, SavedFile] = field(default_factory=dict)
    cpus: CpuState | None = None
    nodes: dict[int, NodeMemory] | None = None
    blocks: dict[str, dict[str, list[PinnedBlock]]] = field(default_factory=dict)
    pods_with_memory: frozenset[str] = frozenset()
    devices: tuple[DeviceEntry, ...] | None = None
    changed: float | None = None
    remarks: tuple[str, ...] = ()


def read_state(tree: NodeTree, root_dir: str, *, as_it_is: bool = False) -> SavedState:
    """Read the files below the kubelet's folder; one that is not there is left out.

    ``as_it_is``: where a checksum does not fit, as in a text that a person edited, it counts as if it did, and a note
    says so. Raises ``UsageError`` where such a text names a pod or a container twice.
    """
    state = SavedState()
    for name, place in STATE_FILES.items():
        path = f"{root_dir.strip('/')}/{place}"
        if (text := tree.text(path, MAX_STATE)) is not None:
            state.files[name] = SavedFile(path, text)
    state.changed = tree.changed(f"{root_dir.strip('/')}/{CPU_FILE}")
    for name, read in ((CPU_FILE, _read_cpus), (MEMORY_FILE, _read_memory), (DEVICE_FILE, _read_devices)):
        if file := state.files.get(name):
            read(state, file)
            if as_it_is and CORRUPTED in (file.damage or ""):
                so = "no kubelet starts on it" if name in _FORMATS else "a kubelet passes over it"
                state.files[name] = SavedFile(file.path, _sealed(file) if name in _FORMATS else sealed(file.text))
                state.remarks = (
                    *(remark for remark in state.remarks if not remark.startswith(name)),
                    f"{name}: the checksum does not fit, so {so}; it is read as it is",
                )
                read(state, state.files[name])
    _refuse_too_many(state)
    return state


_FORMATS: dict[str, tuple[Format[Any], ...]] = {
    CPU_FILE: (of_cpus.V3, of_cpus.V2, of_cpus.V1),
    MEMORY_FILE: (of_memory.V2, of_memory.V1),
}
"""The format with entries of pods, then those without."""


def _sealed(file: SavedFile) -> str:
    """Return a file with the checksums of what it says; one that cannot be read stays as it is."""
    try:
        document = json.loads(file.text, object_pairs_hook=object_once)
    except ValueError as error:
        raise UsageError(Fault(file.path, str(error), "another name for each that was blotted out")) from error
    document["dataChecksum"] = text_checksum(str(document.get("data")))
    formats = _FORMATS[file.path.rpartition("/")[2]]
    for each in formats[:1] if "podEntries" in document else formats[1:]:
        record, fault = each.read(json.dumps(document))
        if fault is None:
            document["checksum"] = each.checksum(record)
            break
    return json.dumps({name: value for name, value in document.items() if name != "dataChecksum" or "data" in document})


def _refuse_too_many(state: SavedState) -> None:
    """Take a file that tells of more containers than a node can have for damaged."""
    for name, containers in ((CPU_FILE, state.cpus.assignments if state.cpus else {}), (MEMORY_FILE, state.blocks)):
        if sum(map(len, containers.values())) > MOST_CONTAINERS:
            state.files[name].damage = f"it has more than {MOST_CONTAINERS} containers"
            if name == CPU_FILE:
                state.cpus = None
            else:
                state.nodes, state.blocks, state.pods_with_memory = None, {}, frozenset()
    if len(state.devices or ()) > MOST_CONTAINERS:
        state.files[DEVICE_FILE].damage = f"it has more than {MOST_CONTAINERS} containers"
        state.devices = None


def _read_cpus(state: SavedState, file: SavedFile) -> None:
    file.policy, style = _policy_and_style(file.text)
    try:
        state.cpus = decode_cpu(file.text, file.policy, style)
    except CheckpointError as error:
        file.damage = error.cause


def _read_memory(state: SavedState, file: SavedFile) -> None:
    file.policy, style = _policy_and_style(file.text)
    try:
        state.nodes, blocks = decode_memory(file.text, file.policy, style)
    except CheckpointError as error:
        file.damage = error.cause
        return
    every = [block for containers in blocks.by_pod.values() for held in containers.values() for block in held]
    named = {*state.nodes, *(node for block in every for node in block.nodes)}
    if any(not 0 <= node < MOST_NODES for node in named):
        file.damage, state.nodes = f"it names NUMA nodes that no machine has ({MOST_NODES} at most)", None
        return
    state.blocks, state.pods_with_memory = blocks.by_pod, frozenset(blocks.pods)


def _read_devices(state: SavedState, file: SavedFile) -> None:
    devices = decode_devices(file.text)
    if devices is None:
        file.damage = CORRUPTED
        state.remarks += (f"{DEVICE_FILE}: {CORRUPTED}; a kubelet goes on without what it says",)
    elif any(not -1 <= node < MOST_NODES for entry in devices for node in entry.devices):
        file.damage = f"it names NUMA nodes that no machine has ({MOST_NODES} at most)"
    else:
        state.devices = devices


def _policy_and_style(text: str) -> tuple[str, FileStyle]:
    """Return the policy that a file names, and the style it is written in, by its members."""
    document: Mapping[str, Any] = {}
    with suppress(ValueError, RecursionError):
        document = {name.lower(): value for name, value in object_at(json.loads(text)).items()}
    policy = document.get("policyname")
    if "data" in document:
        style = FileStyle(newest_first=True, envelope=True, pods=True)
    elif "podentries" in document:
        style = FileStyle(newest_first=True, pods=True)
    else:
        style = PLAIN
    return policy if isinstance(policy, str) else "", style
