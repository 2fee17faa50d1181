"""The Topology Manager's policies: what is merged, and what is admitted (TOPO-POL-01..10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...cpuset import iter_bits
from ...documentation.policies import TOPOLOGY_POLICIES, TOPOLOGY_SCOPES
from ...documentation.quirks.topology import TopologyQuirks
from ...errors import StartError
from ...kube.features import FeatureGates
from ...kube.kubelet_config import KubeletConfiguration
from ..hint import Hint
from .merge import Answer, Fitness, Merged, axes_of, merge_axes, narrower, single_node_axis
from .options import TopologyOptions, parse_options

__all__ = ["HIGHEST_NODE", "TopologyPolicy", "make_topology_policy", "policy_of"]

HIGHEST_NODE = 63
"""The kubelet keeps a NUMA mask in a word of 64 bits; with a higher id it crashes at the first merge (TOPO-HINT-02)."""
Distances = Sequence[Sequence[int]]


@dataclass(frozen=True)
class TopologyPolicy:
    """One policy on one machine. ``everything`` is the mask of all NUMA nodes, with or without CPUs."""

    name: str
    scope: str
    everything: int
    fitness: Fitness = narrower

    def merge(self, answers: Sequence[Answer]) -> Merged:
        """Merge the providers' answers and say whether the policy admits the pod with the result."""
        if self.name == "none":
            return Merged(Hint(None, False), True)
        axes = axes_of(answers)
        if self.name == "single-numa-node":
            hint = merge_axes([single_node_axis(axis) for axis in axes], self.everything)
            if hint.mask == self.everything:
                hint = Hint(None, hint.preferred)
            return Merged(hint, hint.preferred)
        hint = merge_axes(axes, self.everything, self.fitness)
        return Merged(hint, hint.preferred or self.name == "best-effort")


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
    name = config.topology_manager_policy
    everything = sum(1 << node for node in numa_ids)
    if name == "none":
        return TopologyPolicy("none", config.topology_manager_scope, everything)
    options = parse_options(
        config.topology_manager_policy_options,
        gates,
        quirks,
        nodes=len(numa_ids),
    )
    _require_distances(options, distances)
    if len(numa_ids) > options.max_nodes:
        raise _refused(f"unsupported on machines with more than {options.max_nodes} NUMA Nodes")
    if name not in TOPOLOGY_POLICIES:
        raise _refused(f'unknown policy: "{name}"')
    if config.topology_manager_scope not in TOPOLOGY_SCOPES:
        raise _refused(f'unknown scope: "{config.topology_manager_scope}"')
    if max(numa_ids, default=0) > HIGHEST_NODE:
        raise _refused(f"bit number must be in range 0-{HIGHEST_NODE}")
    return policy_of(name, config.topology_manager_scope, options, numa_ids, distances)


def policy_of(
    name: str, scope: str, options: TopologyOptions, numa_ids: Sequence[int], distances: Distances | None
) -> TopologyPolicy:
    """Build a policy from options already read; rows and columns of ``distances`` follow ``numa_ids``.

    Raises ``StartError`` when the closest nodes are asked for and there are no distances.
    """
    _require_distances(options, distances)
    fitness: Fitness = narrower
    if options.prefer_closest and distances is not None and name != "single-numa-node":
        fitness = closer(numa_ids, distances)
    return TopologyPolicy(name, scope, sum(1 << node for node in numa_ids), fitness)


def _require_distances(options: TopologyOptions, distances: Distances | None) -> None:
    if options.prefer_closest and distances is None:
        raise _refused("cannot discover NUMA topology: error getting NUMA distances from cadvisor")


def closer(numa_ids: Sequence[int], distances: Distances) -> Fitness:
    """Order masks of one size by average distance over all ordered pairs, self included (TOPO-DIST-01..03).

    Columns are found by the position of a node. The kubelet takes the node's id for its position and crashes, or reads
    another node's distance, where ids have gaps (TOPO-DIST-04); that is not reproduced.
    """
    row_of = {node: index for index, node in enumerate(numa_ids)}
    known: dict[int, tuple[float, ...]] = {}

    def key(mask: int) -> tuple[float, ...]:
        found = known.get(mask)
        if found is None:
            rows = [row_of[node] for node in iter_bits(mask)]
            total = sum(distances[one][other] for one in rows for other in rows)
            found = known[mask] = (total / len(rows) ** 2, mask)
        return found

    return key


def _refused(message: str) -> StartError:
    return StartError("topologymanager", message)
