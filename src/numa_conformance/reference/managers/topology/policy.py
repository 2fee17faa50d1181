"""The Topology Manager's policies: what is merged and admitted (TOPO-POL), and which sets are close (TOPO-DIST)."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import Any

from ....cpuset import iter_bits
from ....errors import Fault, KubeletCrashes, StartError, UsageError
from ....kube.features import FeatureGates
from ....kube.kubelet_config import KubeletConfiguration
from ....sources.options import TopologyOptions
from ....sources.policies import TOPOLOGY_POLICIES, TOPOLOGY_SCOPES
from ....sources.quirks.areas import TopologyQuirks
from ..departures import Documented
from ..hint import HIGHEST_NODE, Hint
from ..provider import Answer
from .merge import (
    Axis,
    Fitness,
    MergedHint,
    axes_of,
    bound_of,
    each_axis,
    merge_axes,
    narrower,
    single_node_axis,
    size_rank,
)
from .options import STAGE, parse_options

Distances = Sequence[Sequence[int]]
MOST_COMBINATIONS = 1_000_000


def closer(numa_ids: Sequence[int], distances: Distances) -> Fitness:
    """Order masks of one size by average distance over all ordered pairs, self included (TOPO-DIST-01..03)."""
    place_of = {node: place for place, node in enumerate(numa_ids)}
    return _by_average(lambda node, other: distances[place_of[node]][place_of[other]])


def closer_by_id(numa_ids: Sequence[int], distances: Distances) -> Fitness:
    """Order masks as the kubelet does: it takes a node's id for its column (quirk ``distances-by-node-id``).

    Masks with a node that has no such column come last: the kubelet crashes before it can choose one for its distance.
    """
    place_of = {node: place for place, node in enumerate(numa_ids)}

    def distance(node: int, other: int) -> float:
        return distances[place_of[node]][other] if other < len(numa_ids) else float("inf")

    return _by_average(distance)


def _by_average(distance: Callable[[int, int], float]) -> Fitness:
    known: dict[int, tuple[float, ...]] = {}

    def key(mask: int) -> tuple[float, ...]:
        fitness = known.get(mask)
        if fitness is None:
            nodes = list(iter_bits(mask))
            total = sum(distance(node, other) for node in nodes for other in nodes)
            fitness = known[mask] = (total / len(nodes) ** 2, mask)
        return fitness

    return key


def fold_axes(axes: Sequence[Axis], everything: int, fitness: Fitness, unreadable: int) -> Hint:
    """Merge combination by combination, as the kubelet does, to find out whether it crashes (TOPO-DIST-04).

    Averages are taken when two different masks of one size meet. Raises ``KubeletCrashes`` when one has a node of
    ``unreadable``, and ``UsageError`` where there are more combinations than can be looked at.
    """
    bound = bound_of(axes)
    best: Hint | None = None
    for combination in _combinations(axes):
        masks = {hint.mask for hint in combination if hint.mask is not None}
        merged = everything
        for mask in masks:
            merged &= mask
        if not merged:
            continue
        candidate = Hint(merged, all(hint.preferred for hint in combination) and len(masks) < 2)
        best = candidate if best is None else _fitter(best, candidate, bound, fitness, unreadable)
    return best or Hint(everything, False)


def _fitter(best: Hint, candidate: Hint, bound: int, fitness: Fitness, unreadable: int) -> Hint:
    if best.preferred != candidate.preferred:
        return best if best.preferred else candidate
    old, new = best.mask or 0, candidate.mask or 0
    if old.bit_count() != new.bit_count():
        if best.preferred:
            return min(best, candidate, key=lambda hint: (hint.mask or 0).bit_count())
        return candidate if size_rank(new, bound) < size_rank(old, bound) else best
    if old == new:
        return best
    if (old | new) & unreadable:
        node = next(iter_bits((old | new) & unreadable))
        raise KubeletCrashes("distances-by-node-id", f"the table of distances has no column {node}")
    return candidate if fitness(new) < fitness(old) else best


def _combinations(axes: Sequence[Axis]) -> Iterator[tuple[Hint, ...]]:
    """Yield one hint per axis, the last axis fastest."""
    listed: list[Iterable[Hint]] = [list(islice(axis, MOST_COMBINATIONS)) for axis in axes]
    for number, combination in enumerate(product(*listed)):
        if number == MOST_COMBINATIONS:
            raise UsageError(Fault("", "the hints have too many combinations", f"at most {MOST_COMBINATIONS}"))
        yield combination


@dataclass(frozen=True)
class TopologyPolicy(Documented):
    """One policy on one machine. ``everything`` is the mask of all NUMA nodes, with or without CPUs.

    ``aligns``: it asks for hints and merges them. ``one_node_only``: of the hints it looks at those of one NUMA node.
    ``admits_unaligned``: a pod is admitted also where the merged hint is not preferred.
    """

    name: str
    scope: str
    everything: int
    fitness: Fitness = narrower
    aligns: bool = True
    one_node_only: bool = False
    admits_unaligned: bool = False

    @property
    def aligns_whole_pods(self) -> bool:
        """Whether the containers of a pod get one hint, merged from what the pod as a whole asks for."""
        return self.scope == "pod"

    def merge(self, answers: Iterable[Answer]) -> MergedHint:
        """Merge the providers' answers and say whether the policy admits the pod with the result.

        Raises ``KubeletCrashes`` where the kubelet gives no answer.
        """
        if not self.aligns:
            return MergedHint(Hint(None, False), True)
        hint = self._on_one_node(answers) if self.one_node_only else self._on_all_nodes(axes_of(answers))
        return MergedHint(hint, hint.preferred or self.admits_unaligned)

    def _on_all_nodes(self, axes: Sequence[Axis]) -> Hint:
        return merge_axes(axes, self.everything, self.fitness)

    def _on_one_node(self, answers: Iterable[Answer]) -> Hint:
        """Merge what is left of each axis (TOPO-POL-05); where nothing is left of one the others need no look."""
        left = []
        for axis in each_axis(answers):
            hints = single_node_axis(axis)
            if not hints:
                return Hint(None, False)
            left.append(hints)
        hint = merge_axes(left, self.everything)
        return Hint(None, hint.preferred) if hint.mask == self.everything else hint

    def closest_first(self, numa_ids: Sequence[int], distances: Distances) -> "TopologyPolicy":
        """Return the policy that prefers the closest of as many NUMA nodes; ``distances`` has a row for each."""
        return replace(self, fitness=closer(numa_ids, distances))


class _NodePast63(TopologyPolicy, quirk="node_past_63_crashes"):
    """Crashes at the first pod on a machine whose NUMA nodes do not fit in a word."""

    def merge(self, answers: Iterable[Answer]) -> MergedHint:
        if self.aligns and self.everything >> (HIGHEST_NODE + 1):
            highest = self.everything.bit_length() - 1
            raise KubeletCrashes("node-past-63-crashes", f"NUMA node {highest} fits in no mask")
        return super().merge(answers)


@dataclass(frozen=True)
class _DistancesById(TopologyPolicy, quirk="distances_by_node_id"):
    """Takes a node's id for its column of the distances; ``unreadable`` are the nodes at whose distance it crashes."""

    unreadable: int = 0

    def _on_all_nodes(self, axes: Sequence[Axis]) -> Hint:
        if self.unreadable:
            return fold_axes(axes, self.everything, self.fitness, self.unreadable)
        return super()._on_all_nodes(axes)

    def closest_first(self, numa_ids: Sequence[int], distances: Distances) -> TopologyPolicy:
        gaps = self.everything >> len(numa_ids) << len(numa_ids)
        if not gaps:
            return super().closest_first(numa_ids, distances)
        return replace(self, fitness=closer_by_id(numa_ids, distances), unreadable=gaps)


_POLICIES: Mapping[str, Mapping[str, Any]] = {
    "none": {"aligns": False},
    "best-effort": {"admits_unaligned": True},
    "restricted": {},
    "single-numa-node": {"one_node_only": True},
}


def make_topology_policy(
    config: KubeletConfiguration,
    numa_ids: Sequence[int],
    distances: Distances | None,
    gates: FeatureGates,
    quirks: TopologyQuirks,
) -> TopologyPolicy:
    """Build the policy a configuration asks for; raises ``StartError`` in the kubelet's order (TOPO-OPT-09).

    Under policy none nothing is checked (TOPO-OPT-06), or to v1.27 all but the number of NUMA nodes.
    """
    name, scope = config.topology_manager_policy, config.topology_manager_scope
    if name == "none" and gates.changes.topology_options_unread_under_none:
        return policy_of(name, scope, TopologyOptions(), numa_ids, distances, quirks)
    options = parse_options(config.topology_manager_policy_options, gates, quirks, nodes=len(numa_ids))
    _require_distances(options, distances)
    if name != "none" and len(numa_ids) > options.max_allowable_numa_nodes:
        raise StartError(STAGE, f"unsupported on machines with more than {options.max_allowable_numa_nodes} NUMA Nodes")
    if name not in TOPOLOGY_POLICIES:
        raise StartError(STAGE, f'unknown policy: "{name}"')
    if scope not in TOPOLOGY_SCOPES:
        raise StartError(STAGE, f'unknown scope: "{scope}"')
    return policy_of(name, scope, options, numa_ids, distances, quirks)


def policy_of(
    name: str,
    scope: str,
    options: TopologyOptions,
    numa_ids: Sequence[int],
    distances: Distances | None,
    quirks: TopologyQuirks,
) -> TopologyPolicy:
    """Build a policy from options already read; rows and columns of ``distances`` follow ``numa_ids``.

    Raises ``StartError`` when the closest nodes are asked for and there are no distances.
    """
    _require_distances(options, distances)
    policy = TopologyPolicy.of(quirks)(name, scope, sum(1 << node for node in numa_ids), **_POLICIES[name])
    if not options.prefer_closest_numa_nodes or distances is None or policy.one_node_only:
        return policy
    return policy.closest_first(numa_ids, distances)


def _require_distances(options: TopologyOptions, distances: Distances | None) -> None:
    if options.prefer_closest_numa_nodes and distances is None:
        raise StartError(STAGE, "cannot discover NUMA topology: error getting NUMA distances from cadvisor")
