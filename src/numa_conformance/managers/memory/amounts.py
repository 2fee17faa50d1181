"""What containers and pods ask of the Memory Manager, in bytes per resource (MEM-POL-05, MEM-REQ-01)."""

from __future__ import annotations

from functools import partial

from ...kube.container import Container
from ...kube.pod import Pod
from ...kube.requests import pod_total
from ...kube.resource_names import is_huge_page

__all__ = ["Amounts", "container_amounts", "pod_amounts"]

Amounts = dict[str, int]


def container_amounts(container: Container) -> Amounts | None:
    """Return memory and huge pages that a container requests; None when an amount is no int64 to the kubelet.

    The order is that of the pod's text, which the blocks keep: the kubelet's own order varies from run to run and is
    this one most of the time (MEM-ALLOC-09).
    """
    amounts = {}
    for name, amount in container.requests.items():
        if name == "memory" or is_huge_page(name):
            if not amount.is_int64:
                return None
            amounts[name] = amount.value
    return amounts


def pod_amounts(pod: Pod, *, drops_init_only: bool) -> Amounts | None:
    """Return what the pod as a whole asks for.

    ``drops_init_only``: without what only init containers request (quirk ``init-only-types-are-dropped``).
    """
    own: dict[str, Amounts] = {}
    for container in pod.all_containers:
        amounts = container_amounts(container)
        if amounts is None:
            return None
        own[container.name] = amounts
    counted = pod.containers if drops_init_only else pod.all_containers
    names = sorted({name for container in counted for name in own[container.name]})
    return {name: pod_total(pod, partial(_amount_of, own, name)) for name in names}


def _amount_of(own: dict[str, Amounts], name: str, container: Container) -> int:
    return own[container.name].get(name, 0)
