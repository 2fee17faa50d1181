"""What a pod as a whole asks for (ADM-REQ-01..04)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from .container import Container, busiest_moment, total_limits, total_requests
from .pod import Pod
from .quantity import Quantity

_NOTHING = Quantity(0)


def pod_total(pod: Pod, amount: Callable[[Container], int]) -> int:
    """Return the effective amount of a pod: what must be there at its busiest moment."""
    init = pod.init_containers
    if pod.reuses_sidecars:
        init = tuple(replace(container, restart_always=False) for container in init)
    return busiest_moment(init, pod.containers, amount, 0)


def pod_requests(pod: Pod) -> dict[str, Quantity]:
    """Return the effective requests per resource, pod overhead included; the pod's own take precedence (SCH-REQ-04)."""
    totals = {**total_requests(pod.init_containers, pod.containers), **pod.requests}
    for name, amount in pod.overhead.items():
        totals[name] = totals.get(name, _NOTHING) + amount
    return totals


def pod_limits(pod: Pod) -> dict[str, Quantity]:
    """Return the effective limits per resource, without overhead: what the Device Manager counts (DEV-MODEL-08)."""
    return total_limits(pod.init_containers, pod.containers)
