"""Merging hints: which NUMA nodes a policy takes, and whom it admits.

The sentences are on the page Control Topology Management Policies on a node. It leaves open which of several
affinities of one size is taken, what is taken where none is preferred (but for distances), and whether different
preferred sets of NUMA nodes make a preferred affinity of what they have in common: all of that passes.
"""

from __future__ import annotations

from ...cpuset import format_bits
from ..judge.chapter import Chapter, Judgement, applies, judges, violated
from ..judge.merged import MergedHints

chapter = Chapter(since="1.18")


def aligning(merge: MergedHints) -> None:
    applies(merge.policy in ("best-effort", "restricted"), "the policy is not best-effort or restricted")


def of_policy(merge: MergedHints, policy: str) -> None:
    """Return the guard that hints are merged under a policy."""
    applies(merge.policy == policy, f"the policy is not {policy}")


def _tells_distances(merge: MergedHints) -> bool:
    return merge.closest and merge.distances is not None


def _distances_decide(merge: MergedHints) -> bool:
    return _tells_distances(merge) and merge.preferred and merge.affinity in merge.narrowest()


def distances_decide(subject: MergedHints) -> None:
    applies(_distances_decide(subject), "prefer-closest-numa-nodes is off, or the affinity is none of the narrowest")


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


@chapter.requires(
    "topology-manager/merge/takes-the-narrowest-preferred-affinity",
    "topology-manager/best-effort",
    on=MergedHints,
    rests_on=(
        "topology/how/narrowest-preferred",
        "kep-693/affinity/narrowest",
        "topology-source/merge/best-common-hint",
        "topology/scopes-and-policies/resources-with-hints",
    ),
)
def takes_the_narrowest(merge: MergedHints) -> Judgement:
    """Of the affinities that every provider prefers, one with the fewest NUMA nodes is taken."""
    aligning(merge)
    applies(merge.agreed or (merge.preferred and merge.overlaps), "providers do not surely prefer one affinity")
    allowed = merge.narrowest()
    return violated(
        merge.preferred and merge.affinity in allowed,
        "another affinity is taken than the narrowest that all prefer",
        got=_affinity(merge),
        allowed=f"{_sets(allowed)}, preferred",
    )


@chapter.requires(
    "topology-manager/merge/says-what-is-not-preferred",
    "topology-manager/best-effort",
    on=MergedHints,
    rests_on=("topology/how/undesirable-is-not-preferred",),
)
def says_what_is_not_preferred(merge: MergedHints) -> Judgement:
    """Where no combination of preferred hints has a NUMA node in common the affinity is not preferred."""
    aligning(merge)
    applies(not merge.overlaps, "preferred hints have a NUMA node in common")
    return violated(
        not merge.preferred,
        "an affinity that not all prefer is called preferred",
        got=_affinity(merge),
        allowed="not preferred",
    )


@chapter.requires(
    "topology-manager/merge/names-nodes-of-the-machine",
    "topology-manager/best-effort",
    on=MergedHints,
    rests_on=("topology/how/hints", "topology-source/machine/node-ids"),
)
def names_nodes_of_the_machine(merge: MergedHints) -> Judgement:
    """An affinity is a set of the machine's NUMA nodes, or none in particular."""
    return violated(
        merge.chosen is None or (merge.chosen and not merge.chosen & ~merge.all_nodes),
        "the affinity is no set of the machine's NUMA nodes",
        got=_affinity(merge),
        allowed=f"some of {format_bits(merge.all_nodes)}",
    )


@chapter.requires(
    "topology-manager/merge/combines-one-hint-of-each-provider",
    "topology-manager/best-effort",
    on=MergedHints,
    rests_on=("kep-693/affinity/all-nodes-otherwise", "topology-source/merge/best-common-hint"),
    strength="SHOULD",
)
def combines_one_hint_of_each(merge: MergedHints) -> Judgement:
    """An affinity that is not preferred is what one hint of each provider has in common, or all NUMA nodes."""
    aligning(merge)
    applies(not merge.preferred, "the affinity is preferred")
    return violated(
        merge.affinity in merge.reachable | {merge.all_nodes},
        "the affinity is none that hints of the providers have in common",
        got=_affinity(merge),
        allowed=_sets(merge.reachable | {merge.all_nodes}),
    )


@chapter.requires(
    "topology-manager/none/aligns-nothing",
    "topology-manager/none",
    on=MergedHints,
    rests_on=(
        "topology/none/aligns-nothing",
        "nrm/alignment/policy-governs",
        "topology-source/policies/four",
        "topology-source/policies/none-skips-hints",
    ),
)
def none_aligns_nothing(merge: MergedHints) -> Judgement:
    """Policy none refuses no pod for its topology.

    Policy none admits all and aligns nothing.
    """
    of_policy(merge, "none")
    return violated(
        merge.admit and merge.affinity == merge.all_nodes,
        "policy none refuses or aligns",
        got=_verdict(merge),
        allowed="admitted, without an affinity",
    )


@judges("topology-manager/best-effort/admits-unaligned-pods", on=MergedHints)
def best_effort_admits(merge: MergedHints) -> Judgement:
    """Best effort admits, preferred or not."""
    of_policy(merge, "best-effort")
    return violated(merge.admit, "best-effort refuses", got=_verdict(merge), allowed="admitted")


@chapter.requires(
    "topology-manager/merge/restricted-admits-only-preferred",
    "topology-manager/restricted",
    on=MergedHints,
    rests_on=(
        "topology/restricted/refuses",
        "kep-693/affinity/restricted-admits-preferred",
        "topology-source/cpu-hints/empty-list-refuses",
    ),
)
def restricted_admits_only_preferred(merge: MergedHints) -> Judgement:
    """Merged hints admit a pod under restricted exactly when the result is preferred.

    Restricted admits just what is preferred: what all agree on is, what has nothing in common is not.
    """
    of_policy(merge, "restricted")
    preferred = merge.preferred if merge.overlaps and not merge.agreed else bool(merge.agreed)
    return violated(
        merge.admit == preferred,
        "restricted refuses a preferred affinity"
        if preferred
        else "restricted admits an affinity that is not preferred",
        got=_verdict(merge),
        allowed="admitted" if preferred else "refused",
    )


@chapter.requires(
    "topology-manager/merge/single-numa-node-admits-only-one-node",
    "topology-manager/single-numa-node",
    on=MergedHints,
    rests_on=("topology/single-numa-node/one-node-or-refused", "kep-693/affinity/single-admits-one-node"),
)
def single_numa_node_admits_one(merge: MergedHints) -> Judgement:
    """Merged hints admit a pod under single-numa-node exactly when all providers prefer one common NUMA node or
    have no opinion.
    """
    of_policy(merge, "single-numa-node")
    right = not merge.admit or merge.undecided or _is_one_of(merge.affinity, merge.single)
    return violated(
        merge.admit == bool(merge.single) and right,
        "single-numa-node decides otherwise than by a NUMA node that all prefer",
        got=_verdict(merge),
        allowed=f"admitted, on one of {format_bits(merge.single)}" if merge.single else "refused",
    )


@chapter.requires(
    "topology-manager/prefer-closest-numa-nodes/takes-the-closer-set",
    "topology-manager/prefer-closest-numa-nodes",
    "topology-manager/best-effort",
    on=MergedHints,
    rests_on=("topology/prefer-closest-numa-nodes/favours-shorter-distance",),
    since="1.28",
    beyond="The page speaks of shorter distance; that the average counts it does not say.",
)
def takes_the_closer_set(merge: MergedHints) -> Judgement:
    """With prefer-closest-numa-nodes, of the preferred affinities with the same number of NUMA nodes the one with
    the smaller average distance is taken.
    """
    aligning(merge)
    distances_decide(merge)
    applies(merge.nearest() != merge.narrowest(), "all of the narrowest are as near")
    nearest = merge.nearest()
    return violated(
        merge.affinity in nearest,
        "there is an affinity of closer NUMA nodes",
        got=_affinity(merge),
        allowed=_sets(nearest),
    )


@chapter.requires(
    "topology-manager/prefer-closest-numa-nodes/takes-the-closer-unpreferred-set",
    "topology-manager/prefer-closest-numa-nodes",
    "topology-manager/best-effort",
    on=MergedHints,
    rests_on=("topology/prefer-closest-numa-nodes/favours-shorter-distance",),
    since="1.28",
    strength="SHOULD",
    beyond="The page speaks of admission decisions; by what else these affinities are told apart it leaves open.",
)
def takes_the_closer_unpreferred_set(merge: MergedHints) -> Judgement:
    """With prefer-closest-numa-nodes best-effort takes no affinity that nobody prefers where another, as wide, is
    surely closer.
    """
    of_policy(merge, "best-effort")
    applies(
        _some_unpreferred_are_nearer(merge),
        "prefer-closest-numa-nodes is off, the affinity is preferred, or all of its size are as near",
    )
    nearest = merge.between.nearest(_alike_unpreferred(merge))
    return violated(
        merge.affinity in nearest,
        "there is an affinity of closer NUMA nodes, as wide and as little preferred",
        got=_affinity(merge),
        allowed=_sets(nearest),
    )


@chapter.requires(
    "topology-manager/prefer-closest-numa-nodes/takes-the-smallest-average",
    "topology-manager/prefer-closest-numa-nodes",
    "topology-manager/best-effort",
    on=MergedHints,
    rests_on=("topology/prefer-closest-numa-nodes/favours-shorter-distance",),
    since="1.28",
    strength="SHOULD",
    beyond="The page names no measure; KEP-3545 names the average.",
)
def takes_the_smallest_average(merge: MergedHints) -> Judgement:
    """With prefer-closest-numa-nodes the set with the smallest average distance is taken.

    The same by the average distance, which the enhancement proposal names (KEP-3545).
    """
    aligning(merge)
    distances_decide(merge)
    applies(
        merge.agreed == merge.overlaps and len(_nearest_on_average(merge)[1]) < len(_rivals(merge)),
        "all of the narrowest are as near on average, or it is open which they are",
    )
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
