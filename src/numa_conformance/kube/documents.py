"""The objects that users have in files: pods, workloads that make pods, a KubeletConfiguration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..errors import Fault, UsageError, closest
from ..reading import Document, read_documents
from .kubelet_config import KubeletConfiguration
from .pod import Pod
from .pod_names import PodNames
from .scheduler_config import SchedulerConfiguration

__all__ = ["pods_of", "read_kubelet_configuration", "read_pods", "read_scheduler_configuration"]

_REPLICATED = ("Deployment", "StatefulSet", "ReplicaSet", "ReplicationController")
_TEMPLATED = (*_REPLICATED, "DaemonSet", "Job")
_KINDS = ("Pod", "List", "PodList", *_TEMPLATED, "CronJob")
MAX_REPLICAS = 100_000


def read_pods(*paths: Path | str) -> list[Pod]:
    """Read every pod of files: Pods, Lists, multi-document streams, and workloads, whose replicas become pods.

    A workload's pods are named ``<workload>-<number>``, a pod without metadata after its first container; one without
    uid gets ``<namespace>/<name>``. Raises ``UsageError`` with all faults of all documents, each naming file, document
    and field path.
    """
    names, faults, pods = PodNames(), list[Fault](), list[Pod]()
    for path in paths:
        pods += _pods_of_file(path, names, faults)
    if faults:
        raise UsageError(faults)
    return pods


def _pods_of_file(path: Path | str, names: PodNames, faults: list[Fault]) -> list[Pod]:
    pods: list[Pod] = []
    documents = read_documents(path)
    for document in documents:
        try:
            pods.extend(pods_of(names.name(document.value), document.place))
        except UsageError as error:
            faults.extend(error.faults)
    if not documents:
        faults.append(Fault(str(path), "there is no document in it", ", ".join(_KINDS)))
    faults.extend(_same_uid(pods, str(path)))
    return pods


def pods_of(obj: object, place: str) -> list[Pod]:
    """Return the pods that one object makes; raises ``UsageError``."""
    if not isinstance(obj, Mapping):
        raise UsageError(Fault(place, "is not a Kubernetes object", ", ".join(_KINDS)))
    kind = obj.get("kind", "Pod" if "spec" in obj else None)
    if kind == "Pod":
        return [Pod.from_dict(obj, place)]
    if kind in ("List", "PodList"):
        return list(_listed(obj, place))
    if kind == "CronJob":
        return _from_template(obj, ("spec", "jobTemplate", "spec"), place)
    if kind in _TEMPLATED:
        return _from_template(obj, ("spec",), place)
    suggestion = closest(str(kind), _KINDS) if kind else None
    raise UsageError(Fault(f"{place}: kind", f"{kind!r} makes no pods", ", ".join(_KINDS), suggestion))


def _listed(obj: Mapping[str, Any], place: str) -> Iterator[Pod]:
    items = obj.get("items")
    if not isinstance(items, list):
        raise UsageError(Fault(f"{place}: items", "is missing or no list", "a list of objects"))
    faults: list[Fault] = []
    for index, item in enumerate(items):
        whole = {"kind": "Pod", **item} if obj["kind"] == "PodList" and isinstance(item, Mapping) else item
        try:
            yield from pods_of(whole, f"{place}: items[{index}]")
        except UsageError as error:
            faults.extend(error.faults)
    if faults:
        raise UsageError(faults)


def _from_template(obj: Mapping[str, Any], path: tuple[str, ...], place: str) -> list[Pod]:
    owner: Any = obj
    for key in path:
        owner = owner.get(key) if isinstance(owner, Mapping) else None
    template = owner.get("template") if isinstance(owner, Mapping) else None
    where = ".".join((*path, "template"))
    if not isinstance(template, Mapping):
        raise UsageError(Fault(f"{place}: {where}", "is missing", "a pod template"))
    count = _replicas(obj["kind"], owner, f"{place}: {'.'.join(path)}")
    metadata = obj["metadata"] if isinstance(obj.get("metadata"), Mapping) else {}
    name = str(metadata.get("name") or "unnamed")
    namespace = str(metadata.get("namespace") or "default")
    return [
        Pod.from_dict(_stamp(template, f"{name}-{number}", namespace), f"{place}: {where}") for number in range(count)
    ]


def _replicas(kind: str, owner: Mapping[str, Any], place: str) -> int:
    key = {"Job": "parallelism", "CronJob": "parallelism"}.get(kind, "replicas" if kind in _REPLICATED else "")
    count = owner.get(key, 1) if key else 1
    if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= MAX_REPLICAS:
        raise UsageError(Fault(f"{place}.{key}", f"is {count!r}", f"a whole number from 0 to {MAX_REPLICAS}"))
    return count


def _stamp(template: Mapping[str, Any], name: str, namespace: str) -> dict[str, Any]:
    metadata = template["metadata"] if isinstance(template.get("metadata"), Mapping) else {}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {**metadata, "name": name, "namespace": namespace, "uid": f"{namespace}/{name}"},
        "spec": template.get("spec"),
    }


def _same_uid(pods: list[Pod], place: str) -> Iterator[Fault]:
    seen: dict[str, Pod] = {}
    for pod in pods:
        first = seen.setdefault(pod.uid, pod)
        if first is not pod:
            yield Fault(
                f"{place}: metadata.uid",
                f"the pods {first.namespace}/{first.name} and {pod.namespace}/{pod.name} have the same uid {pod.uid!r}",
            )


def read_kubelet_configuration(path: Path | str | None) -> KubeletConfiguration:
    """Read one KubeletConfiguration; None gives the kubelet's defaults. Raises ``UsageError``."""
    if path is None:
        return KubeletConfiguration()
    document = _only_document(path, "KubeletConfiguration")
    return KubeletConfiguration.from_dict(document.value, document.place)


def read_scheduler_configuration(path: Path | str | None) -> SchedulerConfiguration:
    """Read one KubeSchedulerConfiguration; None gives the scheduler's defaults. Raises ``UsageError``."""
    if path is None:
        return SchedulerConfiguration()
    document = _only_document(path, "KubeSchedulerConfiguration")
    return SchedulerConfiguration.from_dict(document.value, document.place)


def _only_document(path: Path | str, kind: str) -> Document:
    documents = read_documents(path)
    if len(documents) != 1:
        raise UsageError(Fault(str(path), f"holds {len(documents)} documents", f"one {kind}"))
    return documents[0]
