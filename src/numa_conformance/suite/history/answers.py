"""Answers as the judge has them: a class for each reply of the protocol, made from its schema, its texts read.

A test holds them against ``fixtures/schemas/protocol.schema.json``. What does not decode, or says nothing (a text that
is no set of CPUs, NUMA node -1, memory of -1 bytes), is a malformed answer. What the machine or the pod does not have
decodes: to say that is for checkers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from .claims import AllocatedClaim
from .sightings import SEEN, Seen
from .values import Affinity, Answer, CpuBits, Held, MemoryNode, NodeBits, Offers, Outcome, read_text


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


class Update(Answer, frozen=True):
    """A cpuset that was sent to the container runtime; ``mems``: None where no NUMA nodes were."""

    uid: str
    container: str
    cpus: CpuBits
    mems: CpuBits | None = None


class PoolTold(Outcome, frozen=True):
    """What is told of a node after each thing that happens to it."""

    default_cpuset: CpuBits
    memory_state: tuple[MemoryNode, ...] | None = None


class Changed(PoolTold, frozen=True, kw_only=True):
    """What is told after something that may change on which CPUs others' containers run.

    ``updates``: the cpusets that were sent meanwhile; None where none are sent before the reconcile loop's pass.
    """

    updates: tuple[Update, ...] | None = None


class Aligned(Answer, frozen=True):
    """One merge of hints, as told: for a container, or (None) the pod as a whole."""

    container: str | None
    providers: tuple[Offers | None, ...]
    affinity: Affinity
    admit: bool


class Admitted(Changed, tag="admitted", frozen=True, kw_only=True):
    """A pod was admitted."""

    containers: dict[str, Held]
    qos: str | None = None
    alignments: tuple[Aligned, ...] | None = None


class Rejected(Changed, tag="rejected", frozen=True, kw_only=True):
    """A pod was refused."""

    reason: str
    message: str
    qos: str | None = None
    phase: str | None = None
    alignments: tuple[Aligned, ...] | None = None


class PodStarted(Changed, tag="started", frozen=True, kw_only=True):
    """The containers of a pod were started."""

    containers: dict[str, Held]


class UnknownPod(PoolTold, tag="unknown", frozen=True):
    """There is no such pod on the node."""


class Removed(Changed, tag="removed", frozen=True):
    """A pod was taken off the node."""


class Resized(Changed, tag="resized", frozen=True, kw_only=True):
    """A pod has the resources that it asks for now."""

    containers: dict[str, Held]


class ResizePending(PoolTold, tag="pending", frozen=True, kw_only=True):
    """A pod keeps the resources that it had."""

    reason: str
    message: str


class NodeState(Answer, frozen=True):
    """All that is on a node: pod to container to what it holds."""

    default_cpuset: CpuBits
    containers: dict[str, dict[str, Held]]
    memory_state: tuple[MemoryNode, ...] | None = None


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


class Restarted(Changed, tag="restarted", frozen=True, kw_only=True):
    """The node agent came up again."""

    pods: tuple[ReadmittedPod | RejectedPod, ...]


class OfferedDevice(Answer, frozen=True):
    """A device that a device plugin lists; ``nodes``: None without a topology."""

    id: str
    health: str
    nodes: tuple[int, ...] | None = None


class PluginStarted(Outcome, tag="started", frozen=True):
    """A device plugin has registered; ``serves``: None where it is not told whether it answered by then."""

    resource: str
    devices: tuple[OfferedDevice, ...]
    prefers: bool = False
    serves: bool | None = None


class PluginFailed(Outcome, tag="failed", frozen=True):
    """A device plugin has not registered, or lists nothing."""

    message: str


class Preferred(Outcome, tag="preferred", frozen=True):
    """The devices that a device plugin prefers; ``lists``: what it has sent since it was last asked."""

    devices: tuple[str, ...]
    lists: tuple[tuple[OfferedDevice, ...], ...] = ()


class DevicesAllocated(Outcome, tag="allocated", frozen=True):
    """A device plugin has served devices, for so many containers; ``lists``: as of ``Preferred``."""

    containers: int
    lists: tuple[tuple[OfferedDevice, ...], ...] = ()


class PluginRefused(Outcome, tag="refused", frozen=True):
    """A device plugin answered with an error; ``lists``: as of ``Preferred``."""

    message: str
    lists: tuple[tuple[OfferedDevice, ...], ...] = ()


class DriverStarted(Outcome, tag="started", frozen=True):
    """A DRA driver has published what stands in ``spec`` of its ResourceSlices."""

    slices: tuple[dict[str, Any], ...]


class DriverFailed(Outcome, tag="failed", frozen=True):
    """A DRA driver has not registered, or publishes nothing."""

    message: str


class ClaimPrepared(Outcome, tag="prepared", frozen=True):
    """A claim is prepared; ``cpus``: what its container may run on, ``shared``: what containers without a claim may.

    ``claim``: as a scheduler of the target's has allocated it; None where the suite has.
    """

    cpus: CpuBits
    shared: dict[str, CpuBits] | None = None
    claim: AllocatedClaim | None = None


class SharedRuns(Outcome, tag="runs", frozen=True):
    """What containers without a claim may run on, by their names."""

    shared: dict[str, CpuBits]


class ClaimUnprepared(Outcome, tag="unprepared", frozen=True):
    """A claim is prepared no longer."""


class ClaimRefused(Outcome, tag="refused", frozen=True):
    """A DRA driver answered with an error."""

    message: str


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
    "node.resize": Resized | ResizePending | UnknownPod,
    "node.state": NodeState,
    "node.reconcile": Reconciled,
    "node.checkpoints": Checkpoints,
    "node.restart": Restarted | StartFailed,
    "plugin.start": PluginStarted | PluginFailed,
    "plugin.restart": PluginStarted | PluginFailed,
    "plugin.prefer": Preferred | PluginRefused,
    "plugin.allocate": DevicesAllocated | PluginRefused,
    "claims.start": DriverStarted | DriverFailed,
    "claims.restart": DriverStarted | DriverFailed,
    "claims.prepare": ClaimPrepared | ClaimRefused,
    "claims.unprepare": ClaimUnprepared | ClaimRefused,
    "claims.run": SharedRuns | ClaimRefused,
    "claims.end": SharedRuns | ClaimRefused,
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
