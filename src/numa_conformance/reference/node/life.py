"""The life of a node: pods that come and go, restarts of its kubelet, boots, shutdowns, device plugins."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from ...errors import KubeletFails, NumaConformanceError, Refusal
from ...fields import objects_at
from ...kube.features import FeatureGates
from ...kube.kubelet_config import KubeletConfiguration
from ...kube.pod import CRITICAL_PRIORITY, Pod
from ...kube.quantity import is_duration, microseconds
from ...kube.steps import PluginState
from ...machine.model import Machine
from ..managers.provider import Holding
from .reconcile import RunningContainers
from .results import AdmissionResult, RestartResult
from .stack import ManagerStack

_GRACE = 30
"""The seconds that the API server sets where a pod does not say how long its end may take."""


@dataclass(frozen=True, slots=True)
class ShutdownGroup:
    """Pods that a kubelet ends together, the group before having ended or had its time.

    ``priority``: the lowest one in the group, but for the first group. ``seconds``: how long the kubelet waits for all.
    ``pods``: uid to the seconds that the pod gets.
    """

    priority: int
    seconds: int
    pods: Mapping[str, int]


class NodeLife(ManagerStack):
    """What becomes of the pods on a node."""

    def _admit(self, pod: Pod, others: Sequence[Pod], *, keeps: bool = False) -> AdmissionResult:
        """Admit a pod beside ``others``, whose requests the fit check counts; one that ``keeps`` its place stays."""
        self._pods[pod.uid] = pod
        self._settle_all(pod.uid)
        ended: list[Pod] = []
        try:
            with self._checkpoints.admitting(pod, anew=self._admitter.gives_whole(pod)):
                if self._resource_fit:
                    self.chain.check_before(pod, others, self._watcher)
                self._admitter.admit(pod)
                if self._resource_fit:
                    self.chain.check_after(pod, others, ended, self._watcher)
        except NumaConformanceError as error:
            if keeps and isinstance(error, Refusal):
                return self._admission(pod, None)
            del self._pods[pod.uid]
            self._checkpoints.save()  # what was given by then is in the files of a kubelet that ends at once
            self._gone(pod.uid)
            if not isinstance(error, Refusal):
                raise
            return self._ending(ended, pod, error)
        self._checkpoints.save()
        return self._ending(ended, pod)

    def _ending(self, ended: Iterable[Pod], pod: Pod, refusal: Refusal | None = None) -> AdmissionResult:
        """Take pods off the node that end for another, which holds what it was given beside them."""
        uids = tuple(other.uid for other in ended)
        for uid in uids:
            self.remove(uid)
        return replace(self._admission(pod, refusal), preempted=uids)

    def remove(self, uid: str) -> bool:
        """Take a pod off the node; all it held is released. Returns False when no such pod was on it."""
        if self._pods.pop(uid, None) is None:
            return False
        self._gone(uid)
        return True

    def restart(
        self,
        config: KubeletConfiguration | Mapping[str, Any] | None = None,
        *,
        at_once: bool = False,
        machine: Machine | None = None,
    ) -> RestartResult:
        """Start new managers on the same state files and admit every pod again, in the order of first admission.

        ``machine``: what it is by now, such as with more CPUs. ``at_once``: before the kubelet's next admission or pass
        of its loop. By the quirk ``removed-pods-stay-in-state-files`` the files then still have what pods had that went
        since the last one. Raises ``StartError`` when the node does not come up again. A later ``restart`` may succeed.
        Raises ``KubeletFails`` where the kubelet crashes or hangs on the way. The node is then as it was before.
        """
        with self._unless_it_fails():
            if at_once:
                self._leave_files()
            self._take_machine(machine)
            return self._restart(config)

    def reboot(
        self, machine: Machine | None = None, config: KubeletConfiguration | Mapping[str, Any] | None = None
    ) -> RestartResult:
        """Boot the machine, or another on the same state files, and admit every pod again; no container runs.

        A whole kubelet refuses pods with devices then, as their plugins have not registered again (DEV-INIT-06). Files
        are as of a restart at once, and what is raised is as of ``restart``.
        """
        with self._unless_it_fails():
            self._leave_files()
            self._containers = RunningContainers()
            self._take_machine(machine)
            return self._restart(config, boots=True)

    def _leave_files(self) -> None:
        if self.quirks.node.removed_pods_stay_in_state_files:
            self._checkpoints.put_late()

    def _take_machine(self, machine: Machine | None) -> None:
        if machine is not None:
            self._plugged, self._view = machine, None
            self.machine = with_plugins(machine, self._plugins)

    def change_plugins(self, states: Mapping[str, PluginState]) -> None:
        """Let device plugins of these resources fail, offer nothing, be unknown, or be as the machine says again."""
        self._plugins = {**self._plugins, **states}
        self._take_machine(self._plugged)
        for provider in self._providers:
            provider.machine_changed(self.machine)
        self._fit.machine_changed(self.machine)

    @contextmanager
    def _unless_it_fails(self) -> Iterator[None]:
        files, pods, containers = self.checkpoints(), dict(self._pods), deepcopy(self._containers)
        before = {**vars(self), "_pods": pods, "_containers": containers}
        try:
            yield
        except KubeletFails:
            vars(self).update(before)
            self.write_files({**dict.fromkeys(self.checkpoints()), **files})
            raise

    def _restart(
        self, config: KubeletConfiguration | Mapping[str, Any] | None, *, boots: bool = False
    ) -> RestartResult:
        if config is not None:
            self._configure(config)
        held = {uid: self._holdings(pod) for uid, pod in self._pods.items()}
        self._start()
        for provider in self._providers if self._resource_fit else ():
            provider.runs_at_start = (lambda *_: False) if boots else self._runs_at_start
        for provider in self._providers:
            provider.has_ended = self._containers.finished
        again = self._admit_again(held)
        for provider in self._providers:
            provider.runs_at_start = provider.has_ended = None
        if self._resource_fit:
            self._settle_all("")
        return replace(again, pools=self.pools)

    def _runs_at_start(self, uid: str, container: str) -> bool:
        """Tell whether a kubelet that starts takes a container for running (DEV-ALLOC-02)."""
        pod, quirks = self._pods[uid], self.quirks.device
        if quirks.running_containers_need_their_plugin or (
            quirks.restarted_containers_need_their_plugin and container in pod.restarted
        ):
            return False
        return not (quirks.ended_init_containers_need_their_plugin and pod.is_ordinary_init(pod.container(container)))

    def shut_down(self) -> list[ShutdownGroup]:
        """Shut the machine down: pods end group by group, and none is admitted any more (ADM-DOWN-01).

        Without a period for it in the configuration nobody ends them: a ``reboot`` brings them back.
        """
        groups = shutdown_groups(self.config, self.gates, self._pods.values())
        if groups:
            self.chain.shut_down()
        for uid in [uid for group in groups for uid in group.pods]:
            self.remove(uid)
        return [group for group in groups if group.pods]

    def resume(self, pods: Iterable[Pod]) -> RestartResult:
        """Take over the pods of the node whose state files this one has started from, as a restart does.

        To be called once, and before any other pod is asked for: what the files hold for other pods is released.
        Raises ``KubeletFails`` where the kubelet crashes or hangs on the way; the node is then not to be used.
        """
        self._pods = {pod.uid: pod for pod in pods}
        return self._admit_again({uid: self._holdings(pod) for uid, pod in self._pods.items()})

    def _admit_again(self, held: Mapping[str, Mapping[str, Mapping[str, Holding]]]) -> RestartResult:
        """Admit the pods on the node again, in order; ``held`` is what they had before the start."""
        outcomes = []
        pods = [pod.under_gates(self.gates, self.quirks.node) for pod in self._pods.values()]
        if self._resource_fit:
            pods.sort(key=lambda pod: (not pod.is_static, pod.created))  # from files, then by age (ADM-CHAIN-01)
        for index, pod in enumerate(pods):
            keeps = not self.quirks.node.restart_may_refuse_running_pods and self._keeps(pod, held[pod.uid])
            earlier = [other for other in pods[:index] if other.uid in self._pods]
            outcomes.append(self._admit(pod, earlier, keeps=keeps))
        return RestartResult(tuple(outcomes), self.pools)

    def _keeps(self, pod: Pod, held: Mapping[str, Mapping[str, Holding]]) -> bool:
        """Tell whether a pod holds what it held before a restart, and that is something."""
        nothing = self._holdings_of("", "")
        return self._holdings(pod) == held and any(holdings != nothing for holdings in held.values())


def shutdown_groups(config: KubeletConfiguration, gates: FeatureGates, pods: Iterable[Pod]) -> list[ShutdownGroup]:
    """Return the groups in the order of their end, empty ones too; none where no time is kept for it (ADM-DOWN-01)."""
    periods = _periods(config, gates)
    groups: dict[int, dict[str, int]] = {priority: {} for priority in periods}
    for pod in pods if periods else ():
        priority = max((each for each in periods if each <= pod.priority), default=min(periods))
        grace = pod.raw.get("spec", {}).get("terminationGracePeriodSeconds", _GRACE)
        groups[priority][pod.uid] = min(grace, periods[priority]) if isinstance(grace, int) else periods[priority]
    return [ShutdownGroup(priority, periods[priority], ending) for priority, ending in groups.items()]


def _periods(config: KubeletConfiguration, gates: FeatureGates) -> dict[int, int]:
    """Return priority to seconds, the lowest first."""
    if not gates.enabled("GracefulNodeShutdown"):
        return {}
    raw = config.raw
    listed = objects_at(raw, "shutdownGracePeriodByPodPriority")
    if listed and gates.enabled("GracefulNodeShutdownBasedOnPodPriority"):
        return dict(sorted((_whole(each, "priority"), _whole(each, "shutdownGracePeriodSeconds")) for each in listed))
    whole, critical = (_seconds(raw.get(name)) for name in ("shutdownGracePeriod", "shutdownGracePeriodCriticalPods"))
    return {0: int(whole - critical), CRITICAL_PRIORITY: int(critical)} if whole and critical <= whole else {}


def _whole(obj: Mapping[str, Any], name: str) -> int:
    value = obj.get(name)
    return value if isinstance(value, int) else 0


def _seconds(text: object) -> float:
    return microseconds(text) / 1_000_000 if isinstance(text, str) and is_duration(text) else 0


def with_plugins(machine: Machine, states: Mapping[str, PluginState]) -> Machine:
    """Return a machine with device plugins in these states: without devices of some, and ``fails`` as a preference."""
    silent = ("empty", "unregistered")
    ways = {
        resource: state if state == "fails" else None for resource, state in states.items() if state != "registered"
    }
    return replace(
        machine,
        devices=tuple(device for device in machine.devices if states.get(device.resource) not in silent),
        preferred_allocation={
            resource: way
            for resource, way in {**machine.preferred_allocation, **ways}.items()
            if states.get(resource) != "unregistered"
        },
    )
