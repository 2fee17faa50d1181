"""``HintRequest``: what decides the hints of one request, and the hints it makes (CPU-HINT-08..10)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import accumulate

from ...errors import Fault, UsageError
from ..hint import Hint
from .subsets import subset_sums
from .topology import CpuTopology

__all__ = ["HintRequest"]

MOST_NODES = 20
"""Hints are listed over at most so many NUMA nodes with CPUs: over n nodes there are 2**n - 1."""


@dataclass(frozen=True, slots=True)
class HintRequest:
    """A request for CPUs as hints see it. Lists are per NUMA node with CPUs, ascending by node id.

    ``needed``: CPUs asked for. ``available``: free CPUs per node. ``reusable``: CPUs the pod may use again, already
    counted as met. ``mandatory``: nodes (bit *i* = *i*-th node) that a hint has to include. ``possible``: False when
    no set of nodes will do.
    """

    topology: CpuTopology
    needed: int
    available: tuple[int, ...]
    reusable: int = 0
    mandatory: int = 0
    possible: bool = True

    @classmethod
    def of(cls, topology: CpuTopology, needed: int, available: int, reusable: int = 0) -> HintRequest:
        """Count the free CPUs (bits) per node; ``reusable`` CPUs (bits) tie the hint to their nodes."""
        masks = topology.nodes.masks
        mandatory = sum(1 << i for i, mask in enumerate(masks) if mask & reusable) if reusable else 0
        return cls(
            topology,
            needed,
            tuple([(available & mask).bit_count() for mask in masks]),
            reusable.bit_count(),
            mandatory,
            not reusable & ~topology.all,
        )

    def impossible(self) -> HintRequest:
        """Return the same request with no set of nodes that will do (CPU-HINT-04)."""
        return replace(self, possible=False)

    @property
    def capacity(self) -> tuple[int, ...]:
        """All CPUs per node, used ones included."""
        return self.topology.nodes.sizes

    @property
    def smallest(self) -> int:
        """How many nodes an empty machine needs: hints of that size are preferred."""
        return self.topology.subsets.smallest_size(self.needed)

    def hints(self, *, by_socket: bool = False, sizes_too: bool = True) -> list[Hint]:
        """List the sets of nodes that can serve the request: by size, then lexicographic.

        With ``by_socket`` (``align-by-socket``) sets that touch as few sockets as needed are preferred; ``sizes_too``
        keeps those of the smallest size preferred beside them (CPU-HINT-10). Raises ``UsageError`` where there are
        too many sets to list.
        """
        if not self.possible or not self.available:
            return []
        if len(self.available) > MOST_NODES:
            raise UsageError(
                Fault("", f"CPU hints over {len(self.available)} NUMA nodes cannot be listed", f"at most {MOST_NODES}")
            )
        subsets = self.topology.subsets
        by_size = self._flagged(by_socket=by_socket, sizes_too=sizes_too)
        missing = self.needed - self.reusable
        ordered = sorted(self.available)
        least = list(accumulate(ordered))
        most = list(accumulate(reversed(ordered)))
        sums: list[int] | None = None
        found: list[Hint] = []
        for size, hints in enumerate(by_size, 1):
            if most[size - 1] < missing or size < self.mandatory.bit_count():
                continue
            if least[size - 1] >= missing and not self.mandatory:
                found += hints
                continue
            if sums is None:
                sums = subset_sums(self.available)
            found += subsets.that_hold(size, hints, sums, missing, self.mandatory)
        return found

    def _flagged(self, *, by_socket: bool, sizes_too: bool) -> tuple[tuple[Hint, ...], ...]:
        topology, smallest = self.topology, self.smallest
        per_socket = topology.num_nodes // topology.num_sockets if by_socket and topology.num_sockets else 0
        if not per_socket:
            return topology.subsets.by_size(smallest)
        return topology.subsets.by_socket(smallest if sizes_too else 0, -(-smallest // per_socket))
