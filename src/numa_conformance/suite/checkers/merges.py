"""Merging hints: which NUMA nodes a policy takes, and whom it admits.

The sentences are on the page Control Topology Management Policies on a node. It leaves open which of several
affinities of one size is taken, what is taken where none is preferred (but for distances), and whether different
preferred sets of NUMA nodes make a preferred affinity of what they have in common: all of that passes.
"""

from __future__ import annotations

from ...cpuset import format_bits
from ..judge.checker import Guard, Judgement, checker, violated
from ..judge.merged import MergedHints

aligning = Guard[MergedHints](
    "the policy is not best-effort or restricted", lambda merge: merge.policy in ("best-effort", "restricted")
)


def of_policy(policy: str) -> Guard[MergedHints]:
    """Return the guard that hints are merged under a policy."""
    return Guard(f"the policy is not {policy}", lambda merge: merge.policy == policy)


all_may_agree = Guard[MergedHints](
    "providers do not surely prefer one affinity", lambda merge: merge.agreed or (merge.preferred and merge.overlaps)
)
nothing_in_common = Guard[MergedHints]("preferred hints have a NUMA node in common", lambda merge: not merge.overlaps)
not_preferred = Guard[MergedHints]("the affinity is preferred", lambda merge: not merge.preferred)


def _tells_distances(merge: MergedHints) -> bool:
    return merge.closest and merge.distances is not None


def _distances_decide(merge: MergedHints) -> bool:
    return _tells_distances(merge) and merge.preferred and merge.affinity in merge.narrowest()


distances_decide = Guard[MergedHints](
    "prefer-closest-numa-nodes is off, or the affinity is none of the narrowest", _distances_decide
)
some_are_nearer = Guard[MergedHints](
    "all of the narrowest are as near", lambda merge: merge.nearest() != merge.narrowest()
)


def _nearest_on_average(merge: MergedHints) -> tuple[float, frozenset[int]]:
    """Return the least average distance within an affinity as narrow as the one taken, and those that have it."""
    rivals = _rivals(merge)
    least = min(map(merge.between.average, rivals), default=0.0)
    return least, frozenset(nodes for nodes in rivals if merge.between.average(nodes) == least)


def _rivals(merge: MergedHints) -> list[int]:
    return [nodes for nodes in merge.narrowest() if nodes.bit_count() == merge.affinity.bit_count()]


def _alike_unpreferred(merge: MergedHints) -> list[int]:
    """Return what hints have in common with as many NUMA nodes as an affinity that nobody prefers, itself among it."""
    if merge.preferred or not _tells_distances(merge):
        return []
    alike = [nodes for nodes in merge.reachable if nodes.bit_count() == merge.affinity.bit_count()]
    return alike if merge.affinity in alike else []


def _some_unpreferred_are_nearer(merge: MergedHints) -> bool:
    alike = _alike_unpreferred(merge)
    return len(merge.between.nearest(alike)) < len(alike)


some_unpreferred_are_nearer = Guard[MergedHints](
    "prefer-closest-numa-nodes is off, the affinity is preferred, or all of its size are as near",
    _some_unpreferred_are_nearer,
)
some_are_nearer_on_average = Guard[MergedHints](
    "all of the narrowest are as near on average, or it is open which they are",
    lambda merge: merge.agreed == merge.overlaps and len(_nearest_on_average(merge)[1]) < len(_rivals(merge)),
)


@checker("topology-manager/merge/takes-the-narrowest-preferred-affinity", MergedHints, when=(aligning, all_may_agree))
def takes_the_narrowest(merge: MergedHints) -> Judgement:
    """Of what every provider prefers, the narrowest."""
    allowed = merge.narrowest()
    return violated(
        merge.preferred and merge.affinity in allowed,
        "another affinity is taken than the narrowest that all prefer",
        got=_affinity(merge),
        allowed=f"{_sets(allowed)}, preferred",
    )


@checker("topology-manager/merge/says-what-is-not-preferred", MergedHints, when=(aligning, nothing_in_common))
def says_what_is_not_preferred(merge: MergedHints) -> Judgement:
    """Where no combination of preferred hints has a NUMA node in common, the affinity is not preferred."""
    return violated(
        not merge.preferred,
        "an affinity that not all prefer is called preferred",
        got=_affinity(merge),
        allowed="not preferred",
    )


@checker("topology-manager/merge/names-nodes-of-the-machine", MergedHints)
def names_nodes_of_the_machine(merge: MergedHints) -> Judgement:
    """An affinity is a set of the machine's NUMA nodes, or none in particular."""
    return violated(
        merge.chosen is None or (merge.chosen and not merge.chosen & ~merge.all_nodes),
        "the affinity is no set of the machine's NUMA nodes",
        got=_affinity(merge),
        allowed=f"some of {format_bits(merge.all_nodes)}",
    )


@checker("topology-manager/merge/combines-one-hint-of-each-provider", MergedHints, when=(aligning, not_preferred))
def combines_one_hint_of_each(merge: MergedHints) -> Judgement:
    """What is not preferred is still what one hint of each provider has in common, or all NUMA nodes (KEP-693)."""
    return violated(
        merge.affinity in merge.reachable | {merge.all_nodes},
        "the affinity is none that hints of the providers have in common",
        got=_affinity(merge),
        allowed=_sets(merge.reachable | {merge.all_nodes}),
    )


@checker("topology-manager/none/aligns-nothing", MergedHints, when=(of_policy("none"),))
def none_aligns_nothing(merge: MergedHints) -> Judgement:
    """Policy none admits all and aligns nothing."""
    return violated(
        merge.admit and merge.affinity == merge.all_nodes,
        "policy none refuses or aligns",
        got=_verdict(merge),
        allowed="admitted, without an affinity",
    )


@checker("topology-manager/best-effort/admits-unaligned-pods", MergedHints, when=(of_policy("best-effort"),))
def best_effort_admits(merge: MergedHints) -> Judgement:
    """Best effort admits, preferred or not."""
    return violated(merge.admit, "best-effort refuses", got=_verdict(merge), allowed="admitted")


@checker("topology-manager/merge/restricted-admits-only-preferred", MergedHints, when=(of_policy("restricted"),))
def restricted_admits_only_preferred(merge: MergedHints) -> Judgement:
    """Restricted admits just what is preferred: what all agree on is, what has nothing in common is not."""
    preferred = merge.preferred if merge.overlaps and not merge.agreed else bool(merge.agreed)
    return violated(
        merge.admit == preferred,
        "restricted refuses a preferred affinity"
        if preferred
        else "restricted admits an affinity that is not preferred",
        got=_verdict(merge),
        allowed="admitted" if preferred else "refused",
    )


@checker(
    "topology-manager/merge/single-numa-node-admits-only-one-node", MergedHints, when=(of_policy("single-numa-node"),)
)
def single_numa_node_admits_one(merge: MergedHints) -> Judgement:
    """Admitted just where all prefer one common NUMA node or have no opinion, and onto such a node."""
    right = not merge.admit or merge.undecided or _is_one_of(merge.affinity, merge.single)
    return violated(
        merge.admit == bool(merge.single) and right,
        "single-numa-node decides otherwise than by a NUMA node that all prefer",
        got=_verdict(merge),
        allowed=f"admitted, on one of {format_bits(merge.single)}" if merge.single else "refused",
    )


@checker(
    "topology-manager/prefer-closest-numa-nodes/takes-the-closer-set",
    MergedHints,
    when=(aligning, distances_decide, some_are_nearer),
)
def takes_the_closer_set(merge: MergedHints) -> Judgement:
    """Of affinities of one size the one with shorter distances between its NUMA nodes."""
    nearest = merge.nearest()
    return violated(
        merge.affinity in nearest,
        "there is an affinity of closer NUMA nodes",
        got=_affinity(merge),
        allowed=_sets(nearest),
    )


@checker(
    "topology-manager/prefer-closest-numa-nodes/takes-the-closer-unpreferred-set",
    MergedHints,
    when=(of_policy("best-effort"), some_unpreferred_are_nearer),
)
def takes_the_closer_unpreferred_set(merge: MergedHints) -> Judgement:
    """Of affinities of one size that nobody prefers, none than which another is surely closer."""
    nearest = merge.between.nearest(_alike_unpreferred(merge))
    return violated(
        merge.affinity in nearest,
        "there is an affinity of closer NUMA nodes, as wide and as little preferred",
        got=_affinity(merge),
        allowed=_sets(nearest),
    )


@checker(
    "topology-manager/prefer-closest-numa-nodes/takes-the-smallest-average",
    MergedHints,
    when=(aligning, distances_decide, some_are_nearer_on_average),
)
def takes_the_smallest_average(merge: MergedHints) -> Judgement:
    """The same by the average distance, which the enhancement proposal names (KEP-3545)."""
    least, nearest = _nearest_on_average(merge)
    return violated(
        merge.affinity in nearest,
        f"there is an affinity whose NUMA nodes are {least:g} apart on average",
        got=_affinity(merge),
        allowed=_sets(nearest),
    )


def _is_one_of(affinity: int, nodes: int) -> bool:
    return affinity.bit_count() == 1 and bool(affinity & nodes)


def _affinity(merge: MergedHints) -> str:
    nodes = "no NUMA node in particular" if merge.chosen is None else f"{{{format_bits(merge.chosen)}}}"
    return f"{nodes}, {'preferred' if merge.preferred else 'not preferred'}"


def _verdict(merge: MergedHints) -> str:
    return f"{'admitted' if merge.admit else 'refused'}, {_affinity(merge)}"


def _sets(nodes: frozenset[int]) -> str:
    return " or ".join(f"{{{format_bits(mask)}}}" for mask in sorted(nodes, key=lambda mask: (mask.bit_count(), mask)))
