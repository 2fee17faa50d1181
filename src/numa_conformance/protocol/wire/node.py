"""Messages of the surface ``node``: one node through its life."""

from __future__ import annotations

from typing import Literal

from .values import HintValue, JsonObject, Message

__all__ = [
    "AdmitPod",
    "Checkpoints",
    "ContainerHolding",
    "MemoryBlock",
    "MemoryNode",
    "MemoryTable",
    "NodeStarted",
    "NodeStateReply",
    "PodAnswer",
    "PodOutcome",
    "ReadCheckpoints",
    "ReadState",
    "Reconcile",
    "ReconcileReply",
    "RemovePod",
    "RestartNode",
    "RestartReply",
    "RunPod",
    "SkippedContainer",
    "StartNode",
    "Update",
]


class StartNode(Message, frozen=True):
    """Bring up a node; what an earlier node held is gone. ``files``: state files it finds, name to text."""

    machine: JsonObject
    kubelet: JsonObject
    kubernetesVersion: str | None = None  # noqa: N815  (the name on the wire)
    files: dict[str, str] | None = None


class MemoryTable(Message, frozen=True, omit_defaults=False):
    """The books of one resource on one NUMA node, in bytes."""

    total: int
    system_reserved: int
    allocatable: int
    reserved: int
    free: int


class MemoryNode(Message, frozen=True):
    """One NUMA node as the Memory Manager keeps it; ``tables`` when the node has just come up, else ``free``."""

    node: int
    assignments: int
    group: list[int]
    free: dict[str, int] | None = None
    tables: dict[str, MemoryTable] | None = None


class NodeStarted(Message, frozen=True):
    """The node is up, with these pools; or it refused, at a stage, with a message."""

    default_cpuset: str | None = None
    reserved_cpus: str | None = None
    allocatable_cpus: str | None = None
    memory_state: list[MemoryNode] | None = None
    stage: str | None = None
    construction_error: str | None = None


class AdmitPod(Message, frozen=True):
    """Ask the node to run a pod. The same uid again means: admit it anew, it keeps what it has."""

    pod: JsonObject


class RunPod(Message, frozen=True):
    """Start the containers of a pod in order; an ordinary init container ends before the next begins."""

    uid: str


class RemovePod(Message, frozen=True):
    """The pod is gone; all it held is released."""

    uid: str


class MemoryBlock(Message, frozen=True, omit_defaults=False):
    """Memory of one type given to a container on NUMA nodes."""

    type: str
    bytes: int
    nodes: list[int]


class ContainerHolding(Message, frozen=True, omit_defaults=False):
    """What one container holds. ``cpus``: exclusive CPUs, empty when it uses the shared pool."""

    cpus: str
    affinity: HintValue | None = None
    memory: list[MemoryBlock] | None = None
    devices: dict[str, list[str]] | None = None


class PodAnswer(Message, frozen=True):
    """The outcome for one pod: admitted, rejected, started, removed, or unknown."""

    result: Literal["admitted", "rejected", "started", "removed", "unknown"]
    default_cpuset: str | None = None
    qos: str | None = None
    containers: dict[str, ContainerHolding] | None = None
    reason: str | None = None
    message: str | None = None
    memory_state: list[MemoryNode] | None = None


class ReadState(Message, frozen=True):
    """Ask for all that is on the node."""


class NodeStateReply(Message, frozen=True, omit_defaults=False):
    """The shared pool, and pod uid to container to what it holds."""

    default_cpuset: str
    containers: dict[str, dict[str, ContainerHolding]]
    memory_state: list[MemoryNode] | None = None


class Reconcile(Message, frozen=True):
    """Make one pass of the reconcile loop."""


class Update(Message, frozen=True):
    """A cpuset sent to the container runtime."""

    uid: str
    container: str
    cpus: str


class SkippedContainer(Message, frozen=True):
    """A container that could not be handled: it has not started, or there is no cpuset to send."""

    pod: str
    container: str


class ReconcileReply(Message, frozen=True, omit_defaults=False):
    """The updates in the order sent, the number of containers handled, and those skipped."""

    updates: list[Update]
    ok: int
    skipped: list[SkippedContainer]
    result: Literal["reconciled"] = "reconciled"


class ReadCheckpoints(Message, frozen=True):
    """Ask for the state files."""


class Checkpoints(Message, frozen=True, omit_defaults=False):
    """File name to content."""

    checkpoints: dict[str, str]
    result: Literal["checkpoints"] = "checkpoints"


class RestartNode(Message, frozen=True):
    """Start new managers on the same state files, then admit every pod again in the order of its first admission.

    ``kubelet``: another configuration from now on. ``files``: state files replaced (null: deleted) while it was down.
    """

    kubelet: JsonObject | None = None
    files: dict[str, str | None] | None = None


class PodOutcome(Message, frozen=True):
    """One pod of a restart."""

    uid: str
    result: Literal["admitted", "rejected"]
    containers: dict[str, ContainerHolding] | None = None
    reason: str | None = None
    message: str | None = None


class RestartReply(Message, frozen=True):
    """The node is up again, or it failed at a stage with a message."""

    result: Literal["restarted", "failed"]
    pods: list[PodOutcome] | None = None
    default_cpuset: str | None = None
    memory_state: list[MemoryNode] | None = None
    stage: str | None = None
    message: str | None = None
