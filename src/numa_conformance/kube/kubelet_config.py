"""``kubelet.config.k8s.io/v1beta1 KubeletConfiguration``: every field that concerns the resource managers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import closest
from .fields import Faults, as_list, as_mapping, as_text, quantities
from .kubelet_fields import OTHER_FIELDS
from .quantity import Quantity

__all__ = ["KubeletConfiguration", "ReservedMemory"]

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
        """Return the JSON object it was read from."""
        return self.raw


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
_OWN = {*_TEXTS, *_TEXT_MAPS, *_QUANTITY_MAPS, "reservedMemory", "featureGates", "cpuCFSQuota", "maxPods"}


def _read(obj: Mapping[str, Any], faults: Faults) -> KubeletConfiguration:
    _check_kind(obj, faults)
    _check_names(obj, faults)
    read: dict[str, Any] = {"raw": obj}
    for key, name in _TEXTS.items():
        if obj.get(key) not in (None, ""):
            read[name] = as_text(obj[key], key, faults)
    for key, name in _TEXT_MAPS.items():
        if obj.get(key) is not None:
            read[name] = _text_map(obj[key], key, faults)
    for key, name in _QUANTITY_MAPS.items():
        read[name] = quantities(obj.get(key), key, faults)
    read["reserved_memory"] = tuple(_reserved_memory(obj.get("reservedMemory"), faults))
    read["feature_gates"] = _gates(obj.get("featureGates"), faults)
    read["cpu_cfs_quota"] = _boolean(obj.get("cpuCFSQuota"), "cpuCFSQuota", faults)
    read["max_pods"] = _count(obj.get("maxPods"), faults)
    return KubeletConfiguration(**read)


def _check_kind(obj: Mapping[str, Any], faults: Faults) -> None:
    for key, accepted in (("apiVersion", API_VERSION), ("kind", KIND)):
        if obj.get(key) not in (None, accepted):
            faults.add(key, f"is {obj[key]!r}", accepted)


def _check_names(obj: Mapping[str, Any], faults: Faults) -> None:
    for key in obj:
        if key in _OWN or key in OTHER_FIELDS or key in ("apiVersion", "kind"):
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
        node = entry.get("numaNode")
        if isinstance(node, bool) or not isinstance(node, int) or node < 0:
            faults.add(f"{path}.numaNode", f"{node!r} is no NUMA node", "a whole number from 0")
            node = 0
        for key in entry:
            if key not in ("numaNode", "limits"):
                faults.add(f"{path}.{key}", "unknown field", suggestion=closest(str(key), ("numaNode", "limits")))
        entries.append(ReservedMemory(node, quantities(entry.get("limits"), f"{path}.limits", faults)))
    return entries


def _gates(value: object, faults: Faults) -> dict[str, bool]:
    return {
        str(name): _boolean(on, f"featureGates.{name}", faults)
        for name, on in as_mapping(value, "featureGates", faults).items()
    }


def _boolean(value: object, path: str, faults: Faults) -> bool:
    if value is None:
        return True
    if not isinstance(value, bool):
        faults.add(path, f"is {value!r}", "true or false")
    return value is True


def _count(value: object, faults: Faults) -> int:
    if value is None:
        return 110
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        faults.add("maxPods", f"is {value!r}", "a whole number from 0")
        return 110
    return value
