"""Pods that get their CPUs or memory as a whole: gate PodLevelResourceManagers in the scope pod (CPU-PLR, MEM-PLR).

https://kubernetes.io/docs/reference/node/pod-level-resource-managers/

The pod's own request is taken in one piece. Containers whose requests equal their limits get a part of it, the others
share what these leave.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import TypeVar

from ...kube.container import Container
from ...kube.pod import Pod

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


def parts(
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
