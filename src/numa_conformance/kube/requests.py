"""What a pod as a whole asks for (ADM-REQ-01..04, MEM-REQ-01)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from .quantity import Quantity
from .resource_names import is_huge_page

if TYPE_CHECKING:
    from .pod import Container, Pod

__all__ = ["container_requests", "pod_exclusive_cpus", "pod_limits", "pod_memory_amounts", "pod_requests", "pod_total"]

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


def pod_exclusive_cpus(pod: Pod) -> int:
    """Return the exclusive CPUs of the pod; containers that share the pool count 0 (ADM-REQ-04)."""
    return pod_total(pod, pod.exclusive_cpus)


def pod_requests(pod: Pod) -> dict[str, Quantity]:
    """Return the effective requests per resource, pod overhead included; the pod's own take precedence (SCH-REQ-04)."""
    totals = {**container_requests(pod.init_containers, pod.containers), **pod.requests}
    for name, amount in pod.overhead.items():
        totals[name] = totals.get(name, _NOTHING) + amount
    return totals


def container_requests(init: Sequence[Container], apps: Sequence[Container]) -> dict[str, Quantity]:
    """Return the effective requests per resource of init containers and app containers."""
    return _totals(init, apps, lambda container: container.requests)


def pod_limits(pod: Pod) -> dict[str, Quantity]:
    """Return the effective limits per resource, without overhead: what the Device Manager counts (DEV-MODEL-08)."""
    return _totals(pod.init_containers, pod.containers, lambda container: container.limits)


def pod_memory_amounts(pod: Pod) -> dict[str, Quantity]:
    """Return memory and huge pages as the Memory Manager counts them in pod scope, without overhead (MEM-REQ-01).

    What only init containers ask for is left out.
    """
    asked = {name for container in pod.containers for name in container.requests}
    totals = container_requests(pod.init_containers, pod.containers)
    return {name: total for name, total in totals.items() if name in asked and (name == "memory" or is_huge_page(name))}


def _totals(
    init: Sequence[Container], apps: Sequence[Container], amounts: Callable[[Container], Mapping[str, Quantity]]
) -> dict[str, Quantity]:
    totals: dict[str, Quantity] = {}
    for name in dict.fromkeys(name for container in (*init, *apps) for name in amounts(container)):
        sidecars = peak = _NOTHING
        for container in init:
            own = amounts(container).get(name, _NOTHING)
            if container.restart_always:
                sidecars = sidecars + own
                peak = max(peak, sidecars)
            else:
                peak = max(peak, sidecars + own)
        together = sidecars
        for container in apps:
            together = together + amounts(container).get(name, _NOTHING)
        totals[name] = max(together, peak)
    return totals
