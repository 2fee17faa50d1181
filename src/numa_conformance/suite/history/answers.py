"""Answers as the judge has them: a class for each reply of the protocol, made from its schema, its texts read.

A test holds them against ``fixtures/schemas/protocol.schema.json``. What does not decode, or says nothing (a text that
is no set of CPUs, NUMA node -1, memory of -1 bytes), is a malformed answer. What the machine or the pod does not have
decodes: to say that is for checkers.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, TypedDict

import msgspec

from ...cpuset import CpuSet

__all__ = ["READERS", "Affinity", "Answer", "Block", "CpuBits", "Held", "NodeBits", "read_answer", "read_text"]

MOST_NODES = 4096
"""NUMA node ids lie below it: the kernel's own bound is 1,024."""
Bytes = Annotated[int, msgspec.Meta(ge=0)]


class CpuBits(int):
    """A set of CPUs as bits; on the wire a text such as ``0-3,8``."""


class NodeBits(int):
    """One or more NUMA nodes as bits; on the wire a list of ids."""


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of every answer and of the values inside."""


class Outcome(Answer, frozen=True, tag_field="result"):
    """Base of the answers among which ``result`` tells."""


class Affinity(Answer, frozen=True):
    """A hint: NUMA nodes as bits (None: any), and whether it is preferred."""

    nodes: NodeBits | None
    preferred: bool


Offers = dict[str, tuple[Affinity, ...] | None]
"""The hints of one provider by resource; None is no opinion."""


class Block(Answer, frozen=True):
    """Memory of one type, in bytes, on NUMA nodes as bits."""

    type: str
    bytes: Bytes
    nodes: NodeBits


class Held(Answer, frozen=True):
    """What one container was given: exclusive CPUs as bits, its hint, memory blocks, devices by resource.

    ``affinity``, ``memory``, ``devices`` and ``quota`` are None where the target did not tell. ``quota`` is CPU time
    in microseconds per 100,000, not above 0 where there is no bound. ``further``: what managers gave of which no
    requirement speaks.
    """

    cpus: CpuBits
    affinity: Affinity | None = None
    memory: tuple[Block, ...] | None = None
    devices: dict[str, frozenset[str]] | None = None
    quota: int | None = msgspec.field(default=None, name="cpu_quota")
    further: dict[str, Any] = {}


class MemoryTable(Answer, frozen=True):
    """The books of one type of memory of a NUMA node, in bytes."""

    total: int
    system_reserved: int
    allocatable: int
    reserved: int
    free: int


class MemoryNode(Answer, frozen=True):
    """The books of a NUMA node, as the Memory Manager keeps them."""

    node: int
    assignments: int
    group: tuple[int, ...]
    free: dict[str, int] | None = None
    tables: dict[str, MemoryTable] | None = None


class Picked(Outcome, tag="picked", frozen=True):
    """CPUs were chosen."""

    cpus: CpuBits


class PickRefused(Outcome, tag="refused", frozen=True):
    """No CPUs were chosen."""

    message: str
    reason: str | None = None


class AllocationAnswer(Outcome, frozen=True):
    """What is told of an allocation either way."""

    reserved_cpus: CpuBits | None = None
    guaranteed_cpus: int | None = None
    pod_guaranteed_cpus: int | None = None
    hints: Offers | None = None
    pod_hints: Offers | None = None


class Allocated(AllocationAnswer, tag="allocated", frozen=True, kw_only=True):
    """The static policy gave a container CPUs."""

    cpus: CpuBits
    default_cpuset: CpuBits
    reusable: CpuBits | None = None


class AllocationRefused(AllocationAnswer, tag="refused", frozen=True, kw_only=True):
    """The static policy refused a container."""

    message: str
    reason: str | None = None


class PolicyRefused(Outcome, tag="policy_refused", frozen=True):
    """There is no policy of this configuration."""

    message: str


class PodClass(Answer, frozen=True):
    """The class of a pod, and who asks for CPUs of their own."""

    qos: str
    container_cpus: dict[str, int]
    pod_cpus: int


class OfferedHints(Answer, frozen=True):
    """The hints of the static policy."""

    hints: Offers | None = None


class Merged(Answer, frozen=True):
    """What came of merging hints; ``nodes``: None where any will do."""

    nodes: NodeBits | None
    preferred: bool
    admit: bool


class Scored(Outcome, tag="scored", frozen=True):
    """A node was scored; ``score``: None where the pod does not fit."""

    score: int | None
    insufficient: tuple[str, ...]
    scores: dict[str, float] | None = None


class ScoreRefused(Outcome, tag="refused", frozen=True):
    """The strategy was refused."""

    message: str


class NodeStarted(Outcome, tag="started", frozen=True):
    """A node came up. ``default_cpuset``: None for a node at work, of which it is not known."""

    default_cpuset: CpuBits | None = None
    reserved_cpus: CpuBits | None = None
    allocatable_cpus: CpuBits | None = None
    memory_state: tuple[MemoryNode, ...] | None = None


class StartFailed(Outcome, tag="failed", frozen=True):
    """A node did not come up."""

    stage: str
    message: str


class PoolTold(Outcome, frozen=True):
    """What is told of a node after each thing that happens to it."""

    default_cpuset: CpuBits
    memory_state: tuple[MemoryNode, ...] | None = None


class Aligned(Answer, frozen=True):
    """One merge of hints, as told: for a container, or (None) the pod as a whole."""

    container: str | None
    providers: tuple[Offers | None, ...]
    affinity: Affinity
    admit: bool


class Admitted(PoolTold, tag="admitted", frozen=True, kw_only=True):
    """A pod was admitted."""

    containers: dict[str, Held]
    qos: str | None = None
    alignments: tuple[Aligned, ...] | None = None


class Rejected(PoolTold, tag="rejected", frozen=True, kw_only=True):
    """A pod was refused."""

    reason: str
    message: str
    qos: str | None = None
    phase: str | None = None
    alignments: tuple[Aligned, ...] | None = None


class PodStarted(PoolTold, tag="started", frozen=True, kw_only=True):
    """The containers of a pod were started."""

    containers: dict[str, Held]


class UnknownPod(PoolTold, tag="unknown", frozen=True):
    """There is no such pod on the node."""


class Removed(PoolTold, tag="removed", frozen=True):
    """A pod was taken off the node."""


class NodeState(Answer, frozen=True):
    """All that is on a node: pod to container to what it holds."""

    default_cpuset: CpuBits
    containers: dict[str, dict[str, Held]]
    memory_state: tuple[MemoryNode, ...] | None = None


class Update(Answer, frozen=True):
    """A cpuset that was sent to the container runtime."""

    uid: str
    container: str
    cpus: CpuBits


class SkippedContainer(Answer, frozen=True):
    """A container that the reconcile loop left alone."""

    uid: str
    container: str


class Reconciled(Outcome, tag="reconciled", frozen=True):
    """One pass of the reconcile loop."""

    updates: tuple[Update, ...]
    handled: int
    skipped: tuple[SkippedContainer, ...]


class StateWrite(Answer, frozen=True):
    """One write of a state file; ``text``: None where it was deleted."""

    file: str
    text: str | None


class Checkpoints(Outcome, tag="checkpoints", frozen=True):
    """The state files, and the writes that made them since they were told last."""

    checkpoints: dict[str, str]
    writes: tuple[StateWrite, ...] | None = None


class ReadmittedPod(Outcome, tag="admitted", frozen=True):
    """A pod that was admitted again."""

    uid: str
    containers: dict[str, Held]


class RejectedPod(Outcome, tag="rejected", frozen=True):
    """A pod that was not admitted again."""

    uid: str
    reason: str
    message: str


class Restarted(PoolTold, tag="restarted", frozen=True, kw_only=True):
    """The node agent came up again."""

    pods: tuple[ReadmittedPod | RejectedPod, ...]


class Threads(Answer, frozen=True):
    """Threads that may run on the same CPUs and NUMA nodes; both are bits, the latter None where not told."""

    first: int
    count: int
    cpus: CpuBits
    mems: CpuBits | None = None

    def __str__(self) -> str:
        """Say how many they are."""
        return "a thread" if self.count == 1 else f"{self.count} threads"


class Runs(Answer, frozen=True):
    """What a running container was seen to run on, as bits; None where it was not told."""

    written: CpuBits | None = None
    effective: CpuBits | None = None
    mems: CpuBits | None = None
    threads: tuple[Threads, ...] = ()


class SeenHeld(Answer, frozen=True):
    """What a container of a node at work was seen to hold."""

    cpus: CpuBits = CpuBits(0)
    memory: tuple[Block, ...] | None = None
    devices: dict[str, frozenset[str]] | None = None

    @property
    def held(self) -> Held:
        """The same as the answers of a target have it."""
        return Held(self.cpus, None, self.memory, self.devices)


class SeenInPod(SeenHeld, frozen=True):
    """One container of a node at work; ``limit``: its CPU limit, as numerator and denominator."""

    device_nodes: tuple[tuple[Annotated[int, msgspec.Meta(ge=0, lt=MOST_NODES)], ...], ...] = ()
    runs: Runs | None = None
    limit: tuple[int, Annotated[int, msgspec.Meta(gt=0)]] | None = None
    listed: SeenHeld | None = None


class SeenPod(Answer, frozen=True):
    """One pod of a node at work; ``whole``: it has resources as a whole."""

    containers: dict[str, SeenInPod]
    qos: str | None = None
    whole: bool = False


class FileSeen(Answer, frozen=True):
    """A state file: the policy it was written under, and why it cannot be read, if so."""

    policy: str
    damage: str | None = None


class SeenTable(TypedDict):
    """The books of one type of memory of a NUMA node at work, in bytes."""

    total: int
    allocatable: int
    reserved: int
    free: int


class SeenNode(TypedDict):
    """The books of a NUMA node at work."""

    node: int
    tables: dict[str, SeenTable]


class Seen(Answer, frozen=True):
    """All that was seen of a node at work."""

    pods: dict[str, SeenPod]
    files: dict[str, FileSeen]
    default_cpuset: CpuBits | None = None
    reserved_cpus: CpuBits | None = None
    memory_state: tuple[SeenNode, ...] | None = None


SEEN = "node.seen"
"""The method of a step that tells what was seen of a node at work; no target is asked it."""

READERS: Mapping[str, Any] = {
    "pick": Picked | PickRefused,
    "classify": PodClass,
    "allocate": Allocated | AllocationRefused | PolicyRefused,
    "hints": OfferedHints,
    "merge": Merged,
    "score": Scored | ScoreRefused,
    "node.start": NodeStarted | StartFailed,
    "node.admit": Admitted | Rejected,
    "node.run": PodStarted | UnknownPod,
    "node.remove": Removed | UnknownPod,
    "node.state": NodeState,
    "node.reconcile": Reconciled,
    "node.checkpoints": Checkpoints,
    "node.restart": Restarted | StartFailed,
    SEEN: Seen,
}
"""The class, or the union of classes, of the answers of each method that a history may hold."""


def read_answer(method: str, answer: Mapping[str, Any]) -> Answer | None:
    """Read an answer; raises ``ValueError`` where it is malformed. None for a method that nothing judges."""
    kind = READERS.get(method)
    if kind is None:
        return None
    read: Answer = msgspec.convert(answer, kind, dec_hook=read_text)
    return read


def read_text(kind: type, value: Any) -> Any:
    """Read what has a form of its own on the wire; raises ``ValueError``."""
    if kind is CpuBits and isinstance(value, str):
        return _cpus(value)
    if kind is NodeBits and isinstance(value, (list, tuple)) and value:
        if all(type(node) is int and 0 <= node < MOST_NODES for node in value):
            return NodeBits(sum({1 << node for node in value}))
        raise ValueError(f"{list(value)[:10]} are no NUMA nodes")
    raise ValueError(f"{value!r:.80} is no set of {'CPUs' if kind is CpuBits else 'NUMA nodes'}")


@lru_cache(maxsize=1024)
def _cpus(text: str) -> CpuBits:
    return CpuBits(CpuSet.parse(text).bits)
