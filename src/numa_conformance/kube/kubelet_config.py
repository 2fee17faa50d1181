"""``kubelet.config.k8s.io/v1beta1 KubeletConfiguration``: every field that concerns the resource managers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..documentation.defaults import (
    CPU_CFS_QUOTA,
    CPU_CFS_QUOTA_PERIOD,
    CPU_MANAGER_POLICY,
    CPU_MANAGER_RECONCILE_PERIOD,
    DEFAULTS,
    EVICTION_HARD,
    MAX_PODS,
    MEMORY_MANAGER_POLICY,
    NODE_STATUS_UPDATE_FREQUENCY,
    TOPOLOGY_MANAGER_POLICY,
    TOPOLOGY_MANAGER_SCOPE,
)
from ..documentation.versions import DEFAULT, KubernetesVersion
from ..errors import closest
from .duration import ACCEPTED, is_duration
from .fields import Faults, as_integer, as_list, as_mapping, as_text, quantities
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
    """The part of a KubeletConfiguration that decides about CPUs, memory and devices.

    Absent fields have the defaults of Kubernetes 1.32; ``at`` gives them those of another version.
    """

    cpu_manager_policy: str = CPU_MANAGER_POLICY.at(DEFAULT)
    cpu_manager_policy_options: Mapping[str, str] | None = None
    cpu_manager_reconcile_period: str = CPU_MANAGER_RECONCILE_PERIOD.at(DEFAULT)
    reserved_system_cpus: str = ""
    kube_reserved: Mapping[str, Quantity] = field(default_factory=dict)
    system_reserved: Mapping[str, Quantity] = field(default_factory=dict)
    kube_reserved_cgroup: str = ""
    system_reserved_cgroup: str = ""
    eviction_hard: Mapping[str, str] = field(default_factory=lambda: EVICTION_HARD.at(DEFAULT))
    memory_manager_policy: str = MEMORY_MANAGER_POLICY.at(DEFAULT)
    reserved_memory: tuple[ReservedMemory, ...] = ()
    topology_manager_policy: str = TOPOLOGY_MANAGER_POLICY.at(DEFAULT)
    topology_manager_scope: str = TOPOLOGY_MANAGER_SCOPE.at(DEFAULT)
    topology_manager_policy_options: Mapping[str, str] | None = None
    feature_gates: Mapping[str, bool] = field(default_factory=dict)
    cpu_cfs_quota: bool = CPU_CFS_QUOTA.at(DEFAULT)
    cpu_cfs_quota_period: str = CPU_CFS_QUOTA_PERIOD.at(DEFAULT)
    max_pods: int = MAX_PODS.at(DEFAULT)
    node_status_update_frequency: str = NODE_STATUS_UPDATE_FREQUENCY.at(DEFAULT)
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

    def at(self, version: KubernetesVersion) -> KubeletConfiguration:
        """Return the same configuration with the defaults of a version where it says nothing.

        In one that was made in code, a value that is the default of 1.32 counts as not said.
        """
        if _defaults(version) == _defaults(DEFAULT):
            return self
        return _read(self.to_dict(), Faults(), version)

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
_ATTRIBUTES: Mapping[str, str] = {**_TEXTS, **_TEXT_MAPS, **_QUANTITY_MAPS, **_OTHERS}
_OWN = frozenset(_ATTRIBUTES)
_DURATIONS = ("cpuManagerReconcilePeriod", "cpuCFSQuotaPeriod", "nodeStatusUpdateFrequency")


def _defaults(version: KubernetesVersion) -> dict[str, Any]:
    """Return the defaults of a version by attribute."""
    return {_ATTRIBUTES[name]: default.at(version) for name, default in DEFAULTS.items() if name in _ATTRIBUTES}


def _read(obj: Mapping[str, Any], faults: Faults, version: KubernetesVersion = DEFAULT) -> KubeletConfiguration:
    _check_kind(obj, faults)
    _check_names(obj, faults)
    defaults = _defaults(version)
    read: dict[str, Any] = {**defaults, "raw": obj}
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
        read["eviction_hard"] = {**defaults["eviction_hard"], **read["eviction_hard"]}
    read["reserved_memory"] = tuple(_reserved_memory(obj.get("reservedMemory"), faults))
    read["feature_gates"] = _gates(obj.get("featureGates"), faults)
    read["cpu_cfs_quota"] = _boolean(obj.get("cpuCFSQuota"), "cpuCFSQuota", faults, default=defaults["cpu_cfs_quota"])
    read["max_pods"] = _count(obj.get("maxPods"), faults, defaults["max_pods"])
    return KubeletConfiguration(**read)


def _written(config: KubeletConfiguration) -> dict[str, Any]:
    """Write every field that differs from its default."""
    default = KubeletConfiguration()
    made: dict[str, Any] = {"apiVersion": API_VERSION, "kind": KIND}
    for key, name in _ATTRIBUTES.items():
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
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


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


def _count(value: object, faults: Faults, default: int) -> int:
    count = as_integer(value, "maxPods", faults, default)
    if count < 0:
        faults.add("maxPods", f"is {count}", "a whole number from 0")
    return count


def _check_duration(value: object, path: str, faults: Faults) -> None:
    if isinstance(value, str) and value and not is_duration(value):
        faults.add(path, f"{value!r} is not a duration", ACCEPTED)
