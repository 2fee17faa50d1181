"""What Kubernetes has near NUMA placement that the reference does not reproduce, and why."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unmodelled:
    """A feature that is not reproduced: its gate, what it does to what is decided here, and why it is left out."""

    gate: str
    does: str
    why: str


TEXT = """\
DRAExtendedResource
  an extended resource that no device plugin offers may be backed by a claim: NodeResourcesFit passes it over in its
    filter and counts devices of resource slices in its scores; the Device Manager leaves it alone
  why: only a DeviceClass that names the resource switches it on; questions have neither classes nor resource slices.
    Without one nothing is decided otherwise
DRANodeAllocatableResources
  CPU, memory and huge pages that come with a claim are added to what a pod requests, in NodeResourcesFit, in the
    kubelet's check of the sum of requests, and in cgroups
  why: alpha and off; what it adds stands in a claim's status, which no question brings. The CPU and Memory Manager do
    not look at it: what they give does not change
TopologyAwareWorkloadScheduling
  NodeResourcesFit also scores placements: sets of nodes for a group of pods, by MostAllocated over their sums
  why: alpha and off; the surface `score` asks for one node and one pod. A placement is of whole nodes, of which none is
    divided
InPlacePodVerticalScalingSchedulerPreemption
  NodeResourcesFit also filters nodes for a pod that waits there to be resized, by what it asks for in addition
  why: alpha and off; the surface `score` asks for pods that are not on the node yet
InPlacePodLevelResourcesVerticalScaling
  the resources of a pod as a whole can be resized in place
  why: what the kubelet does with them was not compared with its own code: a change of them alone is not looked at
InPlacePodVerticalScalingInitContainers
  ordinary init containers, which have not run yet, can be resized in place
  why: no question tells which of them have run; such a resize is refused as a question
HugepageAwareEviction
  huge pages no longer count as available memory where the kubelet decides whom to evict
  why: eviction follows what processes use, which no question tells. What the Memory Manager keeps back for the eviction
    threshold, and the node's allocatable, do not change
MemoryQoS
  memory.min and memory.high of cgroups are set from requests and limits
  why: amounts of cgroups are none of the managers' decisions; cpuset.mems does not change
DynamicResourceAllocation
  a driver gives devices to claims, and the kubelet prepares them before a container starts
  why: it gives the Topology Manager no hints: a claim's NUMA nodes play no part in an admission. Drivers are tested as
    programs, unmodified
"""


def _read(text: str) -> Unmodelled:
    gate, does, why = re.sub(r"\n {4}", " ", text).strip().split("\n  ")
    return Unmodelled(gate, does, why.removeprefix("why: "))


UNMODELLED = tuple(map(_read, re.split(r"\n(?=\S)", TEXT.strip())))
"""The features, with those first that users ask about most."""
