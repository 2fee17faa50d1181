"""The parts of answers as judges compute with them: sets of CPUs and NUMA nodes are bits not texts and lists."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Annotated, Any

import msgspec

from ...cpuset import MAX_ID, CpuSet, Unchecked, bits_of, format_bits
from ..message import Message
from ..messages import node as messages
from ..values import HintLists, HintValue
from .quantities import read_amount, size_text

MOST_NODES = 4096
"""NUMA node ids lie below it: the kernel's own bound is 1,024."""
NodeId = Annotated[Unchecked, msgspec.Meta(ge=0, lt=MOST_NODES)]
"""A NUMA node; whether the machine has it is for checkers."""
MaybeNode = Annotated[Unchecked, msgspec.Meta(ge=-1, lt=MOST_NODES)]
"""The same, or -1: a device plugin may say so of a device that is near none."""
CpuId = Annotated[Unchecked, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
"""A CPU, or a number that is none and is passed over."""
CpuCount = Annotated[Unchecked, msgspec.Meta(ge=0, le=MAX_ID + 1)]
"""The size of a set of CPUs."""
Number = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
"""Any other whole number: as much as a word of a computer holds."""
Bytes = Annotated[Unchecked, msgspec.Meta(ge=0, le=2**63 - 1)]


class CpuBits(int):
    """A set of CPUs as bits; on the wire a text such as ``0-3,8``."""


class NodeBits(int):
    """One or more NUMA nodes as bits; on the wire a list of ids."""


def nodes_text(nodes: int) -> str:
    """Write NUMA nodes, which are bits, for a person."""
    return f"NUMA node{'s' * (nodes.bit_count() > 1)} {format_bits(nodes)}" if nodes else "no NUMA node"


class BookedBytes(int):
    """Bytes in books of memory, of 64 bits with a sign or without, as a kubelet may subtract below 0."""


class Affinity(Message, frozen=True):
    """``HintValue`` with bits: NUMA nodes (None: any), and whether they are preferred."""

    nodes: NodeBits | None
    preferred: bool


Offers = dict[str, tuple[Affinity, ...] | None]
"""The hints of one provider by resource; None is no opinion."""


class MemoryBits(Message, frozen=True):
    """``MemoryBlock`` with bits: memory of one type, in bytes, on NUMA nodes."""

    type: str
    bytes: Bytes
    nodes: NodeBits

    def __str__(self) -> str:
        """Write it for a person."""
        return f"{size_text(self.bytes)} of {self.type} on {nodes_text(self.nodes)}"


class HoldingBits(Message, frozen=True):
    """``ContainerHolding`` with bits: the exclusive CPUs of a container, its hint, memory blocks, devices by resource.

    ``affinity``, ``memory``, ``devices`` and ``quota`` are None where the target leaves them out. ``quota`` is CPU time
    in microseconds per 100,000; without a bound it is 0 or less. ``cpuset`` and ``mems``: the CPUs and NUMA nodes that
    the container may use; None where the target leaves them out, or the container does not run.
    """

    cpus: CpuBits
    affinity: Affinity | None = None
    memory: tuple[MemoryBits, ...] | None = None
    devices: dict[str, frozenset[str]] | None = None
    quota: Number | None = msgspec.field(default=None, name="cpu_quota")
    cpuset: CpuBits | None = None
    mems: CpuBits | None = None

    def __str__(self) -> str:
        """Write all of it for a person."""
        parts = [f"CPUs {format_bits(self.cpus)}"] if self.cpus else []
        parts += map(str, self.blocks)
        parts += [f"{name} {', '.join(sorted(ids))}" for name, ids in self.devices_by_resource.items()]
        return ", ".join(parts) or "nothing of its own"

    @property
    def blocks(self) -> tuple[MemoryBits, ...]:
        """Its memory blocks that are not empty."""
        return tuple(block for block in self.memory or () if block.bytes)

    @property
    def devices_by_resource(self) -> dict[str, frozenset[str]]:
        """Resource to the ids of its devices, without empty resources."""
        return {name: ids for name, ids in (self.devices or {}).items() if ids}

    @property
    def each_device(self) -> set[tuple[str, str]]:
        """Resource and id of each of its devices."""
        return {(name, id) for name, ids in (self.devices or {}).items() for id in ids}


class UpdateBits(Message, frozen=True):
    """``Update`` with bits: a cpuset that was sent to the container runtime; ``mems``: None without NUMA nodes."""

    uid: str
    container: str
    cpus: CpuBits
    mems: CpuBits | None = None


class AlignmentBits(Message, frozen=True):
    """``Alignment`` with bits: one merge of hints, for a container or (None) the pod as a whole."""

    container: str | None
    providers: tuple[Offers | None, ...]
    affinity: Affinity
    admit: bool


class IdText(str):
    """A text that is a set of CPUs, or of NUMA nodes."""


class NodeList(list[int]):
    """Numbers that are NUMA nodes."""


def read_text(kind: type, value: Any) -> Any:
    """Read a value that has another form on the wire; raises ``ValueError``."""
    if kind is NodeList or kind is NodeBits:
        if isinstance(value, (list, tuple)) and value:
            nodes = _node_bits(value)
            return nodes if kind is NodeBits else NodeList(value)
    elif kind is IdText or kind is CpuBits:
        if isinstance(value, str):
            return _id_text(value) if kind is IdText else _cpu_bits(value)
    elif kind is Fraction:
        return read_amount(kind, value)
    elif kind is BookedBytes and type(value) is int and -(2**63) <= value < 2**64:
        return BookedBytes(value)
    wanted = _FORMS.get(kind, "number of 64 bits")
    raise ValueError(f"{value!r:.80} is no {wanted}")


def _node_bits(ids: Sequence[Any]) -> NodeBits:
    try:
        return _nodes(*ids)
    except (TypeError, ValueError):
        raise ValueError(f"{list(ids)[:10]!r:.80} are no NUMA nodes") from None


_FORMS = {**dict.fromkeys((CpuBits, IdText), "set of CPUs"), **dict.fromkeys((NodeBits, NodeList), "set of NUMA nodes")}


@lru_cache(maxsize=4096)
def bits(text: str) -> int:
    """Return a set of CPUs or of NUMA nodes as bits; raises ``ValueError`` where a text is none."""
    return CpuSet.parse(text).bits


def optional_bits(text: str | None) -> int | None:
    """Return the same; None where nothing is told."""
    return None if text is None else bits(text)


@lru_cache(maxsize=4096)
def _cpu_bits(text: str) -> CpuBits:
    return CpuBits(bits(text))


@lru_cache(maxsize=4096)
def _id_text(text: str) -> IdText:
    bits(text)
    return IdText(text)


@lru_cache(maxsize=4096, typed=True)
def _nodes(*ids: int) -> NodeBits:
    if not all(type(node) is int and 0 <= node < MOST_NODES for node in ids):
        raise ValueError
    return NodeBits(bits_of(ids))


def affinity_of(hint: HintValue | None) -> Affinity | None:
    """Read a hint of a message."""
    return None if hint is None else _affinity(hint)


def _affinity(hint: HintValue) -> Affinity:
    return Affinity(None if hint.nodes is None else _nodes(*hint.nodes), hint.preferred)


def offers_of(hints: HintLists | None) -> Offers | None:
    """Read the hints of a provider in a message."""
    if hints is None:
        return None
    return {kind: None if offered is None else tuple(map(_affinity, offered)) for kind, offered in hints.items()}


def holdings_of(containers: Mapping[str, messages.ContainerHolding]) -> dict[str, HoldingBits]:
    """Read the holdings of the containers of an answer."""
    held: dict[str, HoldingBits] = _in_bits(containers, dict[str, HoldingBits])
    return held


def aligned_of(merges: Sequence[messages.Alignment] | None) -> tuple[AlignmentBits, ...] | None:
    """Read the merges of hints in an answer; None where they are not told."""
    return None if merges is None else tuple(_in_bits(merges, list[AlignmentBits]))


def updates_of(updates: Sequence[messages.Update] | None) -> tuple[UpdateBits, ...] | None:
    """Read the cpusets of an answer; None where they are not told."""
    return None if updates is None else tuple(_in_bits(updates, list[UpdateBits]))


def _in_bits(values: object, kind: Any) -> Any:
    """Return parts of an answer, which was held to more than its form, in the classes that compute."""
    return msgspec.convert(values, kind, from_attributes=True, dec_hook=read_text)
