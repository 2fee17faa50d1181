"""Pods that get their memory as a whole: gate PodLevelResourceManagers in the scope pod (MEM-PLR-01..03).

https://kubernetes.io/docs/reference/node/pod-level-resource-managers/

All containers of the pod are bound to the NUMA nodes of the pod's own request. Those whose requests equal their limits
are counted a part of it, the others what these leave.
"""

from __future__ import annotations

from collections import Counter

from ....kube.container import Container
from ....kube.pod import Pod
from .amounts import Amounts, container_amounts
from .memory_state import PinnedBlock


def empty_pool(pod: Pod, total: Amounts) -> str | None:
    """Return why containers of the pod would be left without memory, in the kubelet's words; None where none would.

    ``total`` is what the pod asks for.
    """
    taken, shares = Counter[str](), False
    for container in pod.all_containers:
        owed = _owed(pod, container)
        if pod.is_ordinary_init(container):
            for name in _used_up(total, taken) if not owed else ():
                return f"pod rejected, pod has shared init containers but no {name} available for them"
            continue
        taken.update(owed)
        shares = shares or not owed
    for name in _used_up(total, taken) if shares else ():
        return (
            f"pod rejected, sum of exclusive container {name} requests equals pod budget, leaving no memory for "
            "shared containers"
        )
    return None


def _used_up(total: Amounts, taken: Amounts) -> list[str]:
    return [name for name, amount in total.items() if taken.get(name, 0) >= amount]


def parts(pod: Pod, total: Amounts, nodes: tuple[int, ...]) -> dict[str, list[PinnedBlock]]:
    """Return the blocks of every container out of the pod's ``total`` on its NUMA nodes."""
    amounts: dict[str, Amounts] = {}
    left = dict(total)
    for container in pod.init_containers:
        owed = _owed(pod, container)
        if owed:
            amounts[container.name] = owed
        elif not container.restart_always:
            amounts[container.name] = dict(left)
        if container.restart_always:
            left = _less(left, owed)
    for container in pod.containers:
        owed = _owed(pod, container)
        if owed:
            amounts[container.name] = owed
            left = _less(left, owed)
    return {container.name: _blocks(amounts.get(container.name, left), nodes) for container in pod.all_containers}


def _owed(pod: Pod, container: Container) -> Amounts:
    return container_amounts(pod, container) or {}


def _less(amounts: Amounts, taken: Amounts) -> Amounts:
    return {name: max(amount - taken.get(name, 0), 0) for name, amount in amounts.items()}


def _blocks(amounts: Amounts, nodes: tuple[int, ...]) -> list[PinnedBlock]:
    return [PinnedBlock(nodes, name, amount) for name, amount in amounts.items() if amount > 0]
