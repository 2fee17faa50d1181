"""Feature gates of the resource managers and their neighbours, by Kubernetes version.

A gate of other parts of Kubernetes is not listed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from .pages import FEATURE_GATES, FEATURE_GATES_REMOVED, Section
from .versions import NEWEST, History

__all__ = ["GATES", "FeatureGate", "GateState"]

Stage = Literal["alpha", "beta", "ga", "deprecated", "gone"]


@dataclass(frozen=True, slots=True)
class GateState:
    """How mature a gate is, whether it is on by default, and whether it is locked to that.

    A gate that is ``gone`` cannot be set; what it guarded is there.
    """

    stage: Stage
    on: bool
    locked: bool = False


@dataclass(frozen=True, slots=True)
class FeatureGate:
    """One gate and what became of it from version to version."""

    name: str
    history: History[GateState]

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
_GONE = GateState("gone", on=True)


def _gate(name: str, *steps: tuple[str, GateState]) -> FeatureGate:
    return FeatureGate(name, History(*steps))


_ALL = (
    _gate("CPUManager", ("1.26", _LOCKED)),
    _gate("CPUManagerPolicyOptions", ("1.23", _BETA), ("1.33", _LOCKED)),
    _gate("CPUManagerPolicyBetaOptions", ("1.23", _BETA)),
    _gate("CPUManagerPolicyAlphaOptions", ("1.23", _ALPHA)),
    _gate("MemoryManager", ("1.22", _BETA), ("1.32", _LOCKED)),
    _gate("TopologyManager", ("1.27", _LOCKED), ("1.32", _GONE)),
    _gate("TopologyManagerPolicyOptions", ("1.26", _ALPHA), ("1.28", _BETA), ("1.32", _GA)),
    _gate("TopologyManagerPolicyBetaOptions", ("1.26", _BETA_OFF), ("1.28", _BETA)),
    _gate("TopologyManagerPolicyAlphaOptions", ("1.26", _ALPHA)),
    _gate("SidecarContainers", ("1.28", _ALPHA), ("1.29", _BETA), ("1.33", _LOCKED)),
    _gate("InPlacePodVerticalScaling", ("1.27", _ALPHA), ("1.33", _BETA), ("1.35", _LOCKED)),
    _gate("InPlacePodVerticalScalingAllocatedStatus", ("1.32", _ALPHA), ("1.33", _DEPRECATED_OFF)),
    _gate("InPlacePodVerticalScalingExclusiveCPUs", ("1.32", _ALPHA)),
    _gate("InPlacePodVerticalScalingExclusiveMemory", ("1.34", _ALPHA)),
    _gate("PodLevelResources", ("1.32", _ALPHA), ("1.34", _BETA)),
    _gate("PodLevelResourceManagers", ("1.36", _ALPHA)),
    _gate("DisableCPUQuotaWithExclusiveCPUs", ("1.33", _BETA)),
    _gate("ResourceHealthStatus", ("1.31", _ALPHA)),
    _gate("KubeletPodResourcesGet", ("1.27", _ALPHA), ("1.34", _BETA)),
    _gate("KubeletPodResourcesDynamicResources", ("1.27", _ALPHA), ("1.34", _BETA)),
    _gate("KubeletPodResourcesListUseActivePods", ("1.34", _DEPRECATED)),
    _gate("DevicePluginCDIDevices", ("1.29", _BETA), ("1.31", _GA)),
    _gate("DynamicResourceAllocation", ("1.26", _ALPHA), ("1.32", _BETA_OFF), ("1.34", _GA), ("1.35", _LOCKED)),
    _gate("WindowsCPUAndMemoryAffinity", ("1.32", _ALPHA)),
    _gate("SchedulerQueueingHints", ("1.28", _BETA_OFF), ("1.32", _BETA), ("1.34", _LOCKED)),
)

GATES: Mapping[str, FeatureGate] = MappingProxyType({gate.name: gate for gate in _ALL})
"""Gate name to gate."""
