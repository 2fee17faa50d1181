"""What a pod as a whole asks for (ADM-REQ-01..04)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from .pod import Container, Pod
from .quantity import Quantity

__all__ = ["pod_limits", "pod_requests", "pod_total"]

_NOTHING = Quantity(0)


def pod_total(pod: Pod, amount: Callable[[Container], int]) -> int:
    """Return the effective amount of a pod: what must be there at its busiest moment.

    Sidecars run from their place in the list on; an ordinary init container runs beside the sidecars before it.
    """
    sidecars = peak = 0
    for container in pod.init_containers:
        own = amount(container)
        if container.restart_always:
            sidecars += own
            peak = max(peak, sidecars)
        else:
            peak = max(peak, sidecars + own)
    return max(sum(map(amount, pod.containers)) + sidecars, peak)


def pod_requests(pod: Pod) -> dict[str, Quantity]:
    """Return the effective requests per resource, pod overhead included."""
    return _totals(pod, lambda container: container.requests, pod.overhead)


def pod_limits(pod: Pod) -> dict[str, Quantity]:
    """Return the effective limits per resource, without overhead: what the Device Manager counts (DEV-MODEL-08)."""
    return _totals(pod, lambda container: container.limits, {})


def _totals(
    pod: Pod, amounts: Callable[[Container], Mapping[str, Quantity]], overhead: Mapping[str, Quantity]
) -> dict[str, Quantity]:
    totals: dict[str, Quantity] = {}
    for name in _names(pod, amounts, overhead):
        sidecars = peak = _NOTHING
        for container in pod.init_containers:
            own = amounts(container).get(name, _NOTHING)
            if container.restart_always:
                sidecars = sidecars + own
                peak = max(peak, sidecars)
            else:
                peak = max(peak, sidecars + own)
        apps = sidecars
        for container in pod.containers:
            apps = apps + amounts(container).get(name, _NOTHING)
        totals[name] = max(apps, peak) + overhead.get(name, _NOTHING)
    return totals


def _names(
    pod: Pod, amounts: Callable[[Container], Mapping[str, Quantity]], overhead: Mapping[str, Quantity]
) -> Iterable[str]:
    names = dict.fromkeys(name for container in pod.all_containers for name in amounts(container))
    return [*names, *(name for name in overhead if name not in names)]
