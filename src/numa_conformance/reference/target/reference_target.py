"""The reference as a target: what is asked when no other implementation is named."""

from pathlib import Path
from typing import Literal

from ... import __version__
from ...cpuset import format_bits
from ...errors import StartError, UsageError, require
from ...kube import FeatureGates, KubeletConfiguration, Pod, Quantity, ScoringStrategy
from ...machine.codec import machine_to_dict
from ...machine.hostfs import CgroupTree, JournalStore, read_machine
from ...sources.changes import Changes
from ...sources.quirks import Quirks
from ...sources.versions import DEFAULT, KubernetesVersion
from ...wire.features import FEATURES
from ...wire.messages import SURFACES
from ...wire.messages import node as messages
from ...wire.messages.allocate import Allocate, Allocated, AllocationRefused, PolicyRefused
from ...wire.messages.classify import Classified, Classify
from ...wire.messages.describe import PROTOCOL, Describe, Description
from ...wire.messages.hints import Hints, OfferedHints
from ...wire.messages.host import Discover, Discovered, HostReconcile
from ...wire.messages.merge import Merge, Merged
from ...wire.messages.pick import Pick, Picked, PickRefused
from ...wire.messages.score import Score, Scored, ScoreRefused
from ..managers.eligibility import exclusive_cpus, pod_exclusive_cpus
from ..node import Node, RestartResult
from ..scheduler import score_node
from . import answers
from .container_question import Readings, ask_container, ask_hints
from .device_plugin import ReferencePlugin
from .dra_driver import DraDriver
from .merge_question import Overheard, ask_merge, hint_of
from .pick import cpu_topology, machine_of, pick

Level = Literal["exact", "documented"]


class ReferenceTarget(ReferencePlugin, DraDriver):
    """Answers every method of the protocol, those of the surfaces ``plugin`` and ``claims`` as its base classes do.

    ``exact`` reproduces the kubelet of a version, quirks included; ``documented`` follows the documentation.
    """

    def __init__(
        self,
        level: Level = "exact",
        kubernetes_version: str | KubernetesVersion = DEFAULT,
        *,
        quirks: Quirks | None = None,
        changes: Changes | None = None,
        resource_fit: bool = False,
    ) -> None:
        """Take level and version; ``quirks`` and ``changes`` are shown in place of those of level and version.

        ``resource_fit``: whether it does what a whole kubelet does beside its managers, as ``Node`` has it.
        """
        self._level = level
        self._version = KubernetesVersion.supported(kubernetes_version)
        self._changes = changes
        self._resource_fit = resource_fit
        self._gates = FeatureGates.build(self._version, changes=changes)
        self._fixed = quirks or (None if level == "exact" else Quirks.none())
        self._quirks = self._fixed or Quirks.of(self._version)
        self._node: Node | None = None
        self._store = JournalStore()
        self._overheard = Overheard()
        self._readings = Readings(self._version, self._quirks, changes)

    def describe(self, request: Describe) -> Description:
        """Say who this is."""
        return Description(
            name=f"numa-conformance reference ({self._level})",
            version=__version__,
            protocol=PROTOCOL,
            surfaces=sorted(SURFACES),
            features=sorted([*FEATURES, *(["node/fit"] if self._resource_fit else [])]),
            kubernetes_version=str(self._version),
        )

    def pick(self, request: Pick) -> Picked | PickRefused:
        """Choose CPUs from a set of free ones."""
        return pick(request, self._quirks.cpu, self._gates.changes)

    def allocate(self, request: Allocate) -> Allocated | AllocationRefused | PolicyRefused:
        """Make one allocation of the static policy in a given state."""
        return ask_container(request, hint_of(request.affinity), self._readings)

    def hints(self, request: Hints) -> OfferedHints:
        """Offer the CPU hints of a container or a pod in a given state."""
        return ask_hints(request, self._readings)

    def merge(self, request: Merge) -> Merged:
        """Merge provider hints."""
        return ask_merge(request, self._version, self._quirks.topology, self._changes)

    def classify(self, request: Classify) -> Classified:
        """Compute a pod's class and exclusive CPUs."""
        pod = self._pod(request.pod, "pod")
        return Classified(
            qos=pod.qos,
            container_cpus={container.name: exclusive_cpus(pod, container) for container in pod.all_containers},
            pod_cpus=pod_exclusive_cpus(pod),
        )

    def score(self, request: Score) -> Scored | ScoreRefused:
        """Score one node for a pod."""
        try:
            strategy = ScoringStrategy.from_dict(request.strategy, version=self._version, changes=self._changes)
        except UsageError as error:
            faults = [str(fault) for fault in error.faults]
            return ScoreRefused(faults[0] if len(faults) == 1 else f"[{', '.join(faults)}]")
        result = score_node(
            strategy,
            {name: Quantity.parse(amount) for name, amount in request.allocatable.items()},
            [self._pod(pod, f"pods[{index}]") for index, pod in enumerate(request.pods)],
            self._pod(request.pod, "pod"),
            quirks=self._quirks.scheduler,
        )
        scores = {
            step.name: float(step.score)
            for step in result.steps
            if step.capacity and (step.of_pod or not step.left_out)
        }
        return Scored(result.score, list(result.insufficient), scores)

    def _pod(self, obj: object, place: str) -> Pod:
        return self._readings.pod(obj, place, validate=False).under_gates(self._gates, self._quirks.node)

    def host_discover(self, request: Discover) -> Discovered:
        """Read a host tree."""
        return Discovered(machine_to_dict(read_machine(request.root)))

    def host_reconcile(self, request: HostReconcile) -> messages.Reconciled:
        """Write the cpusets of a reconcile pass into a cgroup tree."""
        tree = CgroupTree.open(Path(request.root))
        done = self._up.reconcile(lambda updates: [failure.update for failure in tree.apply(updates)], tree.read)
        return answers.reconciled_answer(done)

    def node_start(self, request: messages.StartNode) -> messages.NodeStarted | messages.StartFailed:
        """Bring up a node."""
        self._node = None
        self._store = store = JournalStore()
        for name, text in (request.files or {}).items():
            store.write(name, text)
        store.forget_writes()
        version = KubernetesVersion.supported(request.kubernetes_version or self._version)
        try:
            config = self._readings.startable(request.kubelet, version)
            self._node = Node(
                machine_of(request.machine),
                config,
                kubernetes_version=version,
                quirks=self._fixed,
                changes=self._changes,
                store=store,
                view=cpu_topology(request.machine, (self._fixed or Quirks.of(version)).cpu).view,
                watcher=self._overheard,
                resource_fit=self._resource_fit,
            )
        except StartError as error:
            self._node = None
            return messages.StartFailed(error.stage, error.message)
        return answers.started_answer(self._node.pools)

    def node_admit(self, request: messages.AdmitPod) -> messages.Admitted | messages.Rejected:
        """Admit a pod."""
        self._overheard.take()
        outcome = self._up.admit(self._readings.pod(request.pod, "pod"))
        return answers.admission_answer(outcome, self._overheard.take())

    def node_run(self, request: messages.RunPod) -> messages.PodStarted | messages.UnknownPod:
        """Start a pod's containers."""
        placements = self._up.run(request.uid)
        if placements is None:
            return messages.UnknownPod(*self._pools())
        pool, memory = self._pools()
        return messages.PodStarted(pool, answers.placements_answer(placements), memory)

    def node_resize(
        self, request: messages.ResizePod
    ) -> messages.Resized | messages.ResizePending | messages.UnknownPod:
        """Change CPU and memory of a pod in place."""
        outcome = self._up.resize(self._readings.pod(request.pod, "pod"))
        pool, memory = self._pools()
        if outcome is None:
            return messages.UnknownPod(pool, memory)
        if not outcome.admitted:
            return messages.ResizePending(pool, outcome.reason or "", outcome.message or "", memory)
        return messages.Resized(pool, answers.placements_answer(outcome.placements), memory)

    def node_remove(self, request: messages.RemovePod) -> messages.Removed | messages.UnknownPod:
        """Take a pod off the node."""
        return (messages.Removed if self._up.remove(request.uid) else messages.UnknownPod)(*self._pools())

    def node_state(self, request: messages.ReadState) -> messages.NodeState:
        """Tell all that is on the node."""
        return answers.state_answer(self._up.state())

    def node_reconcile(self, request: messages.Reconcile) -> messages.Reconciled:
        """Make one pass of the reconcile loop."""
        return answers.reconciled_answer(self._up.reconcile())

    def node_checkpoints(self, request: messages.ReadCheckpoints) -> messages.Checkpoints:
        """Tell the state files."""
        return messages.Checkpoints(
            self._up.checkpoints(), [messages.StateWrite(name, text) for name, text in self._store.take_writes()]
        )

    def node_restart(self, request: messages.RestartNode) -> messages.Restarted | messages.StartFailed:
        """Restart the node agent."""
        self._up.write_files(request.files or {})
        self._store.forget_writes()
        kubelet, version = request.kubelet, self._up.version
        try:
            config = None if kubelet is None else self._readings.startable(kubelet, version)
            return answers.restarted_answer(self._start_again(request, config))
        except StartError as error:
            return messages.StartFailed(error.stage, error.message)

    def _start_again(self, request: messages.RestartNode, config: KubeletConfiguration | None) -> RestartResult:
        return self._up.restart(config, at_once=request.at_once)

    @property
    def _up(self) -> Node:
        return require(self._node, "no node is up", "node.start")

    def _pools(self) -> tuple[str, list[messages.MemoryNode] | None]:
        pools = self._up.pools
        return format_bits(pools.default), answers.memory_state(pools.memory)
