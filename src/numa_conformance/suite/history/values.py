"""What answers are made of: sets of CPUs and NUMA nodes, hints, memory, what a container holds; their texts read."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Annotated, Any

import msgspec

from ...cpuset import MAX_ID, CpuSet, bits_of, format_bits
from .quantities import read_amount

MOST_NODES = 4096
"""NUMA node ids lie below it: the kernel's own bound is 1,024."""
NodeId = Annotated[int, msgspec.Meta(ge=0, lt=MOST_NODES)]
"""A NUMA node; whether the machine has it is for checkers."""
HintedNode = Annotated[int, msgspec.Meta(ge=-1, lt=MOST_NODES)]
"""The same, or -1: a device plugin may say so of a device that is near none."""
CpuCount = Annotated[int, msgspec.Meta(ge=0, le=MAX_ID + 1)]
"""A number of CPUs, of which a set has no more."""
Number = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
"""Any other whole number: as much as a word of a computer holds."""
Bytes = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]


class CpuBits(int):
    """A set of CPUs as bits; on the wire a text such as ``0-3,8``."""


class NodeBits(int):
    """One or more NUMA nodes as bits; on the wire a list of ids."""


class Amount(int):
    """Bytes in books of memory: a word of a computer, with a sign or, as a kubelet may subtract below 0, without."""


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

    def __str__(self) -> str:
        """Write it for a person."""
        return f"{self.bytes} bytes of {self.type} on NUMA nodes {format_bits(self.nodes)}"


class Held(Answer, frozen=True):
    """What one container was given: exclusive CPUs as bits, its hint, memory blocks, devices by resource.

    ``affinity``, ``memory``, ``devices`` and ``quota`` are None where the target did not tell. ``quota`` is CPU time
    in microseconds per 100,000, not above 0 where there is no bound. ``cpuset`` and ``mems``: the CPUs and NUMA nodes
    that it may use, as bits; None where not told, or where it does not run. ``further``: what managers gave of which
    no requirement speaks.
    """

    cpus: CpuBits
    affinity: Affinity | None = None
    memory: tuple[Block, ...] | None = None
    devices: dict[str, frozenset[str]] | None = None
    quota: Number | None = msgspec.field(default=None, name="cpu_quota")
    cpuset: CpuBits | None = None
    mems: CpuBits | None = None
    further: dict[str, Any] = {}

    def __str__(self) -> str:
        """Write all of it for a person."""
        parts = [f"CPUs {format_bits(self.cpus)}"] if self.cpus else []
        parts += map(str, self.blocks)
        parts += [f"{name} {', '.join(sorted(ids))}" for name, ids in (self.devices or {}).items() if ids]
        return ", ".join(parts) or "nothing of its own"

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Its memory blocks that are not empty."""
        return tuple(block for block in self.memory or () if block.bytes)


class MemoryTable(Answer, frozen=True):
    """The books of one type of memory of a NUMA node, in bytes."""

    total: Amount
    system_reserved: Amount
    allocatable: Amount
    reserved: Amount
    free: Amount


class MemoryNode(Answer, frozen=True):
    """The books of a NUMA node, as the Memory Manager keeps them."""

    node: NodeId
    assignments: Number
    group: tuple[NodeId, ...]
    free: dict[str, Amount] | None = None
    tables: dict[str, MemoryTable] | None = None


def read_text(kind: type, value: Any) -> Any:
    """Read what has a form of its own on the wire; raises ``ValueError``."""
    if kind is CpuBits and isinstance(value, str):
        return _cpus(value)
    if kind is Amount and type(value) is int and -(2**63) <= value < 2**64:
        return Amount(value)
    if kind is Fraction:
        return read_amount(kind, value)
    if kind is NodeBits and isinstance(value, (list, tuple)) and value:
        if any(type(node) is not int or not 0 <= node < MOST_NODES for node in value):
            raise ValueError(f"{list(value)[:10]!r:.80} are no NUMA nodes")
        return NodeBits(bits_of(value))
    wanted = {CpuBits: "set of CPUs", NodeBits: "set of NUMA nodes"}.get(kind, "number of 64 bits")
    raise ValueError(f"{value!r:.80} is no {wanted}")


@lru_cache(maxsize=1024)
def _cpus(text: str) -> CpuBits:
    return CpuBits(CpuSet.parse(text).bits)
