"""Merging hints: which NUMA nodes a policy takes, and whom it admits.

The sentences are on the page Control Topology Management Policies on a node. It leaves open which of several
affinities of one size is taken, what is taken where none is preferred, and whether different preferred sets of NUMA
nodes make a preferred affinity of what they have in common: all of that passes.
"""

from __future__ import annotations

from ...cpuset import format_bits
from ..judge.checker import Judgement, checker, violated
from ..judge.merged import MergedHints

_ALIGNING = ("best-effort", "restricted")


@checker("topology-manager/merge/takes-the-narrowest-preferred-affinity", MergedHints)
def takes_the_narrowest(merge: MergedHints) -> Judgement:
    """Of what every provider prefers, the narrowest."""
    if merge.policy not in _ALIGNING or not (merge.agreed or (merge.preferred and merge.overlaps)):
        return None
    allowed = merge.narrowest()
    return violated(
        merge.preferred and merge.affinity in allowed,
        "another affinity is taken than the narrowest that all prefer",
        got=_affinity(merge),
        allowed=f"{_sets(allowed)}, preferred",
    )


@checker("topology-manager/merge/says-what-is-not-preferred", MergedHints)
def says_what_is_not_preferred(merge: MergedHints) -> Judgement:
    """Where no combination of preferred hints has a NUMA node in common, the affinity is not preferred."""
    if merge.policy not in _ALIGNING or merge.overlaps:
        return None
    return violated(
        not merge.preferred,
        "an affinity that not all prefer is called preferred",
        got=_affinity(merge),
        allowed="not preferred",
    )


@checker("topology-manager/merge/names-nodes-of-the-machine", MergedHints)
def names_nodes_of_the_machine(merge: MergedHints) -> Judgement:
    """An affinity is a set of the machine's NUMA nodes, or none in particular."""
    if merge.chosen is None:
        return ()
    return violated(
        merge.chosen and not merge.chosen & ~merge.all_nodes,
        "the affinity is no set of the machine's NUMA nodes",
        got=_affinity(merge),
        allowed=f"some of {format_bits(merge.all_nodes)}",
    )


@checker("topology-manager/merge/combines-one-hint-of-each-provider", MergedHints)
def combines_one_hint_of_each(merge: MergedHints) -> Judgement:
    """What is not preferred is still what one hint of each provider has in common, or all NUMA nodes (KEP-693)."""
    if merge.policy not in _ALIGNING or merge.preferred:
        return None
    return violated(
        merge.affinity in merge.reachable | {merge.all_nodes},
        "the affinity is none that hints of the providers have in common",
        got=_affinity(merge),
        allowed=_sets(merge.reachable | {merge.all_nodes}),
    )


@checker("topology-manager/none/aligns-nothing", MergedHints)
def none_aligns_nothing(merge: MergedHints) -> Judgement:
    """Policy none admits all and aligns nothing."""
    if merge.policy != "none":
        return None
    return violated(
        merge.admit and merge.affinity == merge.all_nodes,
        "policy none refuses or aligns",
        got=_verdict(merge),
        allowed="admitted, without an affinity",
    )


@checker("topology-manager/best-effort/admits-unaligned-pods", MergedHints)
def best_effort_admits(merge: MergedHints) -> Judgement:
    """Best effort admits, preferred or not."""
    if merge.policy != "best-effort":
        return None
    return violated(merge.admit, "best-effort refuses", got=_verdict(merge), allowed="admitted")


@checker("topology-manager/merge/restricted-admits-only-preferred", MergedHints)
def restricted_admits_only_preferred(merge: MergedHints) -> Judgement:
    """Restricted admits just what is preferred: what all agree on is, what has nothing in common is not."""
    if merge.policy != "restricted":
        return None
    preferred = merge.preferred if merge.overlaps and not merge.agreed else bool(merge.agreed)
    return violated(
        merge.admit == preferred,
        "restricted refuses a preferred affinity"
        if preferred
        else "restricted admits an affinity that is not preferred",
        got=_verdict(merge),
        allowed="admitted" if preferred else "refused",
    )


@checker("topology-manager/merge/single-numa-node-admits-only-one-node", MergedHints)
def single_numa_node_admits_one(merge: MergedHints) -> Judgement:
    """Admitted just where all prefer one common NUMA node or have no opinion, and onto such a node."""
    if merge.policy != "single-numa-node":
        return None
    right = not merge.admit or merge.undecided or _is_one_of(merge.affinity, merge.single)
    return violated(
        merge.admit == bool(merge.single) and right,
        "single-numa-node decides otherwise than by a NUMA node that all prefer",
        got=_verdict(merge),
        allowed=f"admitted, on one of {format_bits(merge.single)}" if merge.single else "refused",
    )


@checker("topology-manager/prefer-closest-numa-nodes/takes-the-closer-set", MergedHints)
def takes_the_closer_set(merge: MergedHints) -> Judgement:
    """Of affinities of one size the one with shorter distances between its NUMA nodes."""
    if not _by_distance(merge):
        return None
    nearest = merge.nearest()
    if nearest == merge.narrowest():
        return None
    return violated(
        merge.affinity in nearest,
        "there is an affinity of closer NUMA nodes",
        got=_affinity(merge),
        allowed=_sets(nearest),
    )


@checker("topology-manager/prefer-closest-numa-nodes/takes-the-smallest-average", MergedHints)
def takes_the_smallest_average(merge: MergedHints) -> Judgement:
    """The same by the average distance, which the enhancement proposal names (KEP-3545)."""
    if not _by_distance(merge):
        return None
    rivals = [nodes for nodes in merge.narrowest() if nodes.bit_count() == merge.affinity.bit_count()]
    least = min(map(merge.average, rivals), default=0.0)
    nearest = frozenset(nodes for nodes in rivals if merge.average(nodes) == least)
    if merge.agreed != merge.overlaps or len(nearest) == len(rivals):
        return None
    return violated(
        merge.affinity in nearest,
        f"there is an affinity whose NUMA nodes are {least:g} apart on average",
        got=_affinity(merge),
        allowed=_sets(nearest),
    )


def _by_distance(merge: MergedHints) -> bool:
    """Whether distances decide, and the affinity is one of the narrowest: other requirements say what is wrong."""
    asked = merge.closest and merge.distances is not None and merge.policy in _ALIGNING
    return asked and merge.preferred and merge.affinity in merge.narrowest()


def _is_one_of(affinity: int, nodes: int) -> bool:
    return affinity.bit_count() == 1 and bool(affinity & nodes)


def _affinity(merge: MergedHints) -> str:
    nodes = "no NUMA node in particular" if merge.chosen is None else f"{{{format_bits(merge.chosen)}}}"
    return f"{nodes}, {'preferred' if merge.preferred else 'not preferred'}"


def _verdict(merge: MergedHints) -> str:
    return f"{'admitted' if merge.admit else 'refused'}, {_affinity(merge)}"


def _sets(nodes: frozenset[int]) -> str:
    return " or ".join(f"{{{format_bits(mask)}}}" for mask in sorted(nodes, key=lambda mask: (mask.bit_count(), mask)))
