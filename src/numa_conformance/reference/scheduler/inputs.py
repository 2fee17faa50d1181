"""What scoring and filtering count for a pod (SCH-REQ-01..08)."""

from collections.abc import Iterable, Mapping

from ...kube import Container, Pod, Quantity, pod_requests, pod_total
from ...kube.requests import checked_amounts
from ...kube.resource_names import is_extended
from ...sources.quirks.areas import SchedulerQuirks

Amounts = Mapping[str, int]
"""Resource to amount: cpu in millicores, everything else in whole units."""

NONZERO = {"cpu": 100, "memory": 200 * 1024 * 1024}
"""What a container that asks for no cpu or memory counts in scoring (SCH-REQ-02)."""


def amount_of(name: str, quantity: Quantity) -> int:
    """Return a quantity in the units of scoring."""
    return quantity.milli if name == "cpu" else quantity.value


def filter_amounts(pod: Pod) -> dict[str, int]:
    """Return the plain requests of a pod, overhead included (SCH-FIT-03)."""
    return {name: amount_of(name, quantity) for name, quantity in pod_requests(pod).items()}


def scoring_amount(
    pod: Pod, name: str, *, by_containers: bool = False, sidecars_as_init_containers: bool = False
) -> int:
    """Return what a pod counts for one resource in scoring: for cpu and memory an absent request has a default.

    A request of the pod as a whole takes the place of its containers' (SCH-REQ-04), unless ``by_containers``.
    """

    def of(container: Container) -> int:
        request = container.requests.get(name)
        return NONZERO.get(name, 0) if request is None else amount_of(name, request)

    of_pod = None if by_containers else pod.requests.get(name)
    if of_pod is not None:
        total = amount_of(name, of_pod)
    elif sidecars_as_init_containers and name in NONZERO:
        total = max(sum(map(of, pod.containers)), _largest_init_container(pod, name))
    else:
        total = pod_total(pod, of)
    overhead = pod.overhead.get(name)
    return total + (0 if overhead is None else amount_of(name, overhead))


def _largest_init_container(pod: Pod, name: str) -> int:
    """Return the most that an init container counts together with the sidecars before it.

    The default stands in where none of these asks for anything (quirk score-counts-sidecars-as-init-containers).
    """
    largest, sidecars = 0, list[int]()
    for container in pod.init_containers:
        request = container.requests.get(name)
        together = [*sidecars, *([] if request is None else [amount_of(name, request)])]
        largest = max(largest, sum(together) if together else NONZERO[name])
        if container.restart_always:
            sidecars = together
    return largest


def add_up(amounts: Iterable[Amounts]) -> dict[str, int]:
    """Add up amounts resource by resource."""
    total: dict[str, int] = {}
    for of_one_pod in amounts:
        for name, amount in of_one_pod.items():
            total[name] = total.get(name, 0) + amount
    return total


def insufficient(
    allocatable: Amounts,
    used: Amounts,
    pods_on_node: int,
    request: Amounts,
    *,
    quirks: SchedulerQuirks,
    ignored: Iterable[str] = (),
    ignored_groups: Iterable[str] = (),
) -> list[str]:
    """Return why a pod does not fit, sorted; empty when it does."""
    reasons = []
    if pods_on_node + 1 > allocatable.get("pods", 0):
        reasons.append("Too many pods")
    skipped, groups = set(ignored), set(ignored_groups)
    for name, amount in checked_amounts(request, quirks).items():
        if is_extended(name) and (name in skipped or name.partition("/")[0] in groups):
            continue
        if amount > allocatable.get(name, 0) - used.get(name, 0):
            reasons.append(f"Insufficient {name}")
    return sorted(reasons)
