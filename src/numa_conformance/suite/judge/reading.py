"""Reading the texts of answers: sets of CPUs, hints, memory blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...cpuset import CpuSet
from ...errors import CpuSetSyntaxError

__all__ = ["Affinity", "Block", "UnreadableError", "affinity_of", "blocks_of", "nodes_of", "read_bits"]


class UnreadableError(ValueError):
    """An answer of the right shape whose texts say nothing: no set of CPUs, say."""


@dataclass(frozen=True, slots=True)
class Affinity:
    """A hint: NUMA nodes as bits (None: any), and whether it is preferred."""

    nodes: int | None
    preferred: bool


@dataclass(frozen=True, slots=True)
class Block:
    """Memory of one type, in bytes, on NUMA nodes as bits."""

    type: str
    bytes: int
    nodes: int


def read_bits(text: str, field: str) -> int:
    """Read a set of CPUs that a target answered; raises ``UnreadableError``."""
    try:
        return CpuSet.parse(text).bits
    except CpuSetSyntaxError as error:
        raise UnreadableError(f"{field}: {error}") from error


def affinity_of(answer: Mapping[str, Any] | None) -> Affinity | None:
    """Read a hint."""
    if answer is None:
        return None
    return Affinity(nodes_of(answer.get("nodes")), bool(answer.get("preferred")))


def blocks_of(answer: Sequence[Mapping[str, Any]] | None) -> tuple[Block, ...] | None:
    """Read memory blocks."""
    if answer is None:
        return None
    return tuple(Block(block["type"], block["bytes"], nodes_of(block["nodes"]) or 0) for block in answer)


def nodes_of(ids: Sequence[int] | None) -> int | None:
    """Read NUMA nodes as bits; None is None. Raises ``UnreadableError``."""
    if ids is None:
        return None
    if any(not 0 <= node < 4096 for node in ids):
        raise UnreadableError(f"NUMA nodes {list(ids)}")
    return sum({1 << node for node in ids})
