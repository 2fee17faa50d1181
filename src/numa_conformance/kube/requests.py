"""What a pod as a whole asks for (ADM-REQ-01..04)."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from ..sources.quirks.areas import SchedulerQuirks
from .container import Container, busiest_moment, total_limits, total_requests
from .pod import Pod
from .quantity import NOTHING, Quantity
from .resource_names import is_scalar

PLAIN = ("cpu", "memory", "ephemeral-storage")
"""Resources that every node is asked about."""


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
        totals[name] = totals.get(name, NOTHING) + amount
    return totals


def freed_requests(pod: Pod, *, counts_sidecars: bool) -> dict[str, Quantity]:
    """Return what a kubelet takes to come free when it ends a pod for a critical one (ADM-PRED-02).

    Overhead counts only of what containers or the pod request. Before sidecars were counted, the pod's own did not;
    since then these alone do, or without the gate they count before the containers'.
    """
    if not counts_sidecars:
        init = tuple(replace(container, restart_always=False) for container in pod.init_containers)
        totals = total_requests(init, pod.containers)
    elif pod.has_pod_level:
        totals = dict(pod.requests)
    else:
        totals = {**total_requests(pod.init_containers, pod.containers), **(pod.original or pod).requests}
    return {name: amount + pod.overhead.get(name, NOTHING) for name, amount in totals.items() if amount}


def pod_limits(pod: Pod) -> dict[str, Quantity]:
    """Return the effective limits per resource, without overhead: what the Device Manager counts (DEV-MODEL-08)."""
    return total_limits(pod.init_containers, pod.containers)


def checked_amounts(request: Mapping[str, int], quirks: SchedulerQuirks) -> dict[str, int]:
    """Return what is held against a node: what is asked for, and with the quirk also what is not (SCH-FIT-02)."""
    wanted = {name: amount for name, amount in request.items() if amount > 0}
    if quirks.overcommitted_node_fits_nothing and (wanted or any(map(is_scalar, request))):
        return {**dict.fromkeys(PLAIN, 0), **wanted}
    return wanted
