"""The managers of a node with its pods: how they start, who has what, and what is released."""

import sys
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

from typing_extensions import Self

from ...cpuset import bits_of
from ...errors import Refusal
from ...kube.container import Container
from ...kube.features import FeatureGates
from ...kube.kubelet_config import KubeletConfiguration
from ...kube.pod import Pod
from ...kube.quantity import microseconds
from ...kube.steps import PluginState
from ...machine.hostfs import MemoryStore, StateStore
from ...machine.model import KubeletView, Machine
from ...sources.changes import Changes
from ...sources.defaults import CPU_CFS_QUOTA_PERIOD
from ...sources.gates import GATES
from ...sources.handlers import HANDLERS
from ...sources.quirks import Quirks
from ...sources.quirks.areas import NodeQuirks
from ...sources.versions import DEFAULT, KubernetesVersion
from ..managers.provider import Holding, MakeProvider, NodeSetup, Provider
from ..managers.registry import PROVIDERS
from .admission import Admitter, Watcher
from .bring_up import bring_up, check_reservations
from .checkpoints import CheckpointKeeper
from .facts import NodeFacts
from .fit import ResourceFit
from .handlers import AdmissionChain
from .reconcile import RunningContainers, the_cpusets
from .results import AdmissionResult, NodeContents, NodePools, Placement

_QUOTA_GATE = "DisableCPUQuotaWithExclusiveCPUs"
_LEAST_QUOTA = 1_000  # microseconds


def cfs_quota(
    container: Container, config: KubeletConfiguration, gates: FeatureGates, *, exclusive: bool, quirks: NodeQuirks
) -> int | None:
    """Return the CFS quota in microseconds per period, None for no bound (CPU-CFS-01..04).

    Another period than the default needs a gate of its own. While the gate DisableCPUQuotaWithExclusiveCPUs is on,
    exclusive CPUs have no bound. Before v1.33 there is none, and they have: the quirk ``quota-on-exclusive-cpus``.
    """
    limit = container.limits.get("cpu")
    if not config.cpu_cfs_quota or limit is None or not limit:
        return None
    has_gate = GATES[_QUOTA_GATE].history.at(gates.version) is not None
    if exclusive and (gates.enabled(_QUOTA_GATE) if has_gate else not quirks.quota_on_exclusive_cpus):
        return None
    period = microseconds(CPU_CFS_QUOTA_PERIOD.at(gates.version))
    return max(limit.milli * period // 1000, _LEAST_QUOTA)


class ManagerStack:
    """The managers of one node, the pods on it, and the state files between them; ``Node`` says what each part is."""

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
        self.machine = self._plugged = machine
        self._plugins: Mapping[str, PluginState] = {}
        self.version = KubernetesVersion.supported(kubernetes_version)
        self._configure(config)
        self.quirks = Quirks.of(self.version) if quirks is None else quirks
        self._changes = changes
        self._view = view
        self._resource_fit = resource_fit
        self._watcher = watcher
        self._makers = tuple(providers)
        self._facts = facts
        self._store = store if store is not None else MemoryStore()
        self._pods: dict[str, Pod] = {}
        self._listed = set[str]()
        self._containers = RunningContainers()
        self._start()

    def _configure(self, config: KubeletConfiguration | Mapping[str, Any]) -> None:
        read = config if isinstance(config, KubeletConfiguration) else KubeletConfiguration.from_dict(config)
        self.config = read.at(self.version)

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
        changes, quirks = self.gates.changes, self.quirks.scheduler
        known = facts.storage, self._listed, self._devices_of
        self._fit = ResourceFit(self.machine, self.config, changes, quirks, *known)
        self.chain = AdmissionChain(self.config, self.gates, facts, self._fit)
        self._containers.last_sent.clear()
        self._unsettled = set(self._providers)

    def copy(self, watcher: Watcher | None = None) -> Self:
        """Return a node in the same state, watched by another, that goes its own way; its files must be in memory."""
        program = *sys.modules.values(), *HANDLERS.values()  # whatever of these a manager refers to is not in its books
        parts = self.machine, self._plugged, self.config, self.gates, self.quirks, self._view, self._watcher
        made = deepcopy(self, {id(thing): thing for thing in (*parts, *self._pods.values(), *program)})
        made._watcher = made._admitter.watcher = watcher
        return made

    def anew(self, config: KubeletConfiguration | None = None, machine: Machine | None = None) -> Self:
        """Return a node without pods of the same version, with another configuration or machine if one is given.

        Raises ``StartError`` when it does not come up.
        """
        return type(self)(
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
        nodes = [node for block in placement.memory or () for node in block.nodes]
        nodes = nodes or [node.node for node in self.machine.memory if node.memory]
        cpuset = self._containers.actual[uid, name] or self.machine.online_bits
        return replace(placement, cpuset=cpuset, mems=bits_of(nodes))

    def _cpu_quota(self, uid: str, container: Container) -> int | None:
        exclusive = bool(self._cpusets.exclusive_cpus_of(uid, container.name))
        return cfs_quota(container, self.config, self.gates, exclusive=exclusive, quirks=self.quirks.node)

    def _holdings(self, pod: Pod) -> dict[str, dict[str, Holding]]:
        return {container.name: self._holdings_of(pod.uid, container.name) for container in pod.all_containers}

    def _holdings_of(self, uid: str, container: str) -> dict[str, Holding]:
        holdings = ((provider.name, provider.holding(uid, container)) for provider in self._providers)
        return {name: holding for name, holding in holdings if holding is not None}

    def _devices_of(self, pod: Pod) -> set[str]:
        held = [holding for holdings in self._holdings(pod).values() for holding in holdings.values()]
        return {resource for holding in held for resource in holding.devices}

    def _admission(self, pod: Pod, refusal: Refusal | None) -> AdmissionResult:
        return AdmissionResult(
            uid=pod.uid,
            qos=pod.qos,
            pools=self.pools,
            placements={} if refusal else self._placements(pod),
            reason=refusal.reason if refusal else None,
            message=refusal.message if refusal else None,
        )
