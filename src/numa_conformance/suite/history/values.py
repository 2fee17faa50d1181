"""What answers are made of: sets of CPUs and NUMA nodes, hints, memory, what a container holds; their texts read."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Annotated, Any

import msgspec

from ...cpuset import CpuSet, format_bits
from .quantities import read_amount

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
    quota: int | None = msgspec.field(default=None, name="cpu_quota")
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


def read_text(kind: type, value: Any) -> Any:
    """Read what has a form of its own on the wire; raises ``ValueError``."""
    if kind is CpuBits and isinstance(value, str):
        return _cpus(value)
    if kind is Fraction:
        return read_amount(kind, value)
    if kind is NodeBits and isinstance(value, (list, tuple)) and value:
        nodes = 0
        for node in value:
            if type(node) is not int or not 0 <= node < MOST_NODES:
                raise ValueError(f"{list(value)[:10]} are no NUMA nodes")
            nodes |= 1 << node
        return NodeBits(nodes)
    raise ValueError(f"{value!r:.80} is no set of {'CPUs' if kind is CpuBits else 'NUMA nodes'}")


@lru_cache(maxsize=1024)
def _cpus(text: str) -> CpuBits:
    return CpuBits(CpuSet.parse(text).bits)
