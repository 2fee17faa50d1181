"""``MergedHints``: what providers hinted, what came of it, and every way to combine the hints."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import combinations

import msgspec

from ..cpuset import bit_of, bits_of
from ..machine import Machine
from ..wire.history.values import Affinity, Offers, offers_of
from ..wire.messages.merge import Merged
from .questions import MergeQuestion
from .settings import Settings


class Distances(msgspec.Struct, frozen=True):
    """The distances between NUMA nodes. ``nodes``: their ids, in the order of the table. Sets of nodes are bits."""

    table: Sequence[Sequence[int]]
    nodes: tuple[int, ...]

    def nearest(self, sets: Collection[int]) -> frozenset[int]:
        """Return those sets that no other is surely closer than."""
        between = {nodes: self._between(nodes) for nodes in sets}
        others = between.values()
        return frozenset(
            nodes for nodes, distances in between.items() if not any(_closer(other, distances) for other in others)
        )

    def average(self, nodes: int) -> float:
        """Return the average distance between two of the nodes, each node to itself included."""
        places = self._places(nodes)
        return sum(self.table[a][b] for a in places for b in places) / max(len(places), 1) ** 2

    def _between(self, nodes: int) -> list[int]:
        pairs = combinations(self._places(nodes), 2)
        return sorted(max(self.table[a][b], self.table[b][a]) for a, b in pairs)

    def _places(self, nodes: int) -> list[int]:
        """Return where the nodes stand in the table; a hint may name others than the machine has."""
        return [place for place, node in enumerate(self.nodes) if nodes >> node & 1]


def _closer(lefts: list[int], rights: list[int]) -> bool:
    """Tell whether nodes are closer by any measure: the longest distance is shorter, and none in order is longer."""
    return lefts[-1:] < rights[-1:] and all(a <= b for a, b in zip(lefts, rights, strict=False))


Axis = tuple[tuple["int | None", bool], ...]
"""The hints for one resource: NUMA nodes as bits, None where any will do; and whether the hint is preferred."""
NO_OPINION: Axis = ((None, True),)
IMPOSSIBLE: Axis = ((None, False),)


class MergedHints(msgspec.Struct, frozen=True, dict=True):
    """A question and the answer of the surface merge.

    ``nodes``: the NUMA nodes of the machine. ``axes``: the hints, one row for each resource of each provider.
    ``chosen``: the NUMA nodes of the answer, None where it names none. Sets of nodes are bits.
    """

    policy: str
    closest: bool
    nodes: tuple[int, ...]
    distances: Sequence[Sequence[int]] | None
    axes: tuple[Axis, ...]
    chosen: int | None
    preferred: bool
    admit: bool

    @property
    def configuration(self) -> str:
        """What sentences may hang on alone."""
        return self.policy

    @cached_property
    def all_nodes(self) -> int:
        """Every NUMA node."""
        return bits_of(self.nodes)

    @property
    def affinity(self) -> int:
        """The answered nodes; naming none is naming all."""
        return self.all_nodes if self.chosen is None else self.chosen

    @cached_property
    def agreed(self) -> frozenset[int]:
        """The sets of nodes that every provider prefers as they are, or has no opinion about."""
        axes = [frozenset(mask for mask, good in axis if good) for axis in self.axes]
        named = {mask for axis in axes for mask in axis if mask is not None}
        sets = {mask for mask in named if mask & self.all_nodes and all(mask in axis or None in axis for axis in axes)}
        return frozenset(sets | ({self.all_nodes} if all(None in axis for axis in axes) else set()))

    @cached_property
    def overlaps(self) -> frozenset[int]:
        """The nodes that preferred hints have in common, one hint of each provider, in every combination."""
        return self._common([tuple(mask for mask, good in axis if good) for axis in self.axes])

    @cached_property
    def reachable(self) -> frozenset[int]:
        """The same of all hints, preferred or not."""
        return self._common([tuple(mask for mask, _ in axis) for axis in self.axes])

    @property
    def single(self) -> int:
        """The NUMA nodes that every provider prefers alone, or has no opinion about."""
        wide = [frozenset(mask for mask, good in axis if good) for axis in self.axes]
        return bits_of(node for node in self.nodes if all(bit_of(node) in axis or None in axis for axis in wide))

    def narrowest(self) -> frozenset[int]:
        """Return the sets that may be chosen where providers agree.

        Whether preferred hints of different sets can make a preferred affinity of what they have in common is not
        decided: both readings count.
        """
        return frozenset(set(_fewest(self.agreed)) | set(_fewest(self.overlaps)))

    def nearest(self) -> frozenset[int]:
        """Return those of the narrowest that no other set of the same reading is surely closer than."""
        return self.between.nearest(_fewest(self.agreed)) | self.between.nearest(_fewest(self.overlaps))

    @property
    def between(self) -> Distances:
        """The distances between the NUMA nodes; of none where none are told."""
        return Distances(self.distances or [], self.nodes if self.distances else ())

    def _common(self, axes: list[tuple[int | None, ...]]) -> frozenset[int]:
        common = {self.all_nodes}
        for axis in axes:
            common = {nodes if mask is None else nodes & mask for nodes in common for mask in axis} - {0}
        return frozenset(common)


def _fewest(sets: Iterable[int]) -> list[int]:
    by_size = [(nodes.bit_count(), nodes) for nodes in sets]
    least = min(by_size, default=(0, 0))[0]
    return [nodes for size, nodes in by_size if size == least]


def merged(_machine: Machine, question: MergeQuestion, reply: Merged) -> Iterator[MergedHints]:
    """Read one answer of the surface merge."""
    closest = question.options.get("prefer-closest-numa-nodes") == "true"
    axes = axes_of(map(offers_of, question.providers))
    chosen = None if reply.nodes is None else bits_of(reply.nodes)
    yield MergedHints(
        question.policy, closest, tuple(question.nodes), question.distances, axes, chosen, reply.preferred, reply.admit
    )


def merged_by(
    settings: Settings, machine: Machine, axes: tuple[Axis, ...], affinity: Affinity, *, admit: bool
) -> MergedHints:
    """Return a merge that a node made on its way to an admission."""
    closest = settings.topology_options.get("prefer-closest-numa-nodes") == "true"
    distances, chosen = machine.distances, affinity.nodes
    return MergedHints(settings.topology, closest, machine.numa_ids, distances, axes, chosen, affinity.preferred, admit)


def axes_of(providers: Iterable[Offers | None]) -> tuple[Axis, ...]:
    """Return the hints of each resource: none told is no opinion, an empty list is no way."""
    return tuple(_axes(providers))


def _axes(providers: Iterable[Offers | None]) -> Iterator[Axis]:
    for provider in providers:
        if not provider:
            yield NO_OPINION
        for hints in (provider or {}).values():
            if hints is None:
                yield NO_OPINION
            else:
                yield tuple((hint.nodes, hint.preferred) for hint in hints) or IMPOSSIBLE
