"""One node: pods are admitted in the kubelet's order, removed, reconciled, and survive a restart."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import replace
from typing import Any

from ...cpuset import CpuSet
from ...errors import KubeletFails, NumaConformanceError, Refusal
from ...kube.container import Container
from ...kube.features import FeatureGates
from ...kube.kubelet_config import KubeletConfiguration
from ...kube.pod import Pod
from ...machine.hostfs import MemoryStore, StateStore
from ...machine.kubelet_view import KubeletView
from ...machine.model import Machine
from ...sources.changes import Changes
from ...sources.quirks import Quirks
from ...sources.versions import DEFAULT, KubernetesVersion
from ..managers.provider import Holding, MakeProvider, NodeSetup, Provider
from ..managers.registry import PROVIDERS
from .admission import Admitter, Watcher
from .bring_up import bring_up, check_reservations
from .checkpoints import CheckpointKeeper
from .facts import NodeFacts
from .fit import ResourceFit
from .handlers import AdmissionChain
from .life import ShutdownGroup, in_order_of_start, shutdown_groups
from .quota import cfs_quota
from .reconcile import ReadCpuset, RunningContainers, WriteCpusets, reconcile, the_cpusets
from .resizing import DEFERRED, INFEASIBLE, check_resize, refuse_resize
from .results import AdmissionResult, NodeContents, NodePools, Placement, ReconcileResult, RestartResult


class Node:
    """The full stack of one node, as pure logic over a machine, a configuration and the pods it is told of.

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

    def __init__(
        self,
        machine: Machine,
        config: KubeletConfiguration | Mapping[str, Any],
        *,
        kubernetes_version: str | KubernetesVersion = DEFAULT,
        quirks: Quirks | None = None,
        changes: Changes | None = None,
        store: StateStore | None = None,
        view: KubeletView | None = None,
        resource_fit: bool = False,
        watcher: Watcher | None = None,
        providers: Sequence[MakeProvider] = PROVIDERS,
        facts: NodeFacts | None = None,
    ) -> None:
        self.machine = machine
        self.version = KubernetesVersion.supported(kubernetes_version)
        self.config = _configuration(config).at(self.version)
        self.quirks = Quirks.of(self.version) if quirks is None else quirks
        self._changes = changes
        self._view = view
        self._resource_fit = resource_fit
        self._watcher = watcher
        self._makers = tuple(providers)
        self._facts = facts
        self._store = store if store is not None else MemoryStore()
        self._pods: dict[str, Pod] = {}
        self._containers = RunningContainers()
        self._start()

    def _start(self) -> None:
        self.gates = FeatureGates.build(self.version, self.config.feature_gates, self._changes)
        setup = NodeSetup(self.machine, self.config, self.gates, self.quirks, self._view)
        policy, self._providers = bring_up(setup, self._makers)
        self._cpusets = the_cpusets(self._providers)
        self._checkpoints = CheckpointKeeper(self._store, self._providers)
        self._checkpoints.restore()
        facts = self._facts or NodeFacts.of(None, self.config)
        if self._resource_fit:
            check_reservations(self.machine, self.config, self.gates.changes, facts.disk)
        self._admitter = Admitter(policy, self._providers, self._watcher, asks=self._checkpoints.due)
        self._fit = ResourceFit(self.machine, self.config, self.gates.changes, self.quirks.scheduler, facts.storage)
        self.chain = AdmissionChain(self.config, self.gates, facts, self._fit)
        self._containers.last_sent.clear()
        self._unsettled = set(self._providers)

    def copy(self, watcher: Watcher | None = None) -> Node:
        """Return a node in the same state, watched by another, that goes its own way; its files must be in memory."""
        program = sys.modules.values()  # whatever module a manager refers to is not part of its books
        shared = (self.machine, self.config, self.quirks, self._view, self._watcher, *self._pods.values(), *program)
        made = deepcopy(self, {id(thing): thing for thing in shared})
        made._watcher = made._admitter.watcher = watcher
        return made

    def anew(self, config: KubeletConfiguration | None = None, machine: Machine | None = None) -> Node:
        """Return a node without pods of the same version, with another configuration or machine if one is given.

        Raises ``StartError`` when it does not come up.
        """
        return Node(
            machine or self.machine,
            self.config if config is None else config,
            kubernetes_version=self.version,
            quirks=self.quirks,
            changes=self._changes,
            view=None if machine else self._view,
            resource_fit=self._resource_fit,
            providers=self._makers,
            facts=self._facts,
        )

    @property
    def providers(self) -> Mapping[str, Provider]:
        """The managers by name, in the order in which they are asked; a restart makes new ones."""
        return {provider.name: provider for provider in self._providers}

    @property
    def serves_claims(self) -> bool:
        """Whether a manager gives what resource claims name; else nobody looks at them."""
        return any(provider.serves_claims for provider in self._providers)

    @property
    def pods(self) -> Mapping[str, Pod]:
        """The pods on the node by uid, in the order of their first admission."""
        return self._pods

    @property
    def reconcile_period(self) -> str:
        """How often the node agent makes a pass of the reconcile loop, as a duration."""
        return self.config.reconcile_period(self.quirks.node)

    @property
    def pools(self) -> NodePools:
        """What the managers have left and kept back, as it is now."""
        return NodePools(tuple(provider.pools() for provider in self._providers))

    def admit(self, pod: Pod | Mapping[str, Any]) -> AdmissionResult:
        """Ask the node to run a pod. A pod already on the node keeps what it has (CPU-STEP-03).

        What a refused pod had been given is released before this returns. Raises ``KubeletFails`` where the kubelet
        would not answer, and ``UsageError`` past a documented limit; the node is then as it was without the pod.
        """
        pod = pod if isinstance(pod, Pod) else Pod.from_dict(pod)
        pod = pod.under_gates(self.gates, self.quirks.node)
        return self._admit(pod, [other for other in self._pods.values() if other.uid != pod.uid])

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
            exclusive = self._cpusets.exclusive_cpus_of(uid, container.name)
            if exclusive:
                self._containers.last_sent[uid, container.name] = exclusive
            self._containers.start(uid, container.name, self._cpusets.cpus_of(uid, container.name))
            if pod.is_ordinary_init(container):
                self._containers.finish(uid, container.name)
        self._checkpoints.save()
        return self._placements(pod)

    def remove(self, uid: str) -> bool:
        """Take a pod off the node; all it held is released. Returns False when it was not there."""
        if self._pods.pop(uid, None) is None:
            return False
        self._gone(uid)
        return True

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

    def restart(
        self, config: KubeletConfiguration | Mapping[str, Any] | None = None, *, at_once: bool = False
    ) -> RestartResult:
        """Start new managers on the same state files and admit every pod again, in the order of first admission.

        ``at_once``: before the kubelet's next admission or pass of its loop. By the quirk
        ``removed-pods-stay-in-state-files`` the files then still have what pods had that went since the last one.
        Raises ``StartError`` when the node does not come up again. A later ``restart`` may succeed. Raises
        ``KubeletFails`` where the kubelet crashes or hangs on the way. The node is then as it was before.
        """
        with self._unless_it_fails():
            if at_once and self.quirks.node.removed_pods_stay_in_state_files:
                self._checkpoints.put_late()
            return self._restart(config)

    def reboot(
        self, machine: Machine | None = None, config: KubeletConfiguration | Mapping[str, Any] | None = None
    ) -> RestartResult:
        """Boot the machine, or another on the same state files, and admit every pod again; no container runs.

        A whole kubelet refuses pods with devices then, as their plugins have not registered again (DEV-INIT-06). What
        is raised is as of ``restart``.
        """
        with self._unless_it_fails():
            self._containers = RunningContainers()
            if machine is not None:
                self.machine, self._view = machine, None
            return self._restart(config, boots=True)

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
            self.config = _configuration(config).at(self.version)
        held = {uid: self._holdings(pod) for uid, pod in self._pods.items()}
        self._start()
        for provider in self._providers if self._resource_fit else ():
            provider.runs_at_start = (lambda *_: False) if boots else self._runs_at_start
        again = self._admit_again(held)
        for provider in self._providers:
            provider.runs_at_start = None
        if self._resource_fit:
            self._settle_all("")
        return replace(again, pools=self.pools)

    def _runs_at_start(self, uid: str, container: str) -> bool:
        """Tell whether a kubelet that starts takes a container for running (DEV-ALLOC-02)."""
        pod, quirks = self._pods[uid], self.quirks.device
        if quirks.restarted_containers_need_their_plugin and container in pod.restarted:
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
            pods = in_order_of_start(pods)
        for index, pod in enumerate(pods):
            keeps = not self.quirks.node.restart_may_refuse_running_pods and self._keeps(pod, held[pod.uid])
            earlier = [other for other in pods[:index] if other.uid in self._pods]
            outcomes.append(self._admit(pod, earlier, keeps=keeps))
        return RestartResult(tuple(outcomes), self.pools)

    def state(self) -> NodeContents:
        """Return what is left and every placement."""
        return NodeContents(self.pools, {uid: self._placements(pod) for uid, pod in self._pods.items()})

    def checkpoints(self) -> dict[str, str]:
        """Return the state files as they are on disk: name to content."""
        return self._checkpoints.files()

    def write_files(self, files: Mapping[str, str | None]) -> None:
        """Replace (None: delete) state files while the node is down; only a restart reads them."""
        self._checkpoints.replaced(files)
        for name, text in files.items():
            if text is None:
                self._store.delete(name)
            else:
                self._store.write(name, text)

    def _settle_all(self, uid: str) -> None:
        for provider in self._providers:
            self._settle(provider, uid)

    def _settle(self, provider: Provider, *uids: str) -> None:
        """Release what belongs to no container of a pod on the node (CPU-REC-10, MEM-GC-01, DEV-HINT-10).

        ``uids``: the pods that came or went. Nobody else's becomes stale, but for what the state files brought. A whole
        kubelet that starts releases nothing before it has been told of all its pods (ADM-CHAIN-06).
        """
        if provider.runs_at_start:
            return
        among = None if provider in self._unsettled else uids
        self._unsettled.discard(provider)
        if provider.remove_stale(self._is_active, among):
            self._checkpoints.released(provider)

    def _is_active(self, uid: str, container: str) -> bool:
        pod = self._pods.get(uid)
        return pod is not None and pod.has_container(container)

    def _gone(self, uid: str) -> None:
        self._admitter.forget(uid)
        self._containers.forget(uid)
        self._settle_all(uid)
        self._checkpoints.save()

    def _placements(self, pod: Pod) -> dict[str, Placement]:
        holdings = self._holdings(pod)
        return {
            container.name: self._as_it_runs(
                pod.uid,
                container.name,
                Placement(
                    self._admitter.affinity(pod.uid, container.name),
                    holdings[container.name],
                    self._cpu_quota(pod.uid, container),
                ),
            )
            for container in pod.all_containers
        }

    def _as_it_runs(self, uid: str, name: str, placement: Placement) -> Placement:
        """Add what a running container may use: what the runtime was told last, or all that the machine has."""
        if not self._containers.runs(uid, name):
            return placement
        nodes = [node for block in placement.memory or () for node in block.nodes] or self._memory_nodes
        cpuset = self._containers.actual[uid, name] or self.machine.online_bits
        return replace(placement, cpuset=cpuset, mems=CpuSet(nodes).bits)

    @property
    def _memory_nodes(self) -> list[int]:
        return [node.node for node in self.machine.memory if node.memory]

    def _cpu_quota(self, uid: str, container: Container) -> int | None:
        exclusive = bool(self._cpusets.exclusive_cpus_of(uid, container.name))
        return cfs_quota(container, self.config, self.gates, exclusive=exclusive, quirks=self.quirks.node)

    def _keeps(self, pod: Pod, held: Mapping[str, Mapping[str, Holding]]) -> bool:
        """Tell whether a pod holds what it held before a restart, and that is something."""
        nothing = self._holdings_of("", "")
        return self._holdings(pod) == held and any(holdings != nothing for holdings in held.values())

    def _holdings(self, pod: Pod) -> dict[str, dict[str, Holding]]:
        return {container.name: self._holdings_of(pod.uid, container.name) for container in pod.all_containers}

    def _holdings_of(self, uid: str, container: str) -> dict[str, Holding]:
        holdings = ((provider.name, provider.holding(uid, container)) for provider in self._providers)
        return {name: holding for name, holding in holdings if holding is not None}

    def _admission(self, pod: Pod, refusal: Refusal | None) -> AdmissionResult:
        return AdmissionResult(
            uid=pod.uid,
            qos=pod.qos,
            pools=self.pools,
            placements={} if refusal else self._placements(pod),
            reason=refusal.reason if refusal else None,
            message=refusal.message if refusal else None,
        )


def _configuration(config: KubeletConfiguration | Mapping[str, Any]) -> KubeletConfiguration:
    return config if isinstance(config, KubeletConfiguration) else KubeletConfiguration.from_dict(config)
