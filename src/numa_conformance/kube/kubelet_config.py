"""``kubelet.config.k8s.io/v1beta1 KubeletConfiguration``: every field that concerns the resource managers."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from math import isfinite
from typing import Any

from ..errors import did_you_mean
from ..fields import Fields, object_at, shown
from ..sources.configuration_fields import FIELDS
from ..sources.defaults import (
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
from ..sources.quirks.areas import NodeQuirks
from ..sources.versions import DEFAULT, KubernetesVersion
from .quantity import DURATIONS, Quantity, is_duration, microseconds, quantities

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

    Absent fields have the defaults of Kubernetes ``DEFAULT``; ``at`` gives them those of another version.
    ``passed_over``: the fields that no kubelet knows. ``notes``: what else was not read of what a person gave.
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
    pods_per_core: int = 0
    node_status_update_frequency: str = NODE_STATUS_UPDATE_FREQUENCY.at(DEFAULT)
    raw: Mapping[str, Any] = field(default_factory=dict, compare=False)
    passed_over: tuple[str, ...] = field(default=(), compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)

    @classmethod
    def from_dict(cls, obj: object, place: str = "", *, lenient: bool = False) -> "KubeletConfiguration":
        """Read the JSON object; ``apiVersion`` and ``kind`` may be absent.

        Fields of a KubeletConfiguration that do not concern the managers are ignored; unknown ones are faults or, where
        it is ``lenient`` as a kubelet is, passed over. Raises ``UsageError`` with every fault and its field path.
        """
        fields = Fields(place)
        written = fields.mapping(obj, "")
        unknown = tuple(str(name) for name in written if name not in _FIELDS) if lenient else ()
        known = {name: value for name, value in written.items() if name not in unknown} if unknown else written
        for name in _QUANTITY_MAPS if lenient else ():
            _text_map(written.get(name), name, fields)  # a kubelet reads no bare number there
        config = replace(_read(known, fields), passed_over=unknown)
        if config.raw:
            config.__dict__["_json"] = config.raw  # it says what was read: no need to read it again
        fields.raise_if_any()
        return config

    @property
    def passed_over_notices(self) -> dict[str, str]:
        """What is to be said of each field that is passed over."""
        return {name: f"the kubelet passes over {name}{did_you_mean(name, _FIELDS)}" for name in self.passed_over}

    def at(self, version: KubernetesVersion) -> "KubeletConfiguration":
        """Return the same configuration with the defaults of a version where it says nothing.

        In one that was made in code, a value that is the default of ``DEFAULT`` counts as not said.
        """
        merges = _MERGING.name in self.raw and version < _MERGING.since
        if _defaults(version) == _defaults(DEFAULT) and not merges:
            return self
        known = {name: value for name, value in self.to_dict().items() if not (merges and name == _MERGING.name)}
        return _read(known, Fields(), version)

    def reconcile_period(self, quirks: NodeQuirks) -> str:
        """Return how often cpusets are written: where the configuration does not say, when the node's status is."""
        period, default = self.cpu_manager_reconcile_period, CPU_MANAGER_RECONCILE_PERIOD.at(DEFAULT)
        if microseconds(period) and (period != default or self.raw.get("cpuManagerReconcilePeriod")):
            return period
        return default if quirks.reconcile_period_is_fixed else self.node_status_update_frequency

    def to_dict(self) -> Mapping[str, Any]:
        """Return the JSON object it was read from or, where it was made or changed in code, one that says the same."""
        return self._json

    @cached_property
    def _json(self) -> Mapping[str, Any]:
        return self.raw if self.raw and _read(self.raw, Fields()) == self else _written(self)


def _attributes(names: str) -> dict[str, str]:
    """Return fields to attributes: ``cpuCFSQuotaPeriod`` to ``cpu_cfs_quota_period``."""
    between_words = r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})"
    return {name: re.sub(between_words, "_", name).lower() for name in names.split()}


_TEXTS = _attributes(
    "cpuManagerPolicy cpuManagerReconcilePeriod reservedSystemCPUs kubeReservedCgroup systemReservedCgroup "
    "memoryManagerPolicy topologyManagerPolicy topologyManagerScope cpuCFSQuotaPeriod nodeStatusUpdateFrequency"
)
_TEXT_MAPS = _attributes("cpuManagerPolicyOptions topologyManagerPolicyOptions evictionHard")
_QUANTITY_MAPS = _attributes("kubeReserved systemReserved")
_OTHERS = _attributes("reservedMemory featureGates cpuCFSQuota maxPods podsPerCore")
_ATTRIBUTES: Mapping[str, str] = {**_TEXTS, **_TEXT_MAPS, **_QUANTITY_MAPS, **_OTHERS}
MANAGER_FIELDS = ("apiVersion", "kind", "mergeDefaultEvictionSettings", *_ATTRIBUTES)
"""The fields that concern the resource managers."""
_FIELDS = ("apiVersion", "kind", *FIELDS)
_BY_ROOT: dict[str, list[tuple[str, list[str], str]]] = {}
for _name, _field in FIELDS.items():
    if _name not in _QUANTITY_MAPS:
        _BY_ROOT.setdefault(_field.root, []).append((_name, _name.split("."), _field.kind.rstrip("?")))
_MERGING = FIELDS["mergeDefaultEvictionSettings"]
_INT32 = {"low": -(2**31), "high": 2**31 - 1}


@lru_cache
def _defaults(version: KubernetesVersion) -> Mapping[str, Any]:
    return {_ATTRIBUTES[name]: default.at(version) for name, default in DEFAULTS.items() if name in _ATTRIBUTES}


def _read(obj: Mapping[str, Any], fields: Fields, version: KubernetesVersion = DEFAULT) -> KubeletConfiguration:
    fields.same(obj, apiVersion=API_VERSION, kind=KIND)
    fields.known(obj, "", _FIELDS, listed=False)
    defaults = _defaults(version)
    read: dict[str, Any] = {**defaults, "raw": obj}
    read |= {name: obj[key] for key, name in _TEXTS.items() if obj.get(key) not in (None, "")}
    for root, described in _BY_ROOT.items():
        for name, (*parents, last), kind in described if obj.get(root) is not None else ():
            if (value := object_at(obj, *parents).get(last)) is not None:
                _check_kind(value, kind, name, fields)
    read |= {name: _text_map(obj[key], key, fields) for key, name in _TEXT_MAPS.items() if obj.get(key) is not None}
    read |= {name: quantities(_without_null(obj.get(key)), key, fields) for key, name in _QUANTITY_MAPS.items()}
    if fields.flag(obj.get(_MERGING.name), _MERGING.name, default=False) and version >= _MERGING.since:
        read["eviction_hard"] = {**defaults["eviction_hard"], **read["eviction_hard"]}
    entries = []
    for path, item in fields.entries(obj.get("reservedMemory"), "reservedMemory"):
        entry = fields.mapping(item, path)
        fields.known(entry, path, ("numaNode", "limits"))
        node = fields.whole(entry.get("numaNode"), f"{path}.numaNode", low=0)
        entries.append(ReservedMemory(node, quantities(entry.get("limits"), f"{path}.limits", fields)))
    read["reserved_memory"] = tuple(entries)
    read["feature_gates"] = {
        str(name): fields.flag(on, f"featureGates.{name}", default=False)
        for name, on in fields.mapping(obj.get("featureGates"), "featureGates").items()
    }
    read["cpu_cfs_quota"] = fields.flag(obj.get("cpuCFSQuota"), "cpuCFSQuota", default=defaults["cpu_cfs_quota"])
    read["max_pods"] = fields.whole(obj.get("maxPods") or None, "maxPods", defaults["max_pods"], **_INT32)
    read["pods_per_core"] = fields.whole(obj.get("podsPerCore"), "podsPerCore", **_INT32)
    return KubeletConfiguration(**read)


def _written(config: KubeletConfiguration) -> dict[str, Any]:
    default = KubeletConfiguration()
    values = {key: (getattr(config, name), getattr(default, name)) for key, name in _ATTRIBUTES.items()}
    changed = {key: _plain(value) for key, (value, unchanged) in values.items() if value != unchanged}
    return {"apiVersion": API_VERSION, "kind": KIND, **changed}


def _plain(value: object) -> Any:
    if isinstance(value, Quantity):
        return str(value)
    if isinstance(value, ReservedMemory):
        return {"numaNode": value.numa_node, "limits": _plain(value.limits)}
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _text_map(value: object, path: str, fields: Fields) -> dict[str, str]:
    texts = fields.mapping(_without_null(value), path)
    return {str(name): fields.text(text, f"{path}.{name}") for name, text in texts.items()}


def _without_null(value: object) -> object:
    """Return a mapping of texts as Go reads it: null is an empty text."""
    return {name: "" if text is None else text for name, text in value.items()} if isinstance(value, dict) else value


def _check_kind(value: object, kind: str, path: str, fields: Fields) -> None:
    """Refuse a value of a type that a kubelet cannot read, which ends it."""
    match kind:
        case "text":
            fields.text(value, path)
        case "duration":
            if not (isinstance(value, str) and is_duration(value)):
                fields.fault(path, f"{shown(value)} is not a duration", DURATIONS)
        case "flag":
            fields.flag(value, path, default=False)
        case "whole" | "long":
            fields.whole(value, path, **(_INT32 if kind == "whole" else {}))
        case "number":
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
                fields.fault(path, f"is {shown(value)}", "a number")
        case "texts" | "objects" | "list":
            for below, entry in fields.entries(value, path):
                if kind != "list":
                    _check_kind(entry, kind.removesuffix("s"), below, fields)
        case "texts-by-name":
            _text_map(value, path, fields)
        case "object":
            fields.mapping(value, path)
