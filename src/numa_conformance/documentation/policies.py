"""The policies of the resource managers, the Topology Manager's scopes and the scheduler's scoring strategies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from .versions import KubernetesVersion

__all__ = [
    "CPU_POLICIES",
    "MEMORY_POLICIES",
    "POLICIES",
    "SCORING_STRATEGIES",
    "TOPOLOGY_POLICIES",
    "TOPOLOGY_SCOPES",
    "Choice",
]

_TASKS = "https://kubernetes.io/docs/tasks/administer-cluster"
_CPU = "https://kubernetes.io/docs/concepts/policy/node-resource-managers"
_MEMORY = f"{_TASKS}/memory-manager"
_TOPOLOGY = f"{_TASKS}/topology-manager"
_SCORING = "https://kubernetes.io/docs/concepts/scheduling-eviction/resource-bin-packing"
_RATIO = f"{_SCORING}/#enabling-bin-packing-using-requestedtocapacityratio"
_LEAST = "https://kubernetes.io/docs/reference/config-api/kube-scheduler-config.v1/#kubescheduler-config-k8s-io-v1-ScoringStrategy"

Platform = Literal["linux", "windows", "any"]


@dataclass(frozen=True, slots=True)
class Choice:
    """One value that a field of a configuration may have: a policy, a scope, a strategy.

    ``name`` is as in the configuration. ``since`` is the first version that has it, ``platform`` where.
    """

    field: str
    name: str
    since: KubernetesVersion
    address: str
    platform: Platform = "any"


def _choice(field: str, name: str, since: str, address: str, platform: Platform = "any") -> Choice:
    return Choice(field, name, KubernetesVersion.parse(since), address, platform)


_CPU_FIELD: Final = "cpuManagerPolicy"
_MEMORY_FIELD: Final = "memoryManagerPolicy"
_TOPOLOGY_FIELD: Final = "topologyManagerPolicy"
_SCOPE_FIELD: Final = "topologyManagerScope"
_SCORING_FIELD: Final = "scoringStrategy.type"

POLICIES: tuple[Choice, ...] = (
    _choice(_CPU_FIELD, "none", "1.8", f"{_CPU}/#none-policy"),
    _choice(_CPU_FIELD, "static", "1.8", f"{_CPU}/#static-policy"),
    _choice(_MEMORY_FIELD, "None", "1.21", f"{_MEMORY}/#policy-none"),
    _choice(_MEMORY_FIELD, "Static", "1.21", f"{_MEMORY}/#policy-static", "linux"),
    _choice(_MEMORY_FIELD, "BestEffort", "1.32", f"{_MEMORY}/#policy-best-effort", "windows"),
    _choice(_TOPOLOGY_FIELD, "none", "1.16", f"{_TOPOLOGY}/#policy-none"),
    _choice(_TOPOLOGY_FIELD, "best-effort", "1.16", f"{_TOPOLOGY}/#policy-best-effort"),
    _choice(_TOPOLOGY_FIELD, "restricted", "1.16", f"{_TOPOLOGY}/#policy-restricted"),
    _choice(_TOPOLOGY_FIELD, "single-numa-node", "1.16", f"{_TOPOLOGY}/#policy-single-numa-node"),
    _choice(_SCOPE_FIELD, "container", "1.20", f"{_TOPOLOGY}/#container-scope"),
    _choice(_SCOPE_FIELD, "pod", "1.20", f"{_TOPOLOGY}/#pod-scope"),
    _choice(_SCORING_FIELD, "LeastAllocated", "1.22", _LEAST),
    _choice(_SCORING_FIELD, "MostAllocated", "1.22", f"{_SCORING}/#enabling-bin-packing-using-mostallocated-strategy"),
    _choice(_SCORING_FIELD, "RequestedToCapacityRatio", "1.22", _RATIO),
)
"""Every choice, in the order of the pages."""


def _names(field: str) -> tuple[str, ...]:
    return tuple(choice.name for choice in POLICIES if choice.field == field)


CPU_POLICIES = _names(_CPU_FIELD)
MEMORY_POLICIES = _names(_MEMORY_FIELD)
TOPOLOGY_POLICIES = _names(_TOPOLOGY_FIELD)
TOPOLOGY_SCOPES = _names(_SCOPE_FIELD)
SCORING_STRATEGIES = _names(_SCORING_FIELD)
