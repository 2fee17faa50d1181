"""The CPU Manager's reconcile loop: which cpusets go to the container runtime, and when (CPU-REC-02..09)."""

from __future__ import annotations

from collections.abc import Iterable

from ..kube.pod import Pod
from ..managers.cpu import CpuManager
from .results import Reconciled, Skipped, Update

__all__ = ["RunningContainers", "reconcile"]


class RunningContainers:
    """What runs on the node, and the cpuset last sent for each container.

    Containers outlive a restart of the node agent; what was last sent does not (CPU-REC-06).
    """

    def __init__(self) -> None:
        """Begin with nothing running."""
        self._finished: dict[str, set[str]] = {}
        self._running: dict[str, set[str]] = {}
        self.last_sent: dict[tuple[str, str], int] = {}

    def start(self, uid: str, container: str) -> None:
        """Record that a container runs."""
        self._running.setdefault(uid, set()).add(container)
        self._finished.get(uid, set()).discard(container)

    def finish(self, uid: str, container: str) -> None:
        """Record that a container has terminated."""
        self._running.get(uid, set()).discard(container)
        self._finished.setdefault(uid, set()).add(container)

    def runs(self, uid: str, container: str) -> bool:
        """Tell whether a container runs now."""
        return container in self._running.get(uid, ())

    def finished(self, uid: str, container: str) -> bool:
        """Tell whether a container has terminated."""
        return container in self._finished.get(uid, ())

    def forget(self, uid: str) -> None:
        """Drop a pod that is gone."""
        self._running.pop(uid, None)
        self._finished.pop(uid, None)
        for key in [key for key in self.last_sent if key[0] == uid]:
            del self.last_sent[key]


def reconcile(pods: Iterable[Pod], cpus: CpuManager, containers: RunningContainers) -> Reconciled:
    """Make one pass over the pods on the node, init containers first, in spec order.

    A container that has not started is skipped; one that has terminated is ignored. An empty cpuset (the shared pool is
    exhausted, or policy none) cannot be sent and counts as skipped (CPU-REC-05, CPU-POOL-05).
    """
    updates: list[Update] = []
    skipped: list[Skipped] = []
    handled = 0
    for pod in pods:
        for container in pod.all_containers:
            if containers.finished(pod.uid, container.name):
                continue
            wanted = cpus.cpus_of(pod.uid, container.name)
            if not wanted or not containers.runs(pod.uid, container.name):
                skipped.append(Skipped(pod.uid, container.name))
                continue
            handled += 1
            key = (pod.uid, container.name)
            if containers.last_sent.get(key) != wanted:
                updates.append(Update(pod.uid, container.name, wanted))
                containers.last_sent[key] = wanted
    return Reconciled(tuple(updates), handled, tuple(skipped))
