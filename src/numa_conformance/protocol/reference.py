"""The reference as a target: what is asked when no other implementation is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from .. import __version__
from ..documentation.quirks import Quirks
from ..documentation.versions import DEFAULT, KubernetesVersion
from ..errors import Fault, StartError, UsageError
from ..hostfs import CgroupTree, MemoryStore, read_machine
from ..kube import (
    FeatureGates,
    KubeletConfiguration,
    Pod,
    Quantity,
    ScoringStrategy,
)
from ..machine.codec import machine_from_dict, machine_to_dict
from ..managers.eligibility import exclusive_cpus, pod_exclusive_cpus
from ..node import Node
from ..scheduler import score_node
from . import answers, wire
from .container_question import ask_container, ask_hints
from .features import FEATURES, PROTOCOL, SURFACES
from .merge_question import ask_merge, hint_of
from .pick import pick

__all__ = ["Level", "ReferenceTarget"]

Level = Literal["exact", "documented"]
M = TypeVar("M", bound=wire.Message)


def _reply(cls: type[M], answer: Any) -> M:
    return msgspec.convert(answer, cls)


class ReferenceTarget:
    """Answers every method of the protocol.

    ``exact`` reproduces the kubelet of a version, quirks included; ``documented`` follows the documentation.
    """

    def __init__(self, level: Level = "exact", kubernetes_version: str | KubernetesVersion = DEFAULT) -> None:
        self._level = level
        self._version = KubernetesVersion.supported(kubernetes_version)
        self._gates = FeatureGates.build(self._version)
        self._quirks = Quirks.of(self._version) if level == "exact" else Quirks.none()
        self._node: Node | None = None

    def describe(self, request: wire.Describe) -> wire.Description:
        """Say who this is."""
        return wire.Description(
            name=f"numa-conformance reference ({self._level})",
            version=__version__,
            protocol=PROTOCOL,
            surfaces=sorted(SURFACES),
            features=sorted(FEATURES),
            kubernetesVersion=str(self._version),
        )

    def pick(self, request: wire.Pick) -> wire.PickReply:
        """Choose CPUs from a set of free ones."""
        return pick(request, self._quirks.cpu)

    def allocate(self, request: wire.Allocate) -> wire.AllocateReply:
        """Make one allocation of the static policy in a given state."""
        return _reply(
            wire.AllocateReply, ask_container(request, hint_of(request.affinity), self._version, self._quirks.cpu)
        )

    def hints(self, request: wire.Hints) -> wire.HintsReply:
        """Offer the CPU hints of a container or a pod in a given state."""
        return _reply(wire.HintsReply, {"hints": ask_hints(request, self._version, self._quirks.cpu)})

    def merge(self, request: wire.Merge) -> wire.MergeReply:
        """Merge provider hints."""
        merged = ask_merge(request, self._version, self._quirks.topology)
        return _reply(wire.MergeReply, {**answers.hint_answer(merged.hint), "admit": merged.admit})

    def classify(self, request: wire.Classify) -> wire.ClassifyReply:
        """Compute a pod's class and exclusive CPUs."""
        pod = self._pod(request.pod, "pod")
        return wire.ClassifyReply(
            qos=pod.qos,
            container_cpus={container.name: exclusive_cpus(pod, container) for container in pod.all_containers},
            pod_cpus=pod_exclusive_cpus(pod),
        )

    def score(self, request: wire.Score) -> wire.ScoreReply:
        """Score one node for a pod."""
        try:
            strategy = ScoringStrategy.from_dict(request.strategy)
        except UsageError as error:
            return wire.ScoreReply(construction_error=str(error))
        result = score_node(
            strategy,
            {name: Quantity.parse(amount) for name, amount in request.allocatable.items()},
            [self._pod(one, f"pods[{index}]") for index, one in enumerate(request.pods)],
            self._pod(request.pod, "pod"),
            quirks=self._quirks.scheduler,
        )
        return wire.ScoreReply(score=result.score, insufficient=list(result.insufficient))

    def _pod(self, obj: object, place: str) -> Pod:
        return Pod.from_dict(obj, place, validate=False).as_seen(self._gates)

    def host_discover(self, request: wire.Discover) -> wire.DiscoverReply:
        """Read a host tree."""
        return wire.DiscoverReply(machine_to_dict(read_machine(request.root)))

    def host_reconcile(self, request: wire.HostReconcile) -> wire.ReconcileReply:
        """Write the cpusets of a reconcile pass into a cgroup tree."""
        tree = CgroupTree.open(Path(request.root))
        done = self._up.reconcile(lambda updates: [failure.update for failure in tree.apply(updates)])
        return _reply(wire.ReconcileReply, answers.reconciled_answer(done))

    def node_start(self, request: wire.StartNode) -> wire.NodeStarted:
        """Bring up a node."""
        self._node = None
        store = MemoryStore()
        for name, text in (request.files or {}).items():
            store.write(name, text)
        try:
            self._node = Node(
                machine_from_dict(request.machine, "machine"),
                KubeletConfiguration.from_dict(request.kubelet, "kubelet"),
                kubernetes_version=request.kubernetesVersion or self._version,
                quirks=None if self._level == "exact" else Quirks.none(),
                store=store,
            )
        except StartError as error:
            return wire.NodeStarted(stage=error.stage, construction_error=error.message)
        return _reply(wire.NodeStarted, answers.initial_answer(self._node.pools))

    def node_admit(self, request: wire.AdmitPod) -> wire.PodAnswer:
        """Admit a pod."""
        pod = Pod.from_dict(request.pod, "pod")
        return _reply(wire.PodAnswer, answers.admission_answer(self._up.admit(pod)))

    def node_run(self, request: wire.RunPod) -> wire.PodAnswer:
        """Start a pod's containers."""
        placements = self._up.run(request.uid)
        if placements is None:
            return self._pod_answer("unknown")
        return self._pod_answer("started", containers=answers.placements_answer(placements))

    def node_remove(self, request: wire.RemovePod) -> wire.PodAnswer:
        """Take a pod off the node."""
        return self._pod_answer("removed" if self._up.remove(request.uid) else "unknown")

    def node_state(self, request: wire.ReadState) -> wire.NodeStateReply:
        """Tell all that is on the node."""
        return _reply(wire.NodeStateReply, answers.state_answer(self._up.state()))

    def node_reconcile(self, request: wire.Reconcile) -> wire.ReconcileReply:
        """Make one pass of the reconcile loop."""
        return _reply(wire.ReconcileReply, answers.reconciled_answer(self._up.reconcile()))

    def node_checkpoints(self, request: wire.ReadCheckpoints) -> wire.Checkpoints:
        """Tell the state files."""
        return wire.Checkpoints(self._up.checkpoints())

    def node_restart(self, request: wire.RestartNode) -> wire.RestartReply:
        """Restart the node agent."""
        self._up.write_files(request.files or {})
        config = None if request.kubelet is None else KubeletConfiguration.from_dict(request.kubelet, "kubelet")
        try:
            return _reply(wire.RestartReply, answers.restarted_answer(self._up.restart(config)))
        except StartError as error:
            return _reply(wire.RestartReply, answers.restart_failure_answer(error))

    @property
    def _up(self) -> Node:
        if self._node is None:
            raise UsageError(Fault("", "no node is up", "node.start first"))
        return self._node

    def _pod_answer(self, result: str, **more: object) -> wire.PodAnswer:
        pools = answers.state_answer(self._up.state())
        del pools["containers"]
        return _reply(wire.PodAnswer, {"result": result, **pools, **more})
