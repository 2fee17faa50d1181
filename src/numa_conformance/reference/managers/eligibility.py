"""Whom the static policies serve: the CPUs owed to a container, and whether memory is pinned (CPU-ELIG-01..03).

Pods may get their CPUs or memory as a whole: gate PodLevelResourceManagers in the scope pod (CPU-PLR, MEM-PLR).
https://kubernetes.io/docs/reference/node/pod-level-resource-managers/
The pod's own request is taken in one piece. Containers whose requests equal their limits get a part of it, the others
share what these leave.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import TypeVar

from ...kube.container import Container
from ...kube.pod import Pod
from ...kube.requests import pod_total


def is_pinned(pod: Pod) -> bool:
    """Tell whether the static policies give exclusive CPUs and memory to containers of the pod."""
    return pod.qos == "Guaranteed" and pod.served != "nobody"


def exclusive_cpus(pod: Pod, container: Container) -> int:
    """Return how many exclusive CPUs the static policy owes the container (CPU-ELIG-01, 11)."""
    return container.whole_cpus if is_pinned(pod) and is_owed(pod, container) else 0


def pod_exclusive_cpus(pod: Pod) -> int:
    """Return the exclusive CPUs of the pod; containers that share the pool count 0 (ADM-REQ-04, CPU-ELIG-11)."""
    if not is_pinned(pod):
        return 0
    if pod.served == "pod":
        return Container("", pod.requests).whole_cpus
    return pod_total(pod, lambda container: container.whole_cpus)


def is_owed(pod: Pod, container: Container) -> bool:
    """Tell whether a container may have a part of its own: of a pod that is served as a whole, a Guaranteed one."""
    return pod.served != "pod" or all(_is_guaranteed(container, name) for name in ("cpu", "memory"))


def _is_guaranteed(container: Container, name: str) -> bool:
    request, limit = container.requests.get(name), container.limits.get(name)
    return request is not None and bool(request) and limit is not None and request.as_number == limit.as_number


Amounts = Mapping[str, int]
Owed = Callable[[Container], Amounts]
"""Returns what a container is owed for itself, by resource; nothing where it shares."""
Part = TypeVar("Part")
"""CPUs, or amounts of memory; nothing is falsy."""


def empty_pool(pod: Pod, total: Amounts, owed: Owed) -> str | None:
    """Return why containers of the pod would be left without a resource, in the kubelet's words; None where none would.

    ``total`` is what the pod asks for.
    """
    taken, shares = Counter[str](), False
    for container in pod.all_containers:
        part = owed(container)
        if pod.is_ordinary_init(container):
            for name in _used_up(total, taken) if not part else ():
                what = "cpus" if name == "cpu" else name
                return f"pod rejected, pod has shared init containers but no {what} available for them"
            continue
        taken.update(part)
        shares = shares or not part
    for name in _used_up(total, taken) if shares else ():
        what = "cpus" if name == "cpu" else "memory"
        return (
            f"pod rejected, sum of exclusive container {name} requests equals pod budget, leaving no {what} for "
            "shared containers"
        )
    return None


def _used_up(total: Amounts, taken: Amounts) -> list[str]:
    return [name for name, amount in total.items() if taken.get(name, 0) >= amount]


def pod_parts(
    pod: Pod, whole: Part, take: Callable[[Container, Part], Part], less: Callable[[Part, Part], Part]
) -> dict[str, Part]:
    """Return what every container has out of the pod's ``whole``.

    ``take`` gives a container its own part of what is left, ``less`` says what that leaves. An ordinary init container
    may have all that sidecars before it have left, and gives it back.
    """
    chosen: dict[str, Part] = {}
    left = whole
    for container in pod.init_containers:
        if part := take(container, left):
            chosen[container.name] = part
            left = less(left, part) if container.restart_always else left
        elif not container.restart_always:
            chosen[container.name] = left
    for container in pod.containers:
        if part := take(container, left):
            chosen[container.name] = part
            left = less(left, part)
    return {container.name: chosen.get(container.name, left) for container in pod.all_containers}
