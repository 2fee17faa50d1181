"""``kubelet.config.k8s.io/v1beta1 KubeletConfiguration``: every field that concerns the resource managers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import closest
from .fields import Faults, as_integer, as_list, as_mapping, as_text, quantities
from .kubelet_fields import OTHER_FIELDS
from .quantity import Quantity

__all__ = ["KubeletConfiguration", "ReservedMemory"]

_DURATION = re.compile(r"0|[+-]?(([0-9]+\.?[0-9]*|\.[0-9]+)(h|ms|m|s|us|ns))+", re.ASCII)
DEFAULT_EVICTION: Mapping[str, str] = {"memory.available": "100Mi"}
"""Hard eviction when the configuration names none, as far as it counts as reserved (MEM-RSV-07)."""
API_VERSION = "kubelet.config.k8s.io/v1beta1"
KIND = "KubeletConfiguration"


@dataclass(frozen=True)
class ReservedMemory:
    """One entry of ``reservedMemory``: what is kept back on a NUMA node, per type."""

    numa_node: int
    limits: Mapping[str, Quantity]


@dataclass(frozen=True)
class KubeletConfiguration:
    """The part of a KubeletConfiguration that decides about CPUs, memory and devices; absent fields have defaults."""

    cpu_manager_policy: str = "none"
    cpu_manager_policy_options: Mapping[str, str] | None = None
    cpu_manager_reconcile_period: str = "10s"
    reserved_system_cpus: str = ""
    kube_reserved: Mapping[str, Quantity] = field(default_factory=dict)
    system_reserved: Mapping[str, Quantity] = field(default_factory=dict)
    kube_reserved_cgroup: str = ""
    system_reserved_cgroup: str = ""
    eviction_hard: Mapping[str, str] | None = None
    memory_manager_policy: str = "None"
    reserved_memory: tuple[ReservedMemory, ...] = ()
    topology_manager_policy: str = "none"
    topology_manager_scope: str = "container"
    topology_manager_policy_options: Mapping[str, str] | None = None
    feature_gates: Mapping[str, bool] = field(default_factory=dict)
    cpu_cfs_quota: bool = True
    cpu_cfs_quota_period: str = "100ms"
    max_pods: int = 110
    node_status_update_frequency: str = "10s"
    raw: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @classmethod
    def from_dict(cls, obj: object, place: str = "") -> KubeletConfiguration:
        """Read the JSON object; ``apiVersion`` and ``kind`` may be absent.

        Fields of a KubeletConfiguration that do not concern the managers are ignored; unknown ones are faults. Raises
        ``UsageError`` with every fault and its field path.
        """
        faults = Faults(place)
        config = _read(as_mapping(obj, "", faults), faults)
        faults.raise_if_any()
        return config

    def to_dict(self) -> Mapping[str, Any]:
        """Return the JSON object it was read from or, where it was made or changed in code, one that says the same."""
        if self.raw and _read(self.raw, Faults()) == self:
            return self.raw
        return _written(self)


_TEXTS = {
    "cpuManagerPolicy": "cpu_manager_policy",
    "cpuManagerReconcilePeriod": "cpu_manager_reconcile_period",
    "reservedSystemCPUs": "reserved_system_cpus",
    "kubeReservedCgroup": "kube_reserved_cgroup",
    "systemReservedCgroup": "system_reserved_cgroup",
    "memoryManagerPolicy": "memory_manager_policy",
    "topologyManagerPolicy": "topology_manager_policy",
    "topologyManagerScope": "topology_manager_scope",
    "cpuCFSQuotaPeriod": "cpu_cfs_quota_period",
    "nodeStatusUpdateFrequency": "node_status_update_frequency",
}
_TEXT_MAPS = {
    "cpuManagerPolicyOptions": "cpu_manager_policy_options",
    "topologyManagerPolicyOptions": "topology_manager_policy_options",
    "evictionHard": "eviction_hard",
}
_QUANTITY_MAPS = {"kubeReserved": "kube_reserved", "systemReserved": "system_reserved"}
_OTHERS = {
    "reservedMemory": "reserved_memory",
    "featureGates": "feature_gates",
    "cpuCFSQuota": "cpu_cfs_quota",
    "maxPods": "max_pods",
}
_OWN = {*_TEXTS, *_TEXT_MAPS, *_QUANTITY_MAPS, *_OTHERS}
_DURATIONS = ("cpuManagerReconcilePeriod", "cpuCFSQuotaPeriod", "nodeStatusUpdateFrequency")


def _read(obj: Mapping[str, Any], faults: Faults) -> KubeletConfiguration:
    _check_kind(obj, faults)
    _check_names(obj, faults)
    read: dict[str, Any] = {"raw": obj}
    for key, name in _TEXTS.items():
        if obj.get(key) not in (None, ""):
            read[name] = as_text(obj[key], key, faults)
    for key in _DURATIONS:
        _check_duration(obj.get(key), key, faults)
    for key, name in _TEXT_MAPS.items():
        if obj.get(key) is not None:
            read[name] = _text_map(obj[key], key, faults)
    for key, name in _QUANTITY_MAPS.items():
        read[name] = quantities(obj.get(key), key, faults)
    if _boolean(obj.get("mergeDefaultEvictionSettings"), "mergeDefaultEvictionSettings", faults, default=False):
        read["eviction_hard"] = {**DEFAULT_EVICTION, **read.get("eviction_hard", {})}
    read["reserved_memory"] = tuple(_reserved_memory(obj.get("reservedMemory"), faults))
    read["feature_gates"] = _gates(obj.get("featureGates"), faults)
    read["cpu_cfs_quota"] = _boolean(obj.get("cpuCFSQuota"), "cpuCFSQuota", faults, default=True)
    read["max_pods"] = _count(obj.get("maxPods"), faults)
    return KubeletConfiguration(**read)


def _written(config: KubeletConfiguration) -> dict[str, Any]:
    """Write every field that differs from its default."""
    keys = {name: key for table in (_TEXTS, _TEXT_MAPS, _QUANTITY_MAPS, _OTHERS) for key, name in table.items()}
    default = KubeletConfiguration()
    made: dict[str, Any] = {"apiVersion": API_VERSION, "kind": KIND}
    for name, key in keys.items():
        value = getattr(config, name)
        if value != getattr(default, name):
            made[key] = _plain(value)
    return made


def _plain(value: object) -> Any:
    if isinstance(value, Quantity):
        return str(value)
    if isinstance(value, ReservedMemory):
        return {"numaNode": value.numa_node, "limits": _plain(value.limits)}
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, tuple) else value


def _check_kind(obj: Mapping[str, Any], faults: Faults) -> None:
    for key, accepted in (("apiVersion", API_VERSION), ("kind", KIND)):
        if obj.get(key) not in (None, accepted):
            faults.add(key, f"is {obj[key]!r}", accepted)


def _check_names(obj: Mapping[str, Any], faults: Faults) -> None:
    for key in obj:
        if key in _OWN or key in OTHER_FIELDS or key in ("apiVersion", "kind", "mergeDefaultEvictionSettings"):
            continue
        faults.add(str(key), "unknown field", suggestion=closest(str(key), _OWN | OTHER_FIELDS))


def _text_map(value: object, path: str, faults: Faults) -> dict[str, str]:
    return {
        str(name): as_text(text, f"{path}.{name}", faults) for name, text in as_mapping(value, path, faults).items()
    }


def _reserved_memory(value: object, faults: Faults) -> list[ReservedMemory]:
    entries = []
    for index, item in enumerate(as_list(value, "reservedMemory", faults)):
        path = f"reservedMemory[{index}]"
        entry = as_mapping(item, path, faults)
        node = as_integer(entry.get("numaNode"), f"{path}.numaNode", faults, 0)
        if node < 0:
            faults.add(f"{path}.numaNode", f"{node} is no NUMA node", "a whole number from 0")
        for key in entry:
            if key not in ("numaNode", "limits"):
                faults.add(f"{path}.{key}", "unknown field", suggestion=closest(str(key), ("numaNode", "limits")))
        entries.append(ReservedMemory(node, quantities(entry.get("limits"), f"{path}.limits", faults)))
    return entries


def _gates(value: object, faults: Faults) -> dict[str, bool]:
    return {
        str(name): _boolean(on, f"featureGates.{name}", faults, default=True)
        for name, on in as_mapping(value, "featureGates", faults).items()
    }


def _boolean(value: object, path: str, faults: Faults, *, default: bool) -> bool:
    if value is None:
        return default
    if not isinstance(value, bool):
        faults.add(path, f"is {value!r}", "true or false")
    return value is True


def _count(value: object, faults: Faults) -> int:
    count = as_integer(value, "maxPods", faults, 110)
    if count < 0:
        faults.add("maxPods", f"is {count}", "a whole number from 0")
    return count


def _check_duration(value: object, path: str, faults: Faults) -> None:
    if isinstance(value, str) and value and not _DURATION.fullmatch(value):
        faults.add(path, f"{value!r} is not a duration", "a number with a unit, such as 10s or 1m30s")
