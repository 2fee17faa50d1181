"""Feature gates of the resource managers and their neighbours, by Kubernetes version.

A gate of other parts of Kubernetes is not listed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from .pages import FEATURE_GATES, FEATURE_GATES_REMOVED, Section
from .versions import NEWEST, KubernetesVersion, Timeline

Stage = Literal["alpha", "beta", "ga", "deprecated", "gone"]


@dataclass(frozen=True, slots=True)
class GateState:
    """How mature a gate is, whether it is on by default, and whether it is locked to that.

    A gate that is ``gone`` cannot be set; what it guarded is there for ever, or not any more (``on`` false).
    """

    stage: Stage
    on: bool
    locked: bool = False


@dataclass(frozen=True, slots=True)
class FeatureGate:
    """One gate and what became of it from version to version.

    ``needs``: gates without which it cannot be on (GATES_NEED_OTHERS).
    """

    name: str
    history: Timeline[GateState]
    needs: tuple[str, ...] = ()

    @property
    def source(self) -> Section:
        """Where Kubernetes documents the gate."""
        last = self.history.at(NEWEST)
        page = FEATURE_GATES_REMOVED if last and last.stage == "gone" else FEATURE_GATES
        return page.section(self.name, self.name)


_ALPHA = GateState("alpha", on=False)
_BETA = GateState("beta", on=True)
_BETA_OFF = GateState("beta", on=False)
_GA = GateState("ga", on=True)
_LOCKED = GateState("ga", on=True, locked=True)
_DEPRECATED = GateState("deprecated", on=True)
_DEPRECATED_OFF = GateState("deprecated", on=False)
_DEPRECATED_LOCKED = GateState("deprecated", on=True, locked=True)
_GONE = GateState("gone", on=True)
_GONE_OFF = GateState("gone", on=False)


def _gate(name: str, *steps: tuple[str, GateState], needs: tuple[str, ...] = ()) -> FeatureGate:
    return FeatureGate(name, Timeline(*steps), needs)


_ALL = (
    _gate("CPUManager", ("1.26", _LOCKED), ("1.33", _GONE)),
    _gate("CPUManagerPolicyOptions", ("1.23", _BETA), ("1.33", _LOCKED)),
    _gate("CPUManagerPolicyBetaOptions", ("1.23", _BETA)),
    _gate("CPUManagerPolicyAlphaOptions", ("1.23", _ALPHA)),
    _gate("MemoryManager", ("1.22", _BETA), ("1.32", _LOCKED), ("1.36", _GONE)),
    _gate("TopologyManager", ("1.27", _LOCKED), ("1.29", _GONE)),
    _gate("TopologyManagerPolicyOptions", ("1.26", _ALPHA), ("1.28", _BETA), ("1.32", _GA), ("1.36", _LOCKED)),
    _gate("TopologyManagerPolicyBetaOptions", ("1.26", _BETA_OFF), ("1.28", _BETA)),
    _gate("TopologyManagerPolicyAlphaOptions", ("1.26", _ALPHA)),
    _gate("SidecarContainers", ("1.28", _ALPHA), ("1.29", _BETA), ("1.33", _LOCKED), ("1.37", _GONE)),
    _gate("InPlacePodVerticalScaling", ("1.27", _ALPHA), ("1.33", _BETA), ("1.35", _LOCKED)),
    _gate(
        "InPlacePodVerticalScalingAllocatedStatus",
        ("1.32", _ALPHA),
        ("1.33", _DEPRECATED_OFF),
        ("1.36", _GONE_OFF),
        needs=("InPlacePodVerticalScaling",),
    ),
    _gate("InPlacePodVerticalScalingExclusiveCPUs", ("1.32", _ALPHA), needs=("InPlacePodVerticalScaling",)),
    _gate("InPlacePodVerticalScalingExclusiveMemory", ("1.34", _ALPHA), needs=("InPlacePodVerticalScaling",)),
    _gate("InPlacePodVerticalScalingSchedulerPreemption", ("1.37", _ALPHA), needs=("InPlacePodVerticalScaling",)),
    _gate(
        "InPlacePodVerticalScalingInitContainers",
        ("1.36", _BETA),
        ("1.37", _LOCKED),
        needs=("InPlacePodVerticalScaling", "NodeDeclaredFeatures"),
    ),
    _gate(
        "InPlacePodLevelResourcesVerticalScaling",
        ("1.35", _ALPHA),
        ("1.36", _BETA),
        needs=("InPlacePodVerticalScaling", "NodeDeclaredFeatures", "PodLevelResources"),
    ),
    _gate("NodeDeclaredFeatures", ("1.35", _ALPHA), ("1.36", _BETA), ("1.37", _LOCKED)),
    _gate("PodLevelResources", ("1.32", _ALPHA), ("1.34", _BETA)),
    _gate("PodLevelResourceManagers", ("1.36", _ALPHA), ("1.37", _BETA_OFF), needs=("PodLevelResources",)),
    _gate("PodLevelResourcesFixDefaulting", ("1.37", _BETA), needs=("PodLevelResources",)),
    _gate("PodLevelResourcesFixKubeletQOSClass", ("1.37", _BETA), needs=("PodLevelResources",)),
    _gate("DisableCPUQuotaWithExclusiveCPUs", ("1.33", _BETA), ("1.36", _DEPRECATED), ("1.37", _DEPRECATED_LOCKED)),
    _gate("ResourceHealthStatus", ("1.31", _ALPHA), ("1.36", _BETA), needs=("DynamicResourceAllocation",)),
    _gate("ResourceHealthStatusMessage", ("1.36", _BETA), needs=("ResourceHealthStatus",)),
    _gate("KubeletPodResources", ("1.15", _BETA), ("1.28", _LOCKED), ("1.30", _GONE)),
    _gate("KubeletPodResourcesGetAllocatable", ("1.23", _BETA), ("1.28", _LOCKED), ("1.30", _GONE)),
    _gate("KubeletPodResourcesGet", ("1.27", _ALPHA), ("1.34", _BETA), ("1.36", _LOCKED)),
    _gate("KubeletPodResourcesDynamicResources", ("1.27", _ALPHA), ("1.34", _BETA), ("1.36", _LOCKED)),
    _gate("KubeletPodResourcesListUseActivePods", ("1.34", _DEPRECATED)),
    _gate("DevicePluginCDIDevices", ("1.28", _ALPHA), ("1.29", _BETA), ("1.31", _LOCKED), ("1.34", _GONE)),
    _gate("DynamicResourceAllocation", ("1.26", _ALPHA), ("1.32", _BETA_OFF), ("1.34", _GA), ("1.35", _LOCKED)),
    _gate(
        "DRAExtendedResource",
        ("1.34", _ALPHA),
        ("1.36", _BETA),
        ("1.37", _LOCKED),
        needs=("DynamicResourceAllocation",),
    ),
    _gate("DRANodeAllocatableResources", ("1.36", _ALPHA), needs=("DynamicResourceAllocation",)),
    _gate("GenericWorkload", ("1.35", _ALPHA), ("1.37", _BETA_OFF)),
    _gate("TopologyAwareWorkloadScheduling", ("1.36", _ALPHA), needs=("GenericWorkload",)),
    _gate("HugepageAwareEviction", ("1.37", _BETA)),
    _gate("MemoryQoS", ("1.22", _ALPHA), ("1.37", _BETA)),
    _gate("NodeSwap", ("1.22", _ALPHA), ("1.28", _BETA_OFF), ("1.30", _BETA), ("1.34", _LOCKED)),
    _gate("WindowsCPUAndMemoryAffinity", ("1.32", _ALPHA)),
    _gate("SchedulerQueueingHints", ("1.28", _BETA_OFF), ("1.32", _BETA), ("1.34", _LOCKED), ("1.37", _GONE)),
)

GATES: Mapping[str, FeatureGate] = MappingProxyType({gate.name: gate for gate in _ALL})
"""Gate name to gate."""

GATES_NEED_OTHERS = KubernetesVersion(1, 35)
"""From this version on a gate that is on while one that it needs is off keeps a component from starting."""
