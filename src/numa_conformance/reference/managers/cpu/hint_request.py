"""``HintRequest``: what decides the hints of one request, and the hints it makes (CPU-HINT-08..10)."""

from collections.abc import Callable
from itertools import accumulate

import msgspec
from msgspec.structs import replace

from ....errors import Fault, UsageError
from ..hint import Hint
from .subsets import subset_sums
from .topology import CpuTopology

Preference = Callable[[CpuTopology, int], tuple[tuple[Hint, ...], ...]]
"""(topology, NUMA nodes needed on an empty machine) to all hints by size, the preferred ones flagged."""

MOST_NODES = 20
"""Hints are listed over at most so many NUMA nodes with CPUs: over n nodes there are 2**n - 1."""


def fewest_nodes(topology: CpuTopology, smallest: int) -> tuple[tuple[Hint, ...], ...]:
    """Prefer the sets of as few NUMA nodes as an empty machine needs (CPU-HINT-09)."""
    return topology.subsets.by_size(smallest)


class HintRequest(msgspec.Struct, frozen=True):
    """A request for CPUs as hints see it. Lists are per NUMA node with CPUs, ascending by node id.

    ``needed``: CPUs asked for. ``available``: free CPUs per node. ``reusable``: CPUs the pod may use again, already
    counted as met. ``mandatory``: nodes (bit *i* = *i*-th node) that a hint has to include. ``possible``: False when
    no set of nodes will do. ``fits``: whether a set of nodes, a bit for each id, can serve it; None: numbers decide.
    """

    topology: CpuTopology
    needed: int
    available: tuple[int, ...]
    reusable: int = 0
    mandatory: int = 0
    possible: bool = True
    fits: Callable[[int], bool] | None = None

    @classmethod
    def of(cls, topology: CpuTopology, needed: int, available: int, reusable: int = 0) -> "HintRequest":
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

    def impossible(self) -> "HintRequest":
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

    def hints(self, preference: Preference | None = None) -> list[Hint]:
        """List the sets of nodes that can serve the request: by size, then lexicographic.

        ``preference`` says which are preferred, by default ``fewest_nodes``. Raises ``UsageError`` where there are too
        many sets to list.
        """
        if not self.possible or not self.available:
            return []
        if len(self.available) > MOST_NODES:
            raise UsageError(
                Fault("", f"CPU hints over {len(self.available)} NUMA nodes cannot be listed", f"at most {MOST_NODES}")
            )
        subsets = self.topology.subsets
        by_size = (preference or fewest_nodes)(self.topology, self.smallest)
        missing = self.needed - self.reusable
        ordered = sorted(self.available)
        least = list(accumulate(ordered))
        most = list(accumulate(reversed(ordered)))
        sums: list[int] | None = None
        fitting: list[Hint] = []
        for size, hints in enumerate(by_size, 1):
            if most[size - 1] < missing or size < self.mandatory.bit_count():
                continue
            if least[size - 1] >= missing and not self.mandatory:
                fitting += hints
                continue
            if sums is None:
                sums = subset_sums(self.available)
            fitting += subsets.that_hold(size, hints, sums, missing, self.mandatory)
        return fitting if self.fits is None else [hint for hint in fitting if self.fits(hint.mask or 0)]
