"""The objects of manifests: folders and Lists are opened, what makes no pods is told apart from what is misspelt.

A Pod makes itself, a workload its replicas.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..documents import Source, Text, name_of, read_content, read_text
from ..errors import Fault, UsageError, closest
from ..fields import Fields, condition, object_at
from .descriptions import described_pods
from .pod import Pod
from .steps import STEPS, LifeStep

_REPLICATED = ("Deployment", "StatefulSet", "ReplicaSet", "ReplicationController")
TEMPLATED = (*_REPLICATED, "DaemonSet", "Job", "CronJob")
"""The kinds that make pods from a template."""
MAX_REPLICAS = 100_000


def pods_of(kind: str, obj: Mapping[str, Any], place: str) -> list[Pod]:
    """Return the pods of a Pod or a workload, those of a workload named ``<workload>-<number>``.

    Raises ``UsageError`` with every fault and its field path.
    """
    if kind == "Pod":
        return [Pod.from_dict(obj, place)]
    path = ("spec", "jobTemplate", "spec") if kind == "CronJob" else ("spec",)
    owner = object_at(obj, *path)
    template = owner.get("template")
    where = ".".join((*path, "template"))
    if not isinstance(template, Mapping):
        raise UsageError(Fault(f"{place}: {where}", "is missing", "a pod template, or the pods that were made"))
    count = _replicas(kind, owner, f"{place}: {'.'.join(path)}")
    if kind in ("Job", "CronJob"):
        count = min(count, _left_to_do(obj, owner))
    metadata, fields = object_at(obj, "metadata"), Fields(place)
    name = fields.name(metadata.get("name"), "metadata.name") or "unnamed"
    fields.name(metadata.get("namespace"), "metadata.namespace")
    fields.raise_if_any()
    if not count:
        return []
    first = Pod.from_dict(_stamp(template, metadata), f"{place}: {where}")
    return [first.named(f"{name}-{number}") for number in range(count)]


def _replicas(kind: str, owner: Mapping[str, Any], place: str) -> int:
    key = {"Job": "parallelism", "CronJob": "parallelism"}.get(kind, "replicas" if kind in _REPLICATED else "")
    count = owner.get(key) if key else None
    if count is None:
        return 1
    count = int(count) if isinstance(count, float) and count.is_integer() else count
    if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= MAX_REPLICAS:
        raise UsageError(Fault(f"{place}.{key}", f"is {count!r}", f"a whole number from 0 to {MAX_REPLICAS}"))
    return count


def _left_to_do(job: Mapping[str, Any], owner: Mapping[str, Any]) -> int:
    """Return how many pods a Job makes at most: none that is suspended or has ended."""
    status, wanted = object_at(job, "status"), owner.get("completions")
    has_ended = condition(job, "Complete") or condition(job, "Failed")
    if has_ended or True in (owner.get("suspend"), object_at(job, "spec").get("suspend")):
        return 0
    done = status.get("succeeded", 0)
    return max(wanted - done, 0) if isinstance(wanted, int) and isinstance(done, int) else MAX_REPLICAS


def _stamp(template: Mapping[str, Any], owner: Mapping[str, Any]) -> dict[str, Any]:
    """Make the pods of a template, which differ by their names alone; ``owner`` is the workload's metadata."""
    namespace = str(owner.get("namespace") or "default")
    stored = {key: owner[key] for key in ("resourceVersion",) if key in owner}
    metadata = {**object_at(template, "metadata"), **stored, "name": "", "namespace": namespace, "uid": ""}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template.get("spec")}


_READ = ("Pod", *TEMPLATED, "Node")
_LISTS = ("List", *(f"{kind}List" for kind in _READ))
_ACCEPTED = ", ".join((*_READ, "List"))
_SUFFIXES = (".json", ".yaml", ".yml")
"""What ``kubectl apply -f FOLDER`` reads of a folder."""
_FIELDS = frozenset({"apiVersion", "kind", "metadata", "spec", "items"})
"""What tells an object of Kubernetes in a list from a step."""
_GROUPS = ("", "apps", "batch")
"""The API groups whose kinds are all known here, so that an unknown one is a misspelt one."""
_OTHER_NAMES = """
Binding ComponentStatus ConfigMap ControllerRevision Endpoints Event LimitRange Namespace PersistentVolume
PersistentVolumeClaim PodTemplate ResourceQuota Secret Service ServiceAccount Status
"""
_OTHER_KINDS = frozenset(_OTHER_NAMES.split())


@dataclass(frozen=True, slots=True)
class ManifestObject:
    """One object of a file. ``is_read`` tells whether its kind is one that makes pods, or a Node."""

    place: str
    kind: str
    obj: Mapping[str, Any]

    @property
    def is_read(self) -> bool:
        """Whether it says anything about pods and nodes."""
        return self.kind in _READ

    @property
    def metadata(self) -> Mapping[str, Any]:
        """Its metadata, empty where there is none."""
        return object_at(self.obj, "metadata")


def read_manifests(paths: Iterable[Source], faults: list[Fault]) -> Iterator[ManifestObject | LifeStep]:
    """Yield the objects of files and folders in the order of the text; a file named twice is read once.

    Faults of single objects are collected, with file, document and field path; raises ``UsageError`` for a file that
    cannot be read at all.
    """
    for file in dict.fromkeys(file for path in paths for file in _some_files(path)):
        content, name = read_content(file), name_of(file)
        documents = described_pods(content, name) or read_text(content, name)
        if not documents:
            faults.append(Fault(name, "there is no document in it", _ACCEPTED))
        for document in documents:
            yield from _opened(document.value, document.place, None, faults)


def files_of(path: Path | str) -> list[str]:
    """Return the manifests of a folder, sorted; anything else is one itself. ``-`` is standard input."""
    if str(path) == "-" or not Path(path).is_dir():
        return [str(path)]
    return sorted(str(file) for file in Path(path).iterdir() if file.suffix in _SUFFIXES)


def _some_files(path: Source) -> Sequence[str | Text]:
    files = [path] if isinstance(path, Text) else files_of(path)
    if not files:
        raise UsageError(Fault(str(path), "there is no manifest in the folder", "files *.yaml, *.yml and *.json"))
    return files


def _opened(obj: object, place: str, default: str | None, faults: list[Fault]) -> Iterator[ManifestObject | LifeStep]:
    """Yield one object, or those of a List; ``default`` is the kind of one that does not say. A list may have steps."""
    if isinstance(obj, list):
        for index, entry in enumerate(obj):
            at = f"{place}: [{index}]"
            fields = object_at(entry).keys()
            may_be_step = not _FIELDS & fields and (len(fields) < 2 or not fields.isdisjoint(STEPS))
            if not (isinstance(entry, str) or (isinstance(entry, Mapping) and may_be_step)):
                yield from _opened(entry, at, None, faults)
                continue
            try:
                yield LifeStep.read(entry, at)
            except UsageError as error:
                faults.extend(error.faults)
        return
    if not isinstance(obj, Mapping):
        faults.append(Fault(place, "is not a Kubernetes object", _ACCEPTED))
        return
    kind = obj.get("kind", default or ("Pod" if "spec" in obj else None))
    if kind in _LISTS:
        items = obj.get("items")
        if not isinstance(items, list):
            faults.append(Fault(f"{place}: items", "is missing or no list", "a list of objects"))
            return
        for index, item in enumerate(items):
            yield from _opened(item, f"{place}: items[{index}]", kind.removesuffix("List") or None, faults)
    elif not kind and isinstance(obj.get("items"), list):
        faults.append(Fault(f"{place}: kind", "is missing: a List ends with it, and may be cut off", "the whole text"))
    elif fault := _kind_fault(kind, obj.get("apiVersion"), f"{place}: kind"):
        faults.append(fault)
    else:
        yield ManifestObject(place, kind, obj)


def _kind_fault(kind: object, version: object, place: str) -> Fault | None:
    if not kind:
        return Fault(place, "is missing", _ACCEPTED)
    group = version.rpartition("/")[0] if isinstance(version, str) else ""
    name = str(kind)
    if name in _READ or (isinstance(kind, str) and (group not in _GROUPS or name.removesuffix("List") in _OTHER_KINDS)):
        return None
    return Fault(place, f"{kind!r} makes no pods", _ACCEPTED, closest(name, (*_READ, "List", *_OTHER_KINDS)))
