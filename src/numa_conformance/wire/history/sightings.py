"""``LiveNode``: the state of a node at work, which is watched and asked nothing."""

from typing import Annotated, TypedDict

import msgspec

from ..message import Message
from .values import BookedBytes, CpuBits, HoldingBits, MemoryBits, NodeId, Number

LIVE_NODE = "node.seen"
"""The method of a step that brings the state of a node at work; no target is asked it."""


class Threads(Message, frozen=True):
    """Threads that may run on the same CPUs and NUMA nodes; both are bits, the latter None where not told."""

    first: Number
    count: Number
    cpus: CpuBits
    mems: CpuBits | None = None

    def __str__(self) -> str:
        return "a thread" if self.count == 1 else f"{self.count} threads"


class Runs(Message, frozen=True):
    """The CPUs and NUMA nodes that a running container runs on, as bits; None where they are not known."""

    written: CpuBits | None = None
    effective: CpuBits | None = None
    mems: CpuBits | None = None
    threads: tuple[Threads, ...] = ()


class LiveHolding(Message, frozen=True):
    """The CPUs, memory and devices that a container of a node at work holds."""

    cpus: CpuBits = CpuBits(0)
    memory: tuple[MemoryBits, ...] | None = None
    devices: dict[str, frozenset[str]] | None = None

    @property
    def held(self) -> HoldingBits:
        """The holding as in the answers of a target."""
        return HoldingBits(self.cpus, None, self.memory, self.devices)


Limit = tuple[Number, Annotated[int, msgspec.Meta(gt=0, le=2**63 - 1)]]


class LiveContainer(LiveHolding, frozen=True):
    """One container of a node at work; ``limit``: its CPU limit, as numerator and denominator."""

    device_nodes: tuple[tuple[NodeId, ...], ...] = ()
    runs: Runs | None = None
    limit: Limit | None = None
    listed: LiveHolding | None = None


class LivePod(Message, frozen=True):
    """One pod of a node at work; ``whole``: it has resources as a whole.

    ``limit``: the CPU limit of its own cgroup, as numerator and denominator. ``gone``: it holds CPUs, and the node
    shows nothing of it.
    """

    containers: dict[str, LiveContainer]
    qos: str | None = None
    whole: bool = False
    limit: Limit | None = None
    gone: bool = False


class LiveStateFile(Message, frozen=True):
    """A state file: the policy it was written under, and why it cannot be read, if so."""

    policy: str
    damage: str | None = None


class LiveMemoryTable(TypedDict):
    """The books of one type of memory of a NUMA node at work, in bytes."""

    total: BookedBytes
    allocatable: BookedBytes
    reserved: BookedBytes
    free: BookedBytes


class LiveMemoryNode(TypedDict):
    """The books of a NUMA node at work."""

    node: NodeId
    tables: dict[str, LiveMemoryTable]


class LiveNode(Message, frozen=True):
    """The pods, state files, pool and books of a node at work."""

    pods: dict[str, LivePod]
    files: dict[str, LiveStateFile]
    default_cpuset: CpuBits | None = None
    reserved_cpus: CpuBits | None = None
    memory_state: tuple[LiveMemoryNode, ...] | None = None
