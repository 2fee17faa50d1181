"""The CPU Manager's reconcile loop: which cpusets go to the container runtime, and when (CPU-REC-02..09)."""

from collections.abc import Callable, Collection, Iterable, Sequence

from ...kube.pod import Pod
from ...machine.hostfs import CgroupUpdate as Update
from ...sources.quirks.areas import NodeQuirks
from ..managers.provider import Cpusets, Provider
from .results import ReconcileResult, Skipped

ReadCpuset = Callable[[str, str], "int | None"]
"""Returns what a pod's container has, as bits; None where it has no cgroup."""
WriteCpusets = Callable[[Sequence[Update]], Collection[Update]]
"""Carries updates out, in this order, and returns those that failed."""


class _NoCpusets:
    """On a node whose managers say nothing about CPUs."""

    def cpus_of(self, uid: str, container: str) -> int:
        return 0

    exclusive_cpus_of = cpus_of


def the_cpusets(providers: Iterable[Provider]) -> Cpusets:
    """Return the manager that says on which CPUs containers run. Raises ``ValueError`` where two managers do."""
    answers = [cpusets for provider in providers if (cpusets := provider.cpusets)]
    if len(answers) > 1:
        raise ValueError(f"{len(answers)} managers say on which CPUs containers run; one can")
    return answers[0] if answers else _NoCpusets()


class RunningContainers:
    """What runs on the node, and the cpuset last sent for each container.

    Containers outlive a restart of the node agent; what was last sent does not (CPU-REC-06).
    """

    def __init__(self) -> None:
        self._finished: dict[str, set[str]] = {}
        self._running: dict[str, set[str]] = {}
        self.last_sent: dict[tuple[str, str], int] = {}
        self.actual: dict[tuple[str, str], int] = {}

    def start(self, uid: str, container: str, cpus: int) -> None:
        """Record that a container runs, created with this cpuset (CPU-REC-01)."""
        self.actual[uid, container] = cpus
        self._running.setdefault(uid, set()).add(container)
        self._finished.get(uid, set()).discard(container)

    def finish(self, uid: str, container: str) -> None:
        """Record that a container has terminated."""
        self._running.get(uid, set()).discard(container)
        self._finished.setdefault(uid, set()).add(container)

    def look(self, read: ReadCpuset) -> None:
        """Take over what the cgroups of containers have, of those that have one."""
        self.actual |= {key: cpus for key in self.actual if (cpus := read(*key)) is not None}

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
        for remembered in (self.last_sent, self.actual):
            for key in [key for key in remembered if key[0] == uid]:
                del remembered[key]


def reconcile(
    pods: Iterable[Pod],
    cpusets: Cpusets,
    containers: RunningContainers,
    quirks: NodeQuirks,
    *,
    write: WriteCpusets | None = None,
    read: ReadCpuset | None = None,
) -> ReconcileResult:
    """Make one pass over the pods on the node, init containers first, in spec order.

    A container that has not started is skipped; one that has terminated is ignored. An empty cpuset (the shared pool is
    exhausted, or policy none) cannot be sent and counts as skipped (CPU-REC-05, CPU-POOL-05).

    With the quirk ``reconcile-trusts-last-write`` a cpuset is sent when it differs from the one sent last (CPU-REC-07).
    Otherwise it is sent when the container runs on another one, by ``read`` where that tells. Containers that lose CPUs
    come first, so no step leaves two containers on one exclusive CPU. An update that ``write`` reports as failed counts
    as skipped and is sent again in the next pass (CPU-REC-05).
    """
    updates: list[Update] = []
    skipped: list[Skipped] = []
    handled = 0
    if read and not quirks.reconcile_trusts_last_write:
        containers.look(read)
    compared = containers.last_sent if quirks.reconcile_trusts_last_write else containers.actual
    for pod in pods:
        for container in pod.all_containers:
            if containers.finished(pod.uid, container.name):
                continue
            wanted = cpusets.cpus_of(pod.uid, container.name)
            if not wanted or not containers.runs(pod.uid, container.name):
                skipped.append(Skipped(pod.uid, container.name))
                continue
            handled += 1
            if compared.get((pod.uid, container.name)) != wanted:
                updates.append(Update(pod.uid, container.name, wanted))
    if not quirks.reconcile_trusts_last_write:
        updates.sort(key=lambda update: not containers.actual.get((update.uid, update.container), 0) & ~update.cpus)
    failed = frozenset(write(updates)) if write else frozenset()
    done = tuple(update for update in updates if update not in failed)
    for update in done:
        containers.last_sent[update.uid, update.container] = update.cpus
        containers.actual[update.uid, update.container] = update.cpus
    skipped += [Skipped(update.uid, update.container) for update in updates if update in failed]
    return ReconcileResult(done, handled - len(failed), tuple(skipped))
