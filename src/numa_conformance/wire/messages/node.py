"""The surface ``node``: one node through its life."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from ..message import Message, Request, TaggedReply
from ..values import Absence, AnsweredNodes, Booked, Bytes, HintLists, HintValue, IdList, JsonObject, NodeId

SURFACE = "the stateful manager stack of one node"
FEATURES = {
    "cpu-manager/cfs-quota": "CFS quota: `cpu_quota` of a container, in microseconds per 100,000; -1: no bound",
    "node/resize": "CPU and memory of a pod that is on the node change in place",
    "node/cpuset": "`cpuset` of containers: the CPUs that each may run on, its own or not; `mems` where it is known",
    "node/hints": "`alignments` of an admission: what every manager hinted, and the hint merged from it",
    "node/phase": "`phase` of a refused pod",
    "node/writes": "`writes` of state files in their order, beside `checkpoints`",
}


class MemoryTable(Message, frozen=True, omit_defaults=False):
    """The books of one resource on one NUMA node, in bytes."""

    total: Booked
    system_reserved: Booked
    allocatable: Booked
    reserved: Booked
    free: Booked


class MemoryNode(Message, frozen=True):
    """One NUMA node as the Memory Manager keeps it; ``tables`` when the node has just come up, else ``free``."""

    node: NodeId
    assignments: int
    group: Sequence[NodeId]
    free: Mapping[str, Booked] | None = None
    tables: dict[str, MemoryTable] | None = None


class MemoryBlock(Message, frozen=True, omit_defaults=False):
    """Memory of one type given to a container on NUMA nodes."""

    type: str
    bytes: Bytes
    nodes: AnsweredNodes


class ContainerHolding(Message, frozen=True, omit_defaults=False):
    """What one container holds. ``cpus``: exclusive CPUs, empty when it uses the shared pool.

    Of a pod that has CPUs as a whole they are also those that its containers share. ``cpu_quota``: the CPU time it may
    use, in microseconds per period of 100,000; -1: no bound; null or left out: not reported. ``cpuset`` and ``mems``:
    the CPUs and NUMA nodes that it may use at last, as lists like ``0-3,8``, whether they are its own or not; all of
    the machine's where nothing keeps it to some; null or left out: not reported, or the container does not run.
    ``further``: what other managers gave, by the manager's name, in values of its own.
    """

    cpus: IdList
    affinity: HintValue | None = None
    memory: list[MemoryBlock] | None = None
    devices: dict[str, list[str]] | None = None
    cpu_quota: int | UnsetType | None = UNSET
    cpuset: IdList | UnsetType | None = UNSET
    mems: IdList | UnsetType | None = UNSET
    further: dict[str, Any] | UnsetType = UNSET


class Update(Message, frozen=True):
    """A cpuset sent to the container runtime for a container that runs; ``mems``: NUMA nodes sent with it."""

    uid: str
    container: str
    cpus: IdList
    mems: IdList | None = None


class NodeStarted(TaggedReply, tag="started", frozen=True):
    """The node is up, with these pools.

    ``reserved_cpus``: under policy static the reserved CPUs; null: not reported, or an amount is reserved and no CPUs.
    Then those that the configuration names count, else none, and what depends on which they are is not judged.
    ``restarts``: how often a program has ended by itself, and was started again, since the last reply of this kind.
    """

    default_cpuset: IdList
    reserved_cpus: IdList | None = None
    allocatable_cpus: IdList | None = None
    memory_state: list[MemoryNode] | None = None
    restarts: int = 0


class StartFailed(TaggedReply, tag="failed", frozen=True):
    """The node does not come up: the stage that refuses, and its message; ``absence``: why no program was met."""

    stage: str
    message: str
    absence: Absence | None = None


class StartNode(Request[NodeStarted | StartFailed], method="node.start", surface="node", frozen=True):
    """Bring up a node; what an earlier node held is gone. ``files``: state files it finds, name to text.

    ``host_root``: as of ``pick``.
    """

    machine: JsonObject
    kubelet: JsonObject
    kubernetes_version: str | None = None
    files: dict[str, str] | None = None
    host_root: str | UnsetType = UNSET


class Alignment(Message, frozen=True, omit_defaults=False):
    """What the managers hinted for a container (null: for the pod as a whole), and what was made of it.

    ``providers``: each null, or resource to hints, as in ``merge``; resources are called ``cpu``, ``memory``,
    ``hugepages-2Mi`` or as the device plugin calls them. ``admit``: whether the policy admits with this ``affinity``.
    """

    container: str | None
    providers: list[HintLists | None]
    affinity: HintValue
    admit: bool


class Admitted(TaggedReply, tag="admitted", frozen=True):
    """The pod is on the node: the shared pool, and container to what it holds.

    ``alignments``: every merge of hints that was made for it, in order; null: not reported. ``updates``: the cpusets
    that were sent meanwhile, those of other pods' containers too; null: none are sent before ``node.reconcile``.
    """

    default_cpuset: IdList
    containers: dict[str, ContainerHolding]
    qos: str | None = None
    memory_state: list[MemoryNode] | None = None
    alignments: list[Alignment] | None = None
    updates: list[Update] | None = None


class Rejected(TaggedReply, tag="rejected", frozen=True):
    """The pod is refused: the reason (one word, as in the pod's status) and a message for people.

    ``phase``: the pod's phase in its status; null: not reported. ``alignments``: every merge of hints until then, in
    order; null: not reported. ``updates``: as of an admission.
    """

    default_cpuset: IdList
    reason: str
    message: str
    qos: str | None = None
    memory_state: list[MemoryNode] | None = None
    phase: str | None = None
    alignments: list[Alignment] | None = None
    updates: list[Update] | None = None


class AdmitPod(Request[Admitted | Rejected], method="node.admit", surface="node", frozen=True):
    """Ask the node to run a pod. The uid of one that is there: admit it again, it keeps what it has; else it is new."""

    pod: JsonObject


class PodStarted(TaggedReply, tag="started", frozen=True):
    """The pod's containers have started: the pool, container to what it holds, ``updates`` as of an admission."""

    default_cpuset: IdList
    containers: dict[str, ContainerHolding]
    memory_state: list[MemoryNode] | None = None
    updates: list[Update] | None = None


class Removed(TaggedReply, tag="removed", frozen=True):
    """The pod is gone. ``updates``: as of an admission."""

    default_cpuset: IdList
    memory_state: list[MemoryNode] | None = None
    updates: list[Update] | None = None


class UnknownPod(TaggedReply, tag="unknown", frozen=True):
    """There is no such pod on the node."""

    default_cpuset: IdList
    memory_state: list[MemoryNode] | None = None


class RunPod(Request[PodStarted | UnknownPod], method="node.run", surface="node", frozen=True):
    """Start the containers of a pod in order; an ordinary init container ends before the next begins."""

    uid: str


class RemovePod(Request[Removed | UnknownPod], method="node.remove", surface="node", frozen=True):
    """The pod is gone; all it held is released."""

    uid: str


class Resized(TaggedReply, tag="resized", frozen=True):
    """The pod has what it asks for now: the pool, container to what it holds. ``updates``: as of an admission."""

    default_cpuset: IdList
    containers: dict[str, ContainerHolding]
    memory_state: list[MemoryNode] | None = None
    updates: list[Update] | None = None


class ResizePending(TaggedReply, tag="pending", frozen=True):
    """The pod keeps what it has. ``reason``: ``Infeasible`` or ``Deferred``; ``message``: why, for people."""

    default_cpuset: IdList
    reason: str
    message: str
    memory_state: list[MemoryNode] | None = None


class ResizePod(Request[Resized | ResizePending | UnknownPod], method="node.resize", surface="node", frozen=True):
    """Change CPU and memory of a pod in place. ``pod``: as it is to be, whole; nothing else in it differs."""

    pod: JsonObject


class NodeState(Message, frozen=True, omit_defaults=False):
    """The shared pool, and pod uid to container to what it holds."""

    default_cpuset: IdList
    containers: dict[str, dict[str, ContainerHolding]]
    memory_state: list[MemoryNode] | None = None


class ReadState(Request[NodeState], method="node.state", surface="node", frozen=True):
    """Ask for all that is on the node."""


class SkippedContainer(Message, frozen=True):
    """A container that could not be handled: it has not started, or there is no cpuset to send."""

    uid: str
    container: str


class Reconciled(TaggedReply, tag="reconciled", frozen=True):
    """The updates in the order sent, the number of containers handled, and those skipped."""

    updates: list[Update]
    handled: int
    skipped: list[SkippedContainer]


class Reconcile(Request[Reconciled], method="node.reconcile", surface="node", frozen=True):
    """Make one pass of the reconcile loop."""


class StateWrite(Message, frozen=True, omit_defaults=False):
    """A state file that was replaced whole; ``text`` null: deleted."""

    file: str
    text: str | None


class Checkpoints(TaggedReply, tag="checkpoints", frozen=True):
    """File name to content.

    ``writes``: how the files came to be so, one write after the other, since they were last asked for or the node came
    up; null: not reported.
    """

    checkpoints: dict[str, str]
    writes: list[StateWrite] | None = None


class ReadCheckpoints(Request[Checkpoints], method="node.checkpoints", surface="node", frozen=True):
    """Ask for the state files."""


class ReadmittedPod(TaggedReply, tag="admitted", frozen=True):
    """A pod that is on the node after a restart, and container to what it holds."""

    uid: str
    containers: dict[str, ContainerHolding]


class RejectedPod(TaggedReply, tag="rejected", frozen=True):
    """A pod that a restart refuses: the reason and a message for people."""

    uid: str
    reason: str
    message: str


class Restarted(TaggedReply, tag="restarted", frozen=True):
    """The node is up again, and each pod on it is admitted again or refused. ``updates``: as of an admission."""

    pods: list[ReadmittedPod | RejectedPod]
    default_cpuset: IdList
    memory_state: list[MemoryNode] | None = None
    updates: list[Update] | None = None


class RestartNode(Request[Restarted | StartFailed], method="node.restart", surface="node", frozen=True):
    """Start new managers on the same state files, then admit every pod again in the order of its first admission.

    ``kubelet``: another configuration from now on. ``files``: state files replaced (null: deleted) while it was down.
    ``at_once``: it ends before its next admission or pass of its loop, so that files may hold what gone pods had.
    """

    kubelet: JsonObject | None = None
    files: dict[str, str | None] | None = None
    at_once: bool = False
