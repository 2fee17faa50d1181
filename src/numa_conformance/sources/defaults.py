"""What a KubeletConfiguration means where it says nothing, by Kubernetes version."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from .pages import KUBELET_REFERENCE, TOPOLOGY_TASK, Section
from .versions import KubernetesVersion, Timeline

_API = KUBELET_REFERENCE.section("KubeletConfiguration", "kubelet-config-k8s-io-v1beta1-KubeletConfiguration")
_NODE_LIMIT = TOPOLOGY_TASK.section("max-allowable-numa-nodes", "policy-option-max-allowable-numa-nodes")

T = TypeVar("T")


class FieldDefault(Generic[T]):
    """The default of one field and what became of it from version to version.

    ``name`` is the field's path in a KubeletConfiguration, ``source`` where Kubernetes documents it.
    """

    __slots__ = ("history", "name", "source")

    def __init__(self, name: str, *steps: tuple[str, T], source: Section = _API) -> None:
        """Take the field and (version, value) pairs, oldest first."""
        self.name = name
        self.history = Timeline(*steps)
        self.source = source

    def at(self, version: KubernetesVersion) -> T:
        """Return the default in a version; raises ``ValueError`` for one that has no such field."""
        value = self.history.at(version)
        if value is None:
            raise ValueError(f"Kubernetes {version} has no field {self.name}")
        return value


CPU_MANAGER_POLICY = FieldDefault("cpuManagerPolicy", ("1.10", "none"))
CPU_MANAGER_RECONCILE_PERIOD = FieldDefault("cpuManagerReconcilePeriod", ("1.10", "10s"))
CPU_CFS_QUOTA = FieldDefault("cpuCFSQuota", ("1.10", True))
CPU_CFS_QUOTA_PERIOD = FieldDefault("cpuCFSQuotaPeriod", ("1.12", "100ms"))
MEMORY_MANAGER_POLICY = FieldDefault("memoryManagerPolicy", ("1.21", "None"))
TOPOLOGY_MANAGER_POLICY = FieldDefault("topologyManagerPolicy", ("1.16", "none"))
TOPOLOGY_MANAGER_SCOPE = FieldDefault("topologyManagerScope", ("1.20", "container"))
MAX_ALLOWABLE_NUMA_NODES = FieldDefault(
    "topologyManagerPolicyOptions.max-allowable-numa-nodes", ("1.16", 8), source=_NODE_LIMIT
)
"""How many NUMA nodes a machine may have under a Topology Manager policy; also the least that the option takes."""
EVICTION_HARD: FieldDefault[Mapping[str, str]] = FieldDefault(
    "evictionHard", ("1.10", {"memory.available": "100Mi", "nodefs.available": "10%"})
)
"""As far as it counts as reserved (MEM-RSV-07, ADM-RSV-01)."""
MAX_PODS = FieldDefault("maxPods", ("1.10", 110))
NODE_STATUS_UPDATE_FREQUENCY = FieldDefault("nodeStatusUpdateFrequency", ("1.10", "10s"))

DEFAULTS: Mapping[str, FieldDefault[Any]] = MappingProxyType(
    {each.name: each for each in tuple(globals().values()) if isinstance(each, FieldDefault)}
)
"""Field to default, manager by manager: those above."""
