"""The end of a node's pods when its machine shuts down (ADM-DOWN-01)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ...fields import objects_at
from ...kube.features import FeatureGates
from ...kube.kubelet_config import KubeletConfiguration
from ...kube.pod import CRITICAL_PRIORITY, Pod
from ...kube.quantity import is_duration, microseconds

_GRACE = 30
"""The seconds that the API server sets where a pod does not say how long its end may take."""


@dataclass(frozen=True, slots=True)
class ShutdownGroup:
    """Pods that a kubelet ends together, the group before having ended or had its time.

    ``priority``: the lowest one in the group, but for the first group. ``seconds``: how long the kubelet waits for all.
    ``pods``: uid to the seconds that the pod gets.
    """

    priority: int
    seconds: int
    pods: Mapping[str, int]


def shutdown_groups(config: KubeletConfiguration, gates: FeatureGates, pods: Iterable[Pod]) -> list[ShutdownGroup]:
    """Return the groups in the order of their end, empty ones too; none where no time is kept for it (ADM-DOWN-01)."""
    periods = _periods(config, gates)
    groups: dict[int, dict[str, int]] = {priority: {} for priority in periods}
    for pod in pods if periods else ():
        priority = max((each for each in periods if each <= pod.priority), default=min(periods))
        grace = pod.raw.get("spec", {}).get("terminationGracePeriodSeconds", _GRACE)
        groups[priority][pod.uid] = min(grace, periods[priority]) if isinstance(grace, int) else periods[priority]
    return [ShutdownGroup(priority, periods[priority], ending) for priority, ending in groups.items()]


def _periods(config: KubeletConfiguration, gates: FeatureGates) -> dict[int, int]:
    """Return priority to seconds, the lowest first."""
    if not gates.enabled("GracefulNodeShutdown"):
        return {}
    raw = config.raw
    listed = objects_at(raw, "shutdownGracePeriodByPodPriority")
    if listed and gates.enabled("GracefulNodeShutdownBasedOnPodPriority"):
        return dict(sorted((_whole(each, "priority"), _whole(each, "shutdownGracePeriodSeconds")) for each in listed))
    whole, critical = (_seconds(raw.get(name)) for name in ("shutdownGracePeriod", "shutdownGracePeriodCriticalPods"))
    return {0: int(whole - critical), CRITICAL_PRIORITY: int(critical)} if whole and critical <= whole else {}


def _whole(obj: Mapping[str, Any], name: str) -> int:
    value = obj.get(name)
    return value if isinstance(value, int) else 0


def _seconds(text: object) -> float:
    return microseconds(text) / 1_000_000 if isinstance(text, str) and is_duration(text) else 0
