"""The Topology Manager's policies: what is merged, and what is admitted (TOPO-POL-01..10)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ...cpuset import iter_bits
from ...documentation.policies import TOPOLOGY_POLICIES, TOPOLOGY_SCOPES
from ...documentation.quirks.topology import TopologyQuirks
from ...errors import StartError
from ...kube.features import FeatureGates
from ...kube.kubelet_config import KubeletConfiguration
from ..hint import Hint
from ..provider import Answer
from .merge import Fitness, Merged, axes_of, merge_axes, narrower, single_node_axis
from .options import STAGE, TopologyOptions, parse_options

__all__ = ["HIGHEST_NODE", "TopologyPolicy", "make_topology_policy", "policy_of"]

HIGHEST_NODE = 63
"""The kubelet keeps a NUMA mask in a word of 64 bits; with a higher id it crashes at the first merge (TOPO-HINT-02)."""
Distances = Sequence[Sequence[int]]


@dataclass(frozen=True)
class TopologyPolicy:
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

    def merge(self, answers: Iterable[Answer]) -> Merged:
        """Merge the providers' answers and say whether the policy admits the pod with the result."""
        if not self.aligns:
            return Merged(Hint(None, False), True)
        axes = axes_of(answers)
        if self.one_node_only:
            hint = merge_axes([single_node_axis(axis) for axis in axes], self.everything)
            if hint.mask == self.everything:
                hint = Hint(None, hint.preferred)
        else:
            hint = merge_axes(axes, self.everything, self.fitness)
        return Merged(hint, hint.preferred or self.admits_unaligned)


_POLICIES: Mapping[str, Callable[[str, int], TopologyPolicy]] = {
    "none": partial(TopologyPolicy, "none", aligns=False),
    "best-effort": partial(TopologyPolicy, "best-effort", admits_unaligned=True),
    "restricted": partial(TopologyPolicy, "restricted"),
    "single-numa-node": partial(TopologyPolicy, "single-numa-node", one_node_only=True),
}


def make_topology_policy(
    config: KubeletConfiguration,
    numa_ids: Sequence[int],
    distances: Distances | None,
    gates: FeatureGates,
    quirks: TopologyQuirks,
) -> TopologyPolicy:
    """Build the policy a configuration asks for; raises ``StartError`` in the kubelet's order (TOPO-OPT-09).

    Under policy none nothing is checked (TOPO-OPT-06).
    """
    name, scope = config.topology_manager_policy, config.topology_manager_scope
    if name == "none":
        return policy_of(name, scope, TopologyOptions(), numa_ids, distances)
    options = parse_options(
        config.topology_manager_policy_options,
        gates,
        quirks,
        nodes=len(numa_ids),
    )
    _require_distances(options, distances)
    if len(numa_ids) > options.max_nodes:
        raise StartError(STAGE, f"unsupported on machines with more than {options.max_nodes} NUMA Nodes")
    if name not in TOPOLOGY_POLICIES:
        raise StartError(STAGE, f'unknown policy: "{name}"')
    if scope not in TOPOLOGY_SCOPES:
        raise StartError(STAGE, f'unknown scope: "{scope}"')
    if max(numa_ids, default=0) > HIGHEST_NODE:
        raise StartError(STAGE, f"bit number must be in range 0-{HIGHEST_NODE}")
    return policy_of(name, scope, options, numa_ids, distances)


def policy_of(
    name: str, scope: str, options: TopologyOptions, numa_ids: Sequence[int], distances: Distances | None
) -> TopologyPolicy:
    """Build a policy from options already read; rows and columns of ``distances`` follow ``numa_ids``.

    Raises ``StartError`` when the closest nodes are asked for and there are no distances.
    """
    _require_distances(options, distances)
    policy = _POLICIES[name](scope, sum(1 << node for node in numa_ids))
    if options.prefer_closest and distances is not None and not policy.one_node_only:
        return replace(policy, fitness=closer(numa_ids, distances))
    return policy


def _require_distances(options: TopologyOptions, distances: Distances | None) -> None:
    if options.prefer_closest and distances is None:
        raise StartError(STAGE, "cannot discover NUMA topology: error getting NUMA distances from cadvisor")


def closer(numa_ids: Sequence[int], distances: Distances) -> Fitness:
    """Order masks of one size by average distance over all ordered pairs, self included (TOPO-DIST-01..03).

    Columns are found by the position of a node. The kubelet takes the node's id for its position and crashes, or reads
    another node's distance, where ids have gaps (TOPO-DIST-04); that is not reproduced.
    """
    row_of = {node: index for index, node in enumerate(numa_ids)}
    known: dict[int, tuple[float, ...]] = {}

    def key(mask: int) -> tuple[float, ...]:
        rank = known.get(mask)
        if rank is None:
            rows = [row_of[node] for node in iter_bits(mask)]
            total = sum(distances[row][column] for row in rows for column in rows)
            rank = known[mask] = (total / len(rows) ** 2, mask)
        return rank

    return key
