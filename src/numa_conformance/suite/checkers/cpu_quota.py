"""CFS quota: it enforces limits of containers without CPUs of their own. Page Node Resource Managers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ..judge.checker import Judgement, Violation, checker
from ..judge.node_subjects import Admission, State
from ..judge.pods import BEST_EFFORT, ContainerSpec, PodSpec
from ..judge.world import Held, World

PERIOD = 100_000
"""Microseconds in which the quota is counted."""
FINEST = 1_000
"""The least quota that CFS knows, in microseconds; a limit is enforced as exactly as that."""

Pods = Iterable[tuple[PodSpec, Mapping[str, Held]]]
Told = Iterator[tuple[PodSpec, ContainerSpec, Held, int]]


@checker("cpu-manager/none/limits-are-enforced-by-quota", Admission)
def none_enforces_limits(admission: Admission) -> Judgement:
    """Under policy none quota enforces the limits of Guaranteed and Burstable pods."""
    return None if admission.before.settings.static else _bounded(admission.after, [(admission.pod, admission.held)])


@checker("cpu-manager/none/limits-are-enforced-by-quota", State)
def none_goes_on_enforcing_limits(state: State) -> Judgement:
    """The same of all that is on the node."""
    return None if state.world.settings.static else _bounded(state.world, _pods(state))


@checker("cpu-manager/static/shared-limits-are-enforced-by-quota", Admission)
def static_enforces_shared_limits(admission: Admission) -> Judgement:
    """By default limits are enforced by quota: so they are where a container has no CPUs of its own."""
    return _bounded(admission.after, [(admission.pod, admission.held)]) if admission.before.settings.static else None


@checker("cpu-manager/static/shared-limits-are-enforced-by-quota", State)
def static_goes_on_enforcing_shared_limits(state: State) -> Judgement:
    """The same of all that is on the node."""
    return _bounded(state.world, _pods(state)) if state.world.settings.static else None


@checker("cpu-manager/static/exclusive-cpus-have-no-quota", Admission)
def no_quota_on_exclusive_cpus(admission: Admission) -> Judgement:
    """Quota does not bound containers with CPUs of their own."""
    return _unbounded([(admission.pod, admission.held)])


@checker("cpu-manager/static/exclusive-cpus-have-no-quota", State)
def still_no_quota_on_exclusive_cpus(state: State) -> Judgement:
    """The same of all that is on the node."""
    return _unbounded(_pods(state))


def _pods(state: State) -> Pods:
    return [(state.world.pods[uid].spec, held) for uid, held in state.pods.items() if uid in state.world.pods]


def _bounded(world: World, pods: Pods) -> Judgement:
    if not world.settings.quota:
        return None
    limited = [
        told for told in _told(pods) if not told[2].cpus and told[1].limits.get("cpu") and told[0].qos != BEST_EFFORT
    ]
    if not limited:
        return None
    return [
        Violation(
            f"the CPU limit {float(container.limits['cpu']):g} of container {container.name} of pod {pod.uid} is not "
            "enforced by CFS quota",
            got=_shown(quota),
            allowed=_shown(round(container.limits["cpu"] * PERIOD)),
        )
        for pod, container, _, quota in limited
        if quota <= 0 or abs(quota - container.limits["cpu"] * PERIOD) > FINEST
    ]


def _unbounded(pods: Pods) -> Judgement:
    exclusive = [told for told in _told(pods) if told[2].cpus]
    if not exclusive:
        return None
    return [
        Violation(
            f"container {container.name} of pod {pod.uid} has CPUs of its own and is bounded by CFS quota",
            got=_shown(quota),
            allowed=_shown(-1),
        )
        for pod, container, _, quota in exclusive
        if quota > 0
    ]


def _told(pods: Pods) -> Told:
    """Yield the containers whose quota is told, with it; resources of a pod as a whole are left aside."""
    for pod, held in pods:
        for container in pod.containers if not pod.whole else ():
            own = held.get(container.name)
            if own is not None and own.quota is not None:
                yield pod, container, own, own.quota


def _shown(quota: int) -> str:
    return "no quota" if quota <= 0 else f"{quota} µs of each {PERIOD}"
