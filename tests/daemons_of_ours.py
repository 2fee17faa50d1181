"""Two small daemons that keep what others promise of the CPUs that containers run on, and ways to break it."""

from __future__ import annotations

from numa_conformance.cpuset import CpuSet
from numa_conformance.kube import Container, Pod
from numa_conformance.wire.messages.describe import PROTOCOL, Describe, Description
from numa_conformance.wire.messages.node import (
    AdmitPod,
    Admitted,
    ContainerHolding,
    NodeStarted,
    NodeState,
    PodStarted,
    ReadState,
    Rejected,
    Removed,
    RemovePod,
    RunPod,
    StartNode,
    Update,
)

__all__ = ["WRONG", "Balloons", "Mixed"]

WRONG = {
    "Mixed": {
        "shares-the-own-part": "pinning/mixed/has-a-cpu-of-its-own",
        "gives-the-own-part-alone": "pinning/mixed/has-a-cpu-of-its-own",
        "system-anywhere": "pinning/reserved-pool/holds-system-pods",
    },
    "Balloons": {
        "shares-idle-cpus": "pinning/pools-apart/same-cpus-or-none",
        "system-anywhere": "pinning/reserved-pool/holds-system-pods",
    },
}
"""A way to be wrong, by daemon, and the one requirement that it breaks."""


class _Daemon:
    """Keeps which CPUs containers have alone, and says of each where it may run."""

    promises: tuple[str, ...]

    def __init__(self, wrong: str = "") -> None:
        self._wrong = wrong

    def describe(self, request: Describe) -> Description:
        features = ["cpu-manager/static", "node/cpuset", *self.promises]
        return Description(type(self).__name__, "1", PROTOCOL, ["node"], features)

    def node_start(self, request: StartNode) -> NodeStarted:
        self._online = CpuSet(cpu["id"] for cpu in request.machine["cpus"])
        self._reserved = CpuSet.parse(request.kubelet.get("reservedSystemCPUs") or "")
        self._pods: dict[str, Pod] = {}
        self._own: dict[tuple[str, str], CpuSet] = {}
        return NodeStarted(self._pool, reserved_cpus=str(self._reserved))

    @property
    def _taken(self) -> CpuSet:
        return CpuSet(cpu for cpus in self._own.values() for cpu in cpus)

    @property
    def _shared(self) -> CpuSet:
        return self._online - self._reserved - self._taken

    @property
    def _pool(self) -> str:
        return str(self._online - self._taken)

    def node_admit(self, request: AdmitPod) -> Admitted | Rejected:
        pod = Pod.from_dict(request.pod)
        free = sorted(self._shared)
        for container in pod.all_containers:
            count = self.wanted(pod, container)
            if count >= len(free):
                return Rejected(self._pool, "UnexpectedAdmissionError", "not enough CPUs", pod.qos)
            if count:
                self._own[pod.uid, container.name] = CpuSet(free[:count])
                free = free[count:]
        self._pods[pod.uid] = pod
        return Admitted(self._pool, self._held(pod.uid), pod.qos, updates=self._updates())

    def node_run(self, request: RunPod) -> PodStarted:
        return PodStarted(self._pool, self._held(request.uid), updates=[])

    def node_remove(self, request: RemovePod) -> Removed:
        del self._pods[request.uid]
        self._own = {who: cpus for who, cpus in self._own.items() if who[0] != request.uid}
        return Removed(self._pool, updates=self._updates())

    def node_state(self, request: ReadState) -> NodeState:
        return NodeState(self._pool, {uid: self._held(uid) for uid in self._pods})

    def _held(self, uid: str) -> dict[str, ContainerHolding]:
        pod = self._pods[uid]
        return {
            each.name: ContainerHolding(
                str(self._own.get((uid, each.name), CpuSet())) if _is_whole(pod, each) else "",
                cpuset=str(self.where(pod, each)),
            )
            for each in pod.all_containers
        }

    def _updates(self) -> list[Update]:
        held = {uid: self._held(uid) for uid in self._pods}
        return [Update(uid, name, str(each.cpuset)) for uid, pod in held.items() for name, each in pod.items()]

    def wanted(self, pod: Pod, container: Container) -> int:
        """Return how many CPUs a container has alone."""
        raise NotImplementedError

    def where(self, pod: Pod, container: Container) -> CpuSet:
        """Return where it may run."""
        raise NotImplementedError


def _is_whole(pod: Pod, container: Container) -> bool:
    return pod.qos == "Guaranteed" and container.whole_cpus > 0


def _milli(container: Container) -> int:
    request = container.requests.get("cpu")
    return request.milli if request else 0


class Mixed(_Daemon):
    """Gives the whole part of a Guaranteed request alone, and a shared pool beside the whole part, or for nothing."""

    promises = ("pinning/mixed", "pinning/reserved-pool")

    def wanted(self, pod: Pod, container: Container) -> int:
        if pod.qos != "Guaranteed" or (self._wrong == "shares-the-own-part" and _milli(container) % 1000):
            return 0
        return _milli(container) // 1000

    def where(self, pod: Pod, container: Container) -> CpuSet:
        own = self._own.get((pod.uid, container.name), CpuSet())
        if pod.namespace == "kube-system" and self._wrong != "system-anywhere":
            return self._reserved
        alone = _is_whole(pod, container) or (own and self._wrong == "gives-the-own-part-alone")
        return own if alone else own | self._shared


class Balloons(_Daemon):
    """Gives each Guaranteed container a balloon, rounded up; all others are in one that has what is left."""

    promises = ("pinning/pools-apart", "pinning/reserved-pool")

    def wanted(self, pod: Pod, container: Container) -> int:
        return -(-_milli(container) // 1000) if pod.qos == "Guaranteed" else 0

    def where(self, pod: Pod, container: Container) -> CpuSet:
        if pod.namespace == "kube-system":
            return self._shared if self._wrong == "system-anywhere" else self._reserved
        own = self._own.get((pod.uid, container.name), CpuSet())
        idle = bool(own) and not _is_whole(pod, container) and self._wrong == "shares-idle-cpus"
        return own | self._shared if idle or not own else own
