"""The Topology Manager's policies: what is merged, and what is admitted (TOPO-POL-01..10)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ....errors import KubeletCrashes, StartError
from ....kube.features import FeatureGates
from ....kube.kubelet_config import KubeletConfiguration
from ....sources.options import TopologyOptions
from ....sources.policies import TOPOLOGY_POLICIES, TOPOLOGY_SCOPES
from ....sources.quirks.topology import TopologyQuirks
from ..hint import HIGHEST_NODE, Hint
from ..provider import Answer
from .distances import Distances, closer, closer_by_id, fold_axes
from .merge import Fitness, Merged, axes_of, each_axis, merge_axes, narrower, single_node_axis
from .options import STAGE, parse_options


@dataclass(frozen=True)
class TopologyPolicy:
    """One policy on one machine. ``everything`` is the mask of all NUMA nodes, with or without CPUs.

    ``aligns``: it asks for hints and merges them. ``one_node_only``: of the hints it looks at those of one NUMA node.
    ``admits_unaligned``: a pod is admitted also where the merged hint is not preferred. ``unreadable`` are the NUMA
    nodes at whose distance the kubelet crashes.
    """

    name: str
    scope: str
    everything: int
    quirks: TopologyQuirks
    fitness: Fitness = narrower
    aligns: bool = True
    one_node_only: bool = False
    admits_unaligned: bool = False
    unreadable: int = 0

    @property
    def aligns_whole_pods(self) -> bool:
        """Whether the containers of a pod get one hint, merged from what the pod as a whole asks for."""
        return self.scope == "pod"

    def merge(self, answers: Iterable[Answer]) -> Merged:
        """Merge the providers' answers and say whether the policy admits the pod with the result.

        Raises ``KubeletCrashes`` where the kubelet gives no answer.
        """
        if not self.aligns:
            return Merged(Hint(None, False), True)
        if self.quirks.node_past_63_crashes and self.everything >> (HIGHEST_NODE + 1):
            highest = self.everything.bit_length() - 1
            raise KubeletCrashes("node-past-63-crashes", f"NUMA node {highest} fits in no mask")
        if self.one_node_only:
            hint = self._on_one_node(answers)
        elif self.unreadable:
            hint = fold_axes(axes_of(answers), self.everything, self.fitness, self.unreadable)
        else:
            hint = merge_axes(axes_of(answers), self.everything, self.fitness)
        return Merged(hint, hint.preferred or self.admits_unaligned)

    def _on_one_node(self, answers: Iterable[Answer]) -> Hint:
        """Merge what is left of each axis (TOPO-POL-05); where nothing is left of one the others need no look."""
        left = []
        for axis in each_axis(answers):
            kept = single_node_axis(axis)
            if not kept:
                return Hint(None, False)
            left.append(kept)
        hint = merge_axes(left, self.everything)
        return Hint(None, hint.preferred) if hint.mask == self.everything else hint


_POLICIES: Mapping[str, Callable[[str, int, TopologyQuirks], TopologyPolicy]] = {
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
    policy = _POLICIES[name](scope, sum(1 << node for node in numa_ids), quirks)
    if not options.prefer_closest_numa_nodes or distances is None or policy.one_node_only:
        return policy
    gaps = policy.everything >> len(numa_ids) << len(numa_ids)
    if gaps and quirks.distances_by_node_id:
        return replace(policy, fitness=closer_by_id(numa_ids, distances), unreadable=gaps)
    return replace(policy, fitness=closer(numa_ids, distances))


def _require_distances(options: TopologyOptions, distances: Distances | None) -> None:
    if options.prefer_closest_numa_nodes and distances is None:
        raise StartError(STAGE, "cannot discover NUMA topology: error getting NUMA distances from cadvisor")
