"""Pods that get their CPUs as a whole: gate PodLevelResourceManagers in the scope pod (CPU-PLR-01..04).

https://kubernetes.io/docs/reference/node/pod-level-resource-managers/

The pod's own request is taken in one piece. Containers whose requests equal their limits get exclusive CPUs out of it,
the others share what these leave.
"""

from __future__ import annotations

from collections.abc import Callable

from ....kube.container import Container
from ....kube.pod import Pod
from ..eligibility import exclusive_cpus, pod_exclusive_cpus

Take = Callable[[int, int], int]
"""Takes so many CPUs out of a set; raises ``NotEnoughCpus``."""


def empty_pool(pod: Pod) -> str | None:
    """Return why containers of the pod would be left without CPUs, in the kubelet's words; None where none would."""
    total, taken, shares = pod_exclusive_cpus(pod), 0, False
    for container in pod.all_containers:
        exclusive = exclusive_cpus(pod, container)
        if pod.is_ordinary_init(container):
            if not exclusive and taken >= total:
                return "pod rejected, pod has shared init containers but no cpus available for them"
            continue
        taken += exclusive
        shares = shares or not exclusive
    if shares and taken >= total:
        return (
            "pod rejected, sum of exclusive container cpu requests equals pod budget, leaving no cpus for shared "
            "containers"
        )
    return None


def parts(pod: Pod, whole: int, take: Take) -> dict[str, int]:
    """Return the CPUs of every container out of the pod's; raises ``NotEnoughCpus``.

    An ordinary init container may have all that sidecars before it have left, and gives it back.
    """
    chosen: dict[str, int] = {}
    sidecars = 0

    def exclusive(container: Container, left: int) -> int:
        count = exclusive_cpus(pod, container)
        if count:
            chosen[container.name] = take(left, count)
        return chosen.get(container.name, 0)

    for container in pod.init_containers:
        cpus = exclusive(container, whole & ~sidecars)
        if container.restart_always:
            sidecars |= cpus
        elif not cpus:
            chosen[container.name] = whole & ~sidecars
    shared = whole & ~sidecars
    for container in pod.containers:
        shared &= ~exclusive(container, shared)
    return {container.name: chosen.get(container.name, shared) for container in pod.all_containers}
