"""The configuration in force on a node: its files, drop-ins and flags of the running kubelet, or its ``/configz``."""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..documents import Document
from ..errors import Fault, UsageError, faults_within
from ..files import read_bounded
from ..kube.configuration_files import kubelet_document
from ..kube.kubelet_config import MANAGER_FIELDS, KubeletConfiguration
from ..kube.kubelet_flags import FLAGS, with_flags
from ..sources.quirks import Quirks
from ..sources.versions import KubernetesVersion
from .tree import MAX_STATE, Line, NodeTree

PLACES = ("config", "config-dir", "root-dir", "cgroup-root")
"""Flags that say where to look."""
RELEVANT_FLAGS = frozenset(FLAGS) | frozenset(PLACES)
"""The flags of a kubelet that are read here; of all others not even the names are kept."""
ROOT_DIR = "/var/lib/kubelet"
USUAL = ("/var/lib/kubelet/config.yaml", "/etc/kubernetes/kubelet-config.yaml", "/etc/kubernetes/kubelet/config.json")
"""Where installers put the configuration, tried where no kubelet runs that says where it is."""
CGROUP_ROOT = "cgroupRoot"
_SHUTDOWN = ("shutdownGracePeriod", "shutdownGracePeriodCriticalPods", "shutdownGracePeriodByPodPriority")
_FIELDS = (*MANAGER_FIELDS, CGROUP_ROOT, "allowedUnsafeSysctls", "registerWithTaints", *_SHUTDOWN)
MAX_DROP_INS = 1_000
_DEPTH = 4
_KEY = re.compile(r"""["']?\b([A-Za-z]+)["']?\s*:""")
_WIDEST = 200


@dataclass(frozen=True, slots=True)
class KubeletProcess:
    """A running kubelet: its process id, and the flags of its command line that are read here, in order."""

    pid: int
    flags: tuple[tuple[str, str], ...]

    def last(self, name: str) -> str | None:
        """Return the value that a flag has in the end."""
        return next((value for flag, value in reversed(self.flags) if flag == name), None)

    @property
    def file(self) -> str:
        """Where its flags stand."""
        return f"proc/{self.pid}/cmdline"


@dataclass
class NodeConfiguration:
    """A configuration, where each field was said, the kubelet's folder, and the running kubelet, if any was seen.

    ``cgroup_root``: the cgroup below which the kubelet's is. ``written``: what the files say together.
    ``from_configz``: the kubelet's ``/configz`` gave all of it, so flags add nothing.
    """

    kubelet: KubeletConfiguration
    root_dir: str
    lines: dict[str, Line] = field(default_factory=dict)
    process: KubeletProcess | None = None
    files: tuple[str, ...] = ()
    written: Mapping[str, Any] = field(default_factory=dict)
    from_configz: bool = False
    cgroup_root: str = ""


def find_kubelet(tree: NodeTree) -> KubeletProcess | None:
    """Return the kubelet that runs; of several the first, with a note."""
    kubelets = [process for pid in tree.processes() if (process := _kubelet(tree, pid))]
    if len(kubelets) > 1:
        pids = ", ".join(str(process.pid) for process in kubelets)
        tree.note(f"several kubelets run (processes {pids}); the first is looked at")
    return kubelets[0] if kubelets else None


def _kubelet(tree: NodeTree, pid: int) -> KubeletProcess | None:
    comm = tree.line(f"proc/{pid}/comm")
    if comm is not None and comm != "kubelet":
        return None
    words = (tree.text(f"proc/{pid}/cmdline") or "").split("\0")
    if words[0].rpartition("/")[2] != "kubelet":
        return None
    return KubeletProcess(pid, tuple(_relevant(words[1:])))


def _relevant(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    place = 0
    while place < len(words):
        word, place = words[place], place + 1
        name, equals, value = word.lstrip("-").partition("=")
        if not word.startswith("-") or name not in RELEVANT_FLAGS:
            continue
        if not equals:
            value = words[place] if place < len(words) else ""
            place += 1
        yield name, value


def read_configuration(
    tree: NodeTree,
    process: KubeletProcess | None,
    version: KubernetesVersion,
    config: Path | None = None,
    config_dir: Path | None = None,
    *,
    may_lack: bool = False,
) -> NodeConfiguration:
    """Read what is in force: files, then drop-ins, then flags (page Set Kubelet Parameters Via A Configuration File).

    ``config`` and ``config_dir`` are read in place of what the running kubelet (``process``) names; what ``/configz``
    told is whole, and flags add nothing to it. Raises ``UsageError`` where there is none (unless it ``may_lack``),
    or for one that is none.
    """
    root_dir = (process and process.last("root-dir")) or ROOT_DIR
    lines: dict[str, Line] = {}
    merged: dict[str, Any] = {}
    files: list[str] = []
    notes: tuple[str, ...] = ()
    from_configz = False
    for shown, place in [*_main_file(tree, process, config), *_drop_ins(tree, process, config_dir)]:
        document, from_configz = _document(place, is_given=place == config)
        notes += document.notes
        files.append(shown)
        merged = _merged(merged, document.value)
        lines.update(_lines(place, shown, document.value))
        if from_configz:
            break
    if not files and process is None and not may_lack:
        wrong = "no kubelet runs there and there is no configuration of one"
        raise UsageError(Fault("the configuration", wrong, f"--config FILE, or one of {', '.join(USUAL)}"))
    kubelet = replace(KubeletConfiguration.from_dict(merged, ", ".join(files)).at(version), notes=notes)
    for note in notes:
        tree.note(note)
    if process is not None and not from_configz:
        kubelet = _with_flags(kubelet, process, lines, version)
    cgroup_root = (process and process.last("cgroup-root")) or str(merged.get(CGROUP_ROOT) or "")
    return NodeConfiguration(kubelet, root_dir, lines, process, tuple(files), merged, from_configz, cgroup_root)


def _main_file(tree: NodeTree, process: KubeletProcess | None, config: Path | None) -> list[tuple[str, Path]]:
    if config is not None:
        return [(str(config.absolute()), config)]
    path = process.last("config") if process else None
    if path:
        place = tree.place(path)
        if place is None:
            raise UsageError(Fault(path, "the kubelet was started with this configuration, which does not exist"))
        return [(path.lstrip("/"), place)]
    if process is not None:
        return []
    usual = ((path, tree.place(path)) for path in USUAL)
    return [(path.lstrip("/"), place) for path, place in usual if place is not None and place.is_file()][:1]


def _drop_ins(tree: NodeTree, process: KubeletProcess | None, config_dir: Path | None) -> list[tuple[str, Path]]:
    """Return the files of the drop-in folder in alphanumeric order; only those that end in ``.conf`` are read."""
    if config_dir is not None:
        return [(str(config_dir.absolute() / name), place) for name, place in _conf_files(NodeTree(config_dir), "")]
    path = process.last("config-dir") if process else None
    return list(_conf_files(tree, path.strip("/") + "/")) if path else []


def _conf_files(tree: NodeTree, folder: str, depth: int = 0) -> Iterator[tuple[str, Path]]:
    """Yield drop-ins as the kubelet walks a folder: by name, what is in a folder in its place."""
    names = tree.names(folder or ".")
    if len(names) > MAX_DROP_INS:
        tree.note(f"{folder}: more than {MAX_DROP_INS} files; the rest is not looked at")
    for name in names[:MAX_DROP_INS]:
        place = tree.place(f"{folder}{name}")
        if place is not None and place.is_dir() and depth < _DEPTH and not place.is_symlink():
            yield from _conf_files(tree, f"{folder}{name}/", depth + 1)
        elif place is not None and name.endswith(".conf") and place.is_file():
            yield f"{folder}{name}", place


def _document(place: Path, *, is_given: bool) -> tuple[Document, bool]:
    """Return a document with the fields that concern the managers, and whether it is all that a kubelet told.

    What /configz tells has no kind; a kubelet refuses its files without.
    """
    document = kubelet_document(place)
    if not isinstance(document.value, Mapping):
        raise UsageError(Fault(document.place, "is no KubeletConfiguration", "fields and their values"))
    whole = "kind" not in document.value
    if whole and not is_given and not document.place.endswith(": kubeletconfig"):
        message = "Object 'Kind' is missing: no kubelet starts with this file"
        accepted = "kind: KubeletConfiguration; --config takes what /configz reports"
        raise UsageError(Fault(document.place, message, accepted))
    fields = {key: document.value[key] for key in _FIELDS if key in document.value}
    return Document(document.place, fields, document.notes), whole


def _merged(before: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Put a later configuration over an earlier one: maps are merged, everything else is replaced (KEP-3983)."""
    merged = dict(before)
    for key, value in more.items():
        old = merged.get(key)
        merged[key] = _merged(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return merged


def _lines(place: Path, shown: str, value: Mapping[str, Any]) -> Iterator[tuple[str, Line]]:
    """Yield each field of a document with the line on which it stands."""
    try:
        text = read_bounded(place, MAX_STATE).decode("utf-8", "replace")
    except (UsageError, OSError):
        return
    lines: dict[str, Line] = {}
    for number, line in enumerate(text.splitlines(), 1):
        keys = _KEY.findall(line)
        for key in keys:
            if key in value and key not in lines:
                # Of a line with other fields, which may be secret, nothing is shown but the one.
                shown_text = line.strip() if len(keys) == 1 and len(line) < _WIDEST else f"{key}: {value[key]}"
                lines[key] = Line.of(shown_text, shown, number)
    yield from lines.items()


def _with_flags(
    kubelet: KubeletConfiguration, process: KubeletProcess, lines: dict[str, Line], version: KubernetesVersion
) -> KubeletConfiguration:
    words = []
    for name, value in process.flags:
        if name in FLAGS:
            words.append(f"--{name}={value}")
            lines[FLAGS[name].field] = Line.of(words[-1], process.file)
    with faults_within(process.file):
        return with_flags(kubelet, shlex.join(words), Quirks.of(version).node).at(version)
