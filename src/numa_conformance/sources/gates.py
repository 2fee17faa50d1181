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

    A gate that is ``gone`` cannot be set: its feature is always on, or was removed (``on`` false).
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


_STATES = {
    "alpha": GateState("alpha", on=False),
    "beta": GateState("beta", on=True),
    "beta-off": GateState("beta", on=False),
    "ga": GateState("ga", on=True),
    "locked": GateState("ga", on=True, locked=True),
    "deprecated": GateState("deprecated", on=True),
    "deprecated-off": GateState("deprecated", on=False),
    "deprecated-locked": GateState("deprecated", on=True, locked=True),
    "gone": GateState("gone", on=True),
    "gone-off": GateState("gone", on=False),
}
TEXT = """\
CPUManager 1.26 locked, 1.33 gone
CPUManagerPolicyOptions 1.23 beta, 1.33 locked
CPUManagerPolicyBetaOptions 1.23 beta
CPUManagerPolicyAlphaOptions 1.23 alpha
MemoryManager 1.22 beta, 1.32 locked, 1.36 gone
TopologyManager 1.27 locked, 1.29 gone
TopologyManagerPolicyOptions 1.26 alpha, 1.28 beta, 1.32 ga, 1.36 locked
TopologyManagerPolicyBetaOptions 1.26 beta-off, 1.28 beta
TopologyManagerPolicyAlphaOptions 1.26 alpha
SidecarContainers 1.28 alpha, 1.29 beta, 1.33 locked, 1.37 gone
InPlacePodVerticalScaling 1.27 alpha, 1.33 beta, 1.35 locked
InPlacePodVerticalScalingAllocatedStatus 1.32 alpha, 1.33 deprecated-off, 1.36 gone-off; needs InPlacePodVerticalScaling
InPlacePodVerticalScalingExclusiveCPUs 1.32 alpha; needs InPlacePodVerticalScaling
InPlacePodVerticalScalingExclusiveMemory 1.34 alpha; needs InPlacePodVerticalScaling
InPlacePodVerticalScalingSchedulerPreemption 1.37 alpha; needs InPlacePodVerticalScaling
InPlacePodVerticalScalingInitContainers 1.36 beta, 1.37 locked; needs InPlacePodVerticalScaling NodeDeclaredFeatures
InPlacePodLevelResourcesVerticalScaling 1.35 alpha, 1.36 beta; needs
  InPlacePodVerticalScaling NodeDeclaredFeatures PodLevelResources
NodeDeclaredFeatures 1.35 alpha, 1.36 beta, 1.37 locked
PodLevelResources 1.32 alpha, 1.34 beta
PodLevelResourceManagers 1.36 alpha, 1.37 beta-off; needs PodLevelResources
PodLevelResourcesFixDefaulting 1.37 beta; needs PodLevelResources
PodLevelResourcesFixKubeletQOSClass 1.37 beta; needs PodLevelResources
DisableCPUQuotaWithExclusiveCPUs 1.33 beta, 1.36 deprecated, 1.37 deprecated-locked
ResourceHealthStatus 1.31 alpha, 1.36 beta; needs DynamicResourceAllocation
ResourceHealthStatusMessage 1.36 beta; needs ResourceHealthStatus
KubeletPodResources 1.15 beta, 1.28 locked, 1.30 gone
KubeletPodResourcesGetAllocatable 1.23 beta, 1.28 locked, 1.30 gone
KubeletPodResourcesGet 1.27 alpha, 1.34 beta, 1.36 locked
KubeletPodResourcesDynamicResources 1.27 alpha, 1.34 beta, 1.36 locked
KubeletPodResourcesListUseActivePods 1.34 deprecated
DevicePluginCDIDevices 1.28 alpha, 1.29 beta, 1.31 locked, 1.34 gone
DynamicResourceAllocation 1.26 alpha, 1.32 beta-off, 1.34 ga, 1.35 locked
DRAExtendedResource 1.34 alpha, 1.36 beta, 1.37 locked; needs DynamicResourceAllocation
DRANodeAllocatableResources 1.36 alpha; needs DynamicResourceAllocation
GenericWorkload 1.35 alpha, 1.37 beta-off
TopologyAwareWorkloadScheduling 1.36 alpha; needs GenericWorkload
HugepageAwareEviction 1.37 beta
MemoryQoS 1.22 alpha, 1.37 beta
NodeSwap 1.22 alpha, 1.28 beta-off, 1.30 beta, 1.34 locked
WindowsCPUAndMemoryAffinity 1.32 alpha
SchedulerQueueingHints 1.28 beta-off, 1.32 beta, 1.34 locked, 1.37 gone
"""
"""A gate a line, continued by indentation: its name, each version with its state from then on, the gates it needs."""


def _read_gate(line: str) -> FeatureGate:
    history, _, needs = line.partition("; needs ")
    name, _, steps = history.partition(" ")
    pairs = (step.split(" ") for step in steps.split(", "))
    return FeatureGate(name, Timeline(*((since, _STATES[state]) for since, state in pairs)), tuple(needs.split()))


_LINES = TEXT.replace("\n  ", " ").splitlines()
GATES: Mapping[str, FeatureGate] = MappingProxyType({gate.name: gate for gate in map(_read_gate, _LINES)})
"""Gate name to gate."""

GATES_NEED_OTHERS = KubernetesVersion(1, 35)
"""From this version on a gate that is on while one that it needs is off keeps a component from starting."""
