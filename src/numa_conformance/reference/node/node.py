"""One node: pods are admitted in the kubelet's order, removed, reconciled, resized, and survive a restart."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ...errors import Fault, Refusal, UsageError
from ...kube.container import Container
from ...kube.features import FeatureGates
from ...kube.kubelet_config import KubeletConfiguration
from ...kube.pod import Pod
from ...kube.quantity import NOTHING, Quantity
from ...kube.requests import pod_requests
from ...kube.reservation import reserved_cpu_milli
from ...machine.model import Machine
from ...sources.quirks.areas import NodeQuirks
from .life import NodeLife
from .reconcile import ReadCpuset, WriteCpusets, reconcile
from .results import AdmissionResult, Placement, ReconcileResult, RestartResult

DEFERRED, INFEASIBLE = "Deferred", "Infeasible"
_GATE = "InPlacePodVerticalScaling"


def refuse_resize(
    before: Pod, after: Pod, machine: Machine, config: KubeletConfiguration, gates: FeatureGates, quirks: NodeQuirks
) -> None:
    """Raise ``Refusal`` with reason Infeasible where the node can never grant a resize.

    Behind the gates InPlacePodVerticalScalingExclusiveCPUs and -ExclusiveMemory static policies refuse nothing; what
    they gave stays (ADM-RESIZE-03).
    """
    if not gates.enabled(_GATE):
        raise Refusal(INFEASIBLE, f"{_GATE} is disabled")
    for resource, manager, policy, static, gate in (
        ("cpu", "CPU Manager", "static", config.cpu_manager_policy == "static", f"{_GATE}ExclusiveCPUs"),
        ("memory", "Memory Manager", "Static", config.memory_manager_policy == "Static", f"{_GATE}ExclusiveMemory"),
    ):
        if not static or after.qos != "Guaranteed":
            continue
        if not gates.changes.resize_looks_at_each_resource:
            _refuse_unless(gates, f"{_GATE}ExclusiveCPUs", f"alongside {manager} static policy")
        elif any(_request(old, resource) != _request(new, resource) for old, new in _pairs(before, after)):
            _refuse_unless(gates, gate, f'alongside {manager} policy "{policy}"')
    if not quirks.resize_beyond_the_node_waits:
        _check_capacity(after, machine, config)


def _refuse_unless(gates: FeatureGates, gate: str, why: str) -> None:
    if not gates.enabled(gate):
        raise Refusal(INFEASIBLE, f"Resize is infeasible for Guaranteed Pods {why}")


def _check_capacity(pod: Pod, machine: Machine, config: KubeletConfiguration) -> None:
    """Compare with what the node has but for its reservations; what eviction keeps free counts, and huge pages do."""
    reserved = config.kube_reserved.get("memory", NOTHING) + config.system_reserved.get("memory", NOTHING)
    capacity = {
        "memory": max(machine.total_memory - reserved.value, 0),
        "cpu": max(len(machine.cpus) * 1000 - reserved_cpu_milli(config), 0),
    }
    requests = pod_requests(pod)
    amounts = {"memory": requests.get("memory", NOTHING).value, "cpu": requests.get("cpu", NOTHING).milli}
    for resource, amount in amounts.items():
        if amount > capacity[resource]:
            lack = f"{resource}, requested: {amount}, capacity: {capacity[resource]}"
            raise Refusal(INFEASIBLE, f"Node didn't have enough capacity: {lack}")


def check_resize(before: Pod, after: Pod) -> bool:
    """Tell whether a resize changes anything: else a node is not asked.

    Raises ``UsageError`` for what the API server refuses: a resize changes amounts of CPU and memory, and no class.
    """
    place, accepted = f"pod {after.uid}", "other amounts of cpu and memory in the containers that it has"
    names = [[container.name for container in pod.all_containers] for pod in (before, after)]
    if names[0] != names[1] or len(before.init_containers) != len(after.init_containers):
        raise UsageError(Fault(place, "a resize with other containers", accepted))
    if before.qos != after.qos:
        raise UsageError(Fault(place, f"a resize from class {before.qos} to {after.qos}", "the class of its creation"))
    for old, new in _pairs(before, after):
        init = before.is_ordinary_init(old)
        for side in ("requests", "limits"):
            was, now = getattr(old, side), getattr(new, side)
            if was.keys() - now.keys():
                raise UsageError(Fault(f"{place}: {old.name}: {side}", "an amount is taken away", accepted))
            fixed = now.keys() if init else now.keys() - {"cpu", "memory"}
            if any(was.get(name) != now[name] for name in fixed):
                raise UsageError(Fault(f"{place}: {old.name}: {side}", "this cannot be resized", accepted))
    return any((old.requests, old.limits) != (new.requests, new.limits) for old, new in _pairs(before, after))


def _pairs(before: Pod, after: Pod) -> Iterable[tuple[Container, Container]]:
    return zip(before.all_containers, after.all_containers, strict=True)


def _request(container: Container, resource: str) -> Quantity:
    return container.requests.get(resource, NOTHING)


class Node(NodeLife):
    """The full stack of one node, as pure logic over a machine, a configuration and its pods.

    Configurations and pods may be the JSON objects that describe them, as ``numa_conformance.testing`` builds them.
    State files are kept in ``store`` (in memory unless one is given). ``quirks`` are the departures from the
    documentation that are reproduced: those of the version by default, ``Quirks.none()`` for what is documented.
    ``changes`` is what is done otherwise than in earlier versions: by default all that the version has behind it.
    ``resource_fit`` adds what a whole kubelet does beside its managers: the other handlers of admission (ADM-CHAIN-02),
    which look at ``facts``, at its start the check of its reservation (ADM-RSV-01), and at a restart device plugins
    that come back after the pods (DEV-INIT-05). With it off, shared pods always fit.

    Raises ``StartError`` when the kubelet would not come up, ``UsageError`` for a version that is not known and an
    object that cannot be read.
    """

    def admit(self, pod: Pod | Mapping[str, Any]) -> AdmissionResult:
        """Ask the node to run a pod. A pod already on the node keeps what it has (CPU-STEP-03).

        What a refused pod had been given is released before this returns. Raises ``KubeletFails`` where the kubelet
        would not answer, and ``UsageError`` past a documented limit; the node is then as it was without the pod.
        """
        pod = pod if isinstance(pod, Pod) else Pod.from_dict(pod)
        pod = pod.under_gates(self.gates, self.quirks.node)
        return self._admit(pod, [other for other in self._pods.values() if other.uid != pod.uid])

    def resize(self, pod: Pod | Mapping[str, Any]) -> AdmissionResult | None:
        """Change CPU and memory of a pod in place; ``pod`` is as it is to be. None where no such pod is on the node.

        Where it is not granted the reason is Infeasible or Deferred, and the pod keeps what it has (ADM-RESIZE-01).
        Raises ``UsageError`` for a change that the API server refuses.
        """
        pod = pod if isinstance(pod, Pod) else Pod.from_dict(pod)
        before = self._pods.get(pod.uid)
        if before is None:
            return None
        pod = pod.under_gates(self.gates, self.quirks.node)
        try:
            ended = self._resize(before, pod) if check_resize(before, pod) else ()
        except Refusal as refusal:
            reason = refusal.reason if refusal.reason == INFEASIBLE else DEFERRED
            return replace(self._admission(before, Refusal(reason, refusal.message)), resize=True)
        self._pods[pod.uid] = pod
        return replace(self._ending(ended, pod), resize=True)

    def _resize(self, before: Pod, pod: Pod) -> Iterable[Pod]:
        """Return the pods that end for a resize; raise ``Refusal`` where it is not granted, or not now."""
        refuse_resize(before, pod, self.machine, self.config, self.gates, self.quirks.node)
        if self.quirks.node.resizes_are_aligned_anew:
            self._align_anew(pod)
        others = [other for other in self._pods.values() if other.uid != pod.uid]
        if self._resource_fit and not self.gates.enabled("InPlacePodVerticalScalingSchedulerPreemption"):
            return self.chain.make_room(pod, others)
        self._fit.check(pod, others)
        return ()

    def _align_anew(self, pod: Pod) -> None:
        """Send a pod that is resized through the Topology Manager once more (ADM-RESIZE-02)."""
        self._settle_all(pod.uid)
        try:
            if self.gates.changes.resizes_pass_by_static_managers:
                self._admitter.align_resized(pod)
            else:
                with self._checkpoints.admitting(pod, anew=self._admitter.gives_whole(pod)):
                    self._admitter.admit(pod)
        finally:
            self._checkpoints.save()

    def run(self, uid: str) -> Mapping[str, Placement] | None:
        """Start all containers of a pod in order; an ordinary init container ends before the next begins.

        Returns the placements, or None when no such pod is on the node.
        """
        pod = self._pods.get(uid)
        if pod is None:
            return None
        for container in pod.all_containers:
            for provider in self._providers:
                if provider.container_starts(pod, container):
                    self._checkpoints.released(provider)
                    self._checkpoints.due(provider)
            if exclusive := self._cpusets.exclusive_cpus_of(uid, container.name):
                self._containers.last_sent[uid, container.name] = exclusive
            self._containers.start(uid, container.name, self._cpusets.cpus_of(uid, container.name))
            if pod.is_ordinary_init(container):
                self._containers.finish(uid, container.name)
        self._checkpoints.save()
        return self._placements(pod)

    def reconcile(self, write: WriteCpusets | None = None, read: ReadCpuset | None = None) -> ReconcileResult:
        """Make one pass of the CPU Manager's reconcile loop.

        ``write`` carries it out; without it all succeeds. ``read`` tells what containers run on; without it they run on
        what they were given.
        """
        for provider in self._providers:
            if provider.cpusets:
                self._settle(provider)
                self._checkpoints.due(provider)
        done = reconcile(self._pods.values(), self._cpusets, self._containers, self.quirks.node, write=write, read=read)
        self._checkpoints.save()
        return done

    def start_later(
        self, machine: Machine | None, config: KubeletConfiguration | None, *, boots: bool
    ) -> RestartResult:
        """Start the kubelet, or the machine, after a pass of the loop; who has none keeps what removed pods had."""
        self.reconcile()
        return self.reboot(machine, config) if boots else self.restart(config, at_once=True, machine=machine)
