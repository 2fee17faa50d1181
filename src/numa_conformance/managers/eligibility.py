"""Which containers the static policies serve: the CPUs owed to each, and whether memory is pinned (CPU-ELIG-01..03)."""

from __future__ import annotations

from ..kube.container import Container
from ..kube.pod import Pod
from ..kube.requests import pod_total

__all__ = ["exclusive_cpus", "is_pinned", "pod_exclusive_cpus"]


def is_pinned(pod: Pod) -> bool:
    """Tell whether the static policies give exclusive CPUs and memory: Guaranteed, by its containers' own resources."""
    return pod.qos == "Guaranteed" and not pod.has_pod_level


def exclusive_cpus(pod: Pod, container: Container) -> int:
    """Return how many exclusive CPUs the static policy owes the container (CPU-ELIG-01)."""
    return container.whole_cpus if is_pinned(pod) else 0


def pod_exclusive_cpus(pod: Pod) -> int:
    """Return the exclusive CPUs of the pod; containers that share the pool count 0 (ADM-REQ-04)."""
    return pod_total(pod, lambda container: container.whole_cpus) if is_pinned(pod) else 0
