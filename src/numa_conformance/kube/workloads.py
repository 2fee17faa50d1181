"""The pods that an object makes: a Pod itself, or the replicas of a workload."""

from collections.abc import Mapping
from typing import Any

from ..errors import Fault, UsageError
from ..fields import object_at
from .pod import Pod

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
    return _from_template(kind, obj, ("spec", "jobTemplate", "spec") if kind == "CronJob" else ("spec",), place)


def _from_template(kind: str, obj: Mapping[str, Any], path: tuple[str, ...], place: str) -> list[Pod]:
    owner = object_at(obj, *path)
    template = owner.get("template")
    where = ".".join((*path, "template"))
    if not isinstance(template, Mapping):
        raise UsageError(Fault(f"{place}: {where}", "is missing", "a pod template"))
    count = _replicas(kind, owner, f"{place}: {'.'.join(path)}")
    metadata = object_at(obj, "metadata")
    if not count:
        return []
    first = Pod.from_dict(_stamp(template, metadata), f"{place}: {where}")
    return [first.named(f"{metadata.get('name') or 'unnamed'}-{number}") for number in range(count)]


def _replicas(kind: str, owner: Mapping[str, Any], place: str) -> int:
    key = {"Job": "parallelism", "CronJob": "parallelism"}.get(kind, "replicas" if kind in _REPLICATED else "")
    count = owner.get(key) if key else None
    if count is None:
        return 1
    if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= MAX_REPLICAS:
        raise UsageError(Fault(f"{place}.{key}", f"is {count!r}", f"a whole number from 0 to {MAX_REPLICAS}"))
    return count


def _stamp(template: Mapping[str, Any], owner: Mapping[str, Any]) -> dict[str, Any]:
    """Make the pods of a template, which differ by their names alone; ``owner`` is the workload's metadata."""
    metadata = object_at(template, "metadata")
    namespace = str(owner.get("namespace") or "default")
    stored = {key: owner[key] for key in ("resourceVersion",) if key in owner}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {**metadata, **stored, "name": "", "namespace": namespace, "uid": ""},
        "spec": template.get("spec"),
    }
