"""What containers and pods ask of the Memory Manager, in bytes per resource (MEM-POL-05, MEM-REQ-01)."""

from collections.abc import Mapping
from functools import partial

from ....kube.container import Container
from ....kube.pod import Pod
from ....kube.quantity import Quantity
from ....kube.requests import pod_total
from ....kube.resource_names import is_huge_page
from ..eligibility import is_owed

Amounts = dict[str, int]


def container_amounts(pod: Pod, container: Container) -> Amounts | None:
    """Return memory and huge pages that a container is owed; None when an amount is no int64 to the kubelet.

    The order is that of the pod's text, and the blocks keep it. The kubelet's own order varies from run to run, and is
    this one most of the time (MEM-ALLOC-09).
    """
    return _amounts(container.requests) if is_owed(pod, container) else {}


def _amounts(requests: Mapping[str, Quantity]) -> Amounts | None:
    amounts = {}
    for name, amount in requests.items():
        if name == "memory" or is_huge_page(name):
            if not amount.is_int64:
                return None
            amounts[name] = amount.value
    return amounts


def pod_amounts(pod: Pod, *, drops_init_only: bool) -> Amounts | None:
    """Return what the pod as a whole asks for.

    ``drops_init_only``: without what only init containers request (quirk ``init-only-types-are-dropped``). Of a pod
    that is served as a whole it is what it requests itself, and what is not positive is left out.
    """
    if pod.served == "pod":
        requests = _amounts(pod.requests)
        return None if requests is None else {name: amount for name, amount in requests.items() if amount > 0}
    by_container: dict[str, Amounts] = {}
    for container in pod.all_containers:
        amounts = container_amounts(pod, container)
        if amounts is None:
            return None
        by_container[container.name] = amounts
    counted = pod.containers if drops_init_only else pod.all_containers
    names = sorted({name for container in counted for name in by_container[container.name]})
    return {name: pod_total(pod, partial(_amount_of, by_container, name)) for name in names}


def _amount_of(by_container: dict[str, Amounts], name: str, container: Container) -> int:
    return by_container[container.name].get(name, 0)
