"""What a node answers: sets of ids are bits of an int, memory is as its manager keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..hostfs import CgroupUpdate as Update
from ..managers.hint import Hint
from ..managers.memory import Block, NodeMemory

__all__ = [
    "Admission",
    "Books",
    "Initial",
    "NodeState",
    "Placement",
    "Reconciled",
    "Restarted",
    "Skipped",
    "Update",
]


@dataclass(frozen=True, slots=True)
class Placement:
    """What one container was given.

    ``cpus``: exclusive CPUs, 0 when the container runs in the shared pool. ``affinity``: the hint stored for it, None
    under topology policy none. ``memory``: blocks sorted by type, None unless the Memory Manager is Static.
    ``devices``: resource to sorted ids, None on a machine without devices.
    """

    cpus: int
    affinity: Hint | None
    memory: tuple[Block, ...] | None
    devices: Mapping[str, tuple[str, ...]] | None


Books = Mapping[int, NodeMemory]
"""NUMA node to its memory, ascending: a copy that later decisions do not change."""


@dataclass(frozen=True, slots=True)
class Initial:
    """A node that has come up. ``reserved`` and ``allocatable`` are None under CPU policy none."""

    default: int
    reserved: int | None
    allocatable: int | None
    memory: Books | None


@dataclass(frozen=True, slots=True)
class Admission:
    """The answer to one pod. ``reason`` and ``message`` are set when it is refused; ``placements`` when admitted."""

    uid: str
    qos: str
    default: int
    memory: Books | None
    placements: Mapping[str, Placement] | None = None
    reason: str | None = None
    message: str | None = None

    @property
    def admitted(self) -> bool:
        """Tell whether the pod is on the node."""
        return self.reason is None

    @property
    def pod_phase(self) -> str:
        """The phase in the pod's status as a user sees it (CPU-ADM-06, TOPO-FAIL-05)."""
        return "Pending" if self.admitted else "Failed"

    @property
    def pod_message(self) -> str | None:
        """The message in the pod's status as a user sees it."""
        return None if self.message is None else f"Pod was rejected: {self.message}"


@dataclass(frozen=True, slots=True)
class NodeState:
    """All that is on the node now: pod uid to container to placement."""

    default: int
    memory: Books | None
    pods: Mapping[str, Mapping[str, Placement]]


@dataclass(frozen=True, slots=True)
class Skipped:
    """A container that a reconcile pass could not handle."""

    uid: str
    container: str


@dataclass(frozen=True, slots=True)
class Reconciled:
    """One pass of the reconcile loop: updates in the order sent, the number of containers handled, those skipped."""

    updates: tuple[Update, ...]
    handled: int
    skipped: tuple[Skipped, ...]


@dataclass(frozen=True, slots=True)
class Restarted:
    """A node that came up again: every pod that was on it, admitted again in the order of first admission."""

    pods: tuple[Admission, ...]
    default: int
    memory: Books | None
