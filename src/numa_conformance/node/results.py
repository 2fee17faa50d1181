"""What a node answers. One frozen class per outcome; sets of ids are bits of an int."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..hostfs import CgroupUpdate as Update
from ..managers.hint import Hint

__all__ = [
    "Admission",
    "Initial",
    "MemoryBlock",
    "MemoryNodeState",
    "MemoryTable",
    "NodeState",
    "Placement",
    "Reconciled",
    "Restarted",
    "Skipped",
    "Update",
]


@dataclass(frozen=True, slots=True)
class MemoryBlock:
    """Memory of one type (``memory`` or ``hugepages-<size>``) granted to a container, in bytes, on NUMA nodes."""

    type: str
    bytes: int
    nodes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Placement:
    """What one container was given.

    ``cpus``: exclusive CPUs, 0 when the container runs in the shared pool. ``affinity``: the hint stored for it, None
    under topology policy none. ``memory``: blocks sorted by type, None unless the Memory Manager is Static.
    ``devices``: resource to sorted ids, None on a machine without devices.
    """

    cpus: int
    affinity: Hint | None
    memory: tuple[MemoryBlock, ...] | None
    devices: Mapping[str, tuple[str, ...]] | None


@dataclass(frozen=True, slots=True)
class MemoryTable:
    """The books of one resource on one NUMA node, in bytes (MEM-STATE-01..03)."""

    total: int
    system_reserved: int
    allocatable: int
    reserved: int
    free: int


@dataclass(frozen=True, slots=True)
class MemoryNodeState:
    """One NUMA node as the Memory Manager keeps it: ``group`` is the nodes it is grouped with, itself included."""

    node: int
    assignments: int
    group: tuple[int, ...]
    tables: Mapping[str, MemoryTable]


@dataclass(frozen=True, slots=True)
class Initial:
    """A node that has come up. ``reserved`` and ``allocatable`` are None under CPU policy none."""

    default: int
    reserved: int | None
    allocatable: int | None
    memory: tuple[MemoryNodeState, ...] | None


@dataclass(frozen=True, slots=True)
class Admission:
    """The answer to one pod. ``reason`` and ``message`` are set when it is refused; ``placements`` when admitted."""

    uid: str
    qos: str
    default: int
    memory: tuple[MemoryNodeState, ...] | None
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
    memory: tuple[MemoryNodeState, ...] | None
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
    memory: tuple[MemoryNodeState, ...] | None
