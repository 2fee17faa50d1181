"""The policies of the resource managers, the Topology Manager's scopes and the scheduler's scoring strategies."""

import re
from dataclasses import dataclass
from typing import Literal

from .pages import BIN_PACKING, CPU_TASK, MEMORY_TASK, SCHEDULER_REFERENCE, TOPOLOGY_TASK, Section
from .versions import KubernetesVersion

Platform = Literal["linux", "windows", "any"]


@dataclass(frozen=True, slots=True)
class Policy:
    """One value of a field that decides how resources are given out: a policy, a scope, a strategy.

    ``name`` is as in the configuration. ``since`` is the first version that has it, ``platform`` where it works.
    """

    field: str
    name: str
    since: KubernetesVersion
    source: Section
    platform: Platform = "any"

    @property
    def feature(self) -> str:
        """The name as features have it: words in lower case, joined by dashes."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", self.name).lower()


def _topology(name: str) -> Section:
    return TOPOLOGY_TASK.section(f"{name} policy", f"policy-{name}")


def _memory(name: str, anchor: str) -> Section:
    return MEMORY_TASK.section(f"{name} policy", f"policy-{anchor}")


def _packing(name: str) -> Section:
    return BIN_PACKING.section(f"Placement using {name} strategy", f"strategy-{name}")


_SCORING = SCHEDULER_REFERENCE.section("ScoringStrategy", "kubescheduler-config-k8s-io-v1-ScoringStrategy")
_RECORDS: tuple[tuple[str, str, str, Section, Platform], ...] = (
    ("cpuManagerPolicy", "none", "1.8", CPU_TASK.section("`none` policy configuration"), "any"),
    ("cpuManagerPolicy", "static", "1.8", CPU_TASK.section("`static` policy configuration"), "any"),
    ("memoryManagerPolicy", "None", "1.21", _memory("None", "none"), "any"),
    ("memoryManagerPolicy", "Static", "1.21", _memory("Static", "static"), "linux"),
    ("memoryManagerPolicy", "BestEffort", "1.32", _memory("BestEffort", "best-effort"), "windows"),
    ("topologyManagerPolicy", "none", "1.16", _topology("none"), "any"),
    ("topologyManagerPolicy", "best-effort", "1.16", _topology("best-effort"), "any"),
    ("topologyManagerPolicy", "restricted", "1.16", _topology("restricted"), "any"),
    ("topologyManagerPolicy", "single-numa-node", "1.16", _topology("single-numa-node"), "any"),
    ("topologyManagerScope", "container", "1.20", TOPOLOGY_TASK.section("`container` scope"), "any"),
    ("topologyManagerScope", "pod", "1.20", TOPOLOGY_TASK.section("`pod` scope"), "any"),
    ("scoringStrategy.type", "LeastAllocated", "1.22", _SCORING, "any"),
    ("scoringStrategy.type", "MostAllocated", "1.22", _packing("MostAllocated"), "any"),
    ("scoringStrategy.type", "RequestedToCapacityRatio", "1.22", _packing("RequestedToCapacityRatio"), "any"),
)

POLICIES: tuple[Policy, ...] = tuple(
    Policy(field, name, KubernetesVersion.parse(since), source, platform)
    for field, name, since, source, platform in _RECORDS
)
"""All of them, field by field, in the order of the pages."""


def policies_of(field: str) -> tuple[Policy, ...]:
    """Return what a field may be."""
    return tuple(policy for policy in POLICIES if policy.field == field)


def _names(field: str) -> tuple[str, ...]:
    return tuple(policy.name for policy in policies_of(field))


CPU_POLICIES = _names("cpuManagerPolicy")
MEMORY_POLICIES = _names("memoryManagerPolicy")
TOPOLOGY_POLICIES = _names("topologyManagerPolicy")
TOPOLOGY_SCOPES = _names("topologyManagerScope")
SCORING_STRATEGIES = _names("scoringStrategy.type")
