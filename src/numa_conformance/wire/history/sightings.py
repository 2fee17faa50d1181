"""``Seen``: what is told of a node at work, which is watched and asked nothing."""

from __future__ import annotations

from typing import Annotated, TypedDict

import msgspec

from ..message import Message
from .values import Amount, Block, CpuBits, Held, NodeId, Number

SEEN = "node.seen"
"""The method of a step that tells what was seen of a node at work; no target is asked it."""


class Threads(Message, frozen=True):
    """Threads that may run on the same CPUs and NUMA nodes; both are bits, the latter None where not told."""

    first: Number
    count: Number
    cpus: CpuBits
    mems: CpuBits | None = None

    def __str__(self) -> str:
        """Say how many they are."""
        return "a thread" if self.count == 1 else f"{self.count} threads"


class Runs(Message, frozen=True):
    """What a running container was seen to run on, as bits; None where it was not told."""

    written: CpuBits | None = None
    effective: CpuBits | None = None
    mems: CpuBits | None = None
    threads: tuple[Threads, ...] = ()


class SeenHeld(Message, frozen=True):
    """What a container of a node at work was seen to hold."""

    cpus: CpuBits = CpuBits(0)
    memory: tuple[Block, ...] | None = None
    devices: dict[str, frozenset[str]] | None = None

    @property
    def held(self) -> Held:
        """The same as the answers of a target have it."""
        return Held(self.cpus, None, self.memory, self.devices)


Limit = tuple[Number, Annotated[int, msgspec.Meta(gt=0, le=2**63 - 1)]]


class SeenInPod(SeenHeld, frozen=True):
    """One container of a node at work; ``limit``: its CPU limit, as numerator and denominator."""

    device_nodes: tuple[tuple[NodeId, ...], ...] = ()
    runs: Runs | None = None
    limit: Limit | None = None
    listed: SeenHeld | None = None


class SeenPod(Message, frozen=True):
    """One pod of a node at work; ``whole``: it has resources as a whole.

    ``limit``: the CPU limit of its own cgroup, as numerator and denominator. ``gone``: it holds CPUs, and the node
    shows nothing of it.
    """

    containers: dict[str, SeenInPod]
    qos: str | None = None
    whole: bool = False
    limit: Limit | None = None
    gone: bool = False


class FileSeen(Message, frozen=True):
    """A state file: the policy it was written under, and why it cannot be read, if so."""

    policy: str
    damage: str | None = None


class SeenTable(TypedDict):
    """The books of one type of memory of a NUMA node at work, in bytes."""

    total: Amount
    allocatable: Amount
    reserved: Amount
    free: Amount


class SeenNode(TypedDict):
    """The books of a NUMA node at work."""

    node: NodeId
    tables: dict[str, SeenTable]


class Seen(Message, frozen=True):
    """All that was seen of a node at work."""

    pods: dict[str, SeenPod]
    files: dict[str, FileSeen]
    default_cpuset: CpuBits | None = None
    reserved_cpus: CpuBits | None = None
    memory_state: tuple[SeenNode, ...] | None = None
