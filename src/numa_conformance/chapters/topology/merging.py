"""Merging hints: which NUMA nodes a policy takes, and whom it admits.

Page: Control Topology Management Policies on a node, section How topology manager works, and KEP-693. They leave open
which of several affinities of one size is taken, what is taken where none is preferred (but for distances), and whether
different preferred sets of NUMA nodes make a preferred affinity of what they have in common: all of that passes.
"""

from ...cpuset import format_bits
from ...judging.chapter import Chapter, Judgement, applies, configured, recommended_by, rests_on, violated
from ...judging.merged import NO_OPINION, MergedHints

chapter = Chapter("topology-manager/best-effort", since="1.18")


def of_policy(merge: MergedHints, *policies: str) -> None:
    configured(merge.policy in policies, f"the policy is not {' or '.join(policies)}")


def affinity_text(merge: MergedHints) -> str:
    """Write the affinity that was taken."""
    nodes = "no NUMA node in particular" if merge.chosen is None else f"{{{format_bits(merge.chosen)}}}"
    return f"{nodes}, {'preferred' if merge.preferred else 'not preferred'}"


def outcome_text(merge: MergedHints) -> str:
    """Write whether the pod is admitted, and with which affinity."""
    return f"{'admitted' if merge.admit else 'refused'}, {affinity_text(merge)}"


def choices_text(sets: frozenset[int]) -> str:
    """Write sets of NUMA nodes of which any may be taken, narrow ones first."""
    return " or ".join(f"{{{format_bits(nodes)}}}" for nodes in sorted(sets, key=lambda set: (set.bit_count(), set)))


def must_be_one_of(merge: MergedHints, sets: frozenset[int], why: str) -> Judgement:
    """Judge that the affinity is one of some sets of NUMA nodes; ``why`` is told of another."""
    return violated(merge.affinity in sets, why, got=affinity_text(merge), allowed=choices_text(sets))


@chapter.requires("topology-manager/merge/takes-the-narrowest-preferred-affinity")
@rests_on(
    "topology/how/narrowest-preferred",
    "kep-693/affinity/narrowest",
    "topology-source/merge/best-common-hint",
    "topology/scopes-and-policies/resources-with-hints",
)
def takes_the_narrowest(merge: MergedHints) -> Judgement:
    """Of the affinities that every provider prefers, one with the fewest NUMA nodes is taken."""
    of_policy(merge, "best-effort", "restricted")
    applies(merge.agreed or (merge.preferred and merge.overlaps), "providers do not surely prefer one affinity")
    narrowest = merge.narrowest()
    why = "another affinity is taken than the narrowest that all prefer"
    allowed = f"{choices_text(narrowest)}, preferred"
    return violated(merge.preferred and merge.affinity in narrowest, why, got=affinity_text(merge), allowed=allowed)


@chapter.requires("topology-manager/merge/says-what-is-not-preferred")
@rests_on("topology/how/undesirable-is-not-preferred")
def says_what_is_not_preferred(merge: MergedHints) -> Judgement:
    """Where no combination of preferred hints has a NUMA node in common the affinity is not preferred."""
    of_policy(merge, "best-effort", "restricted")
    applies(not merge.overlaps, "preferred hints have a NUMA node in common")
    why = "an affinity that not all prefer is called preferred"
    return violated(not merge.preferred, why, got=affinity_text(merge), allowed="not preferred")


@chapter.requires("topology-manager/merge/names-nodes-of-the-machine")
@rests_on("topology/how/hints", "topology-source/machine/node-ids")
def names_nodes_of_the_machine(merge: MergedHints) -> Judgement:
    """An affinity is a set of the machine's NUMA nodes, or none in particular."""
    return violated(
        merge.chosen is None or (merge.chosen and not merge.chosen & ~merge.all_nodes),
        "the affinity is no set of the machine's NUMA nodes",
        got=affinity_text(merge),
        allowed=f"some of {format_bits(merge.all_nodes)}",
    )


@chapter.requires("topology-manager/merge/combines-one-hint-of-each-provider")
@recommended_by("kep-693/affinity/all-nodes-otherwise", "topology-source/merge/best-common-hint")
def combines_one_hint_of_each(merge: MergedHints) -> Judgement:
    """An affinity that is not preferred is what one hint of each provider has in common, or all NUMA nodes."""
    of_policy(merge, "best-effort", "restricted")
    applies(not merge.preferred, "the affinity is preferred")
    sets = merge.reachable | {merge.all_nodes}
    return must_be_one_of(merge, sets, "the affinity is none that hints of the providers have in common")


@Chapter("topology-manager/restricted", since="1.18").requires(
    "topology-manager/merge/restricted-admits-only-preferred"
)
@rests_on(
    "topology/restricted/refuses",
    "kep-693/affinity/restricted-admits-preferred",
    "topology-source/cpu-hints/empty-list-refuses",
)
def restricted_admits_only_preferred(merge: MergedHints) -> Judgement:
    """Merged hints admit a pod under restricted exactly when the result is preferred."""
    of_policy(merge, "restricted")
    # What all agree on is preferred, what has nothing in common is not; between these the answer is believed.
    preferred = merge.preferred if merge.overlaps and not merge.agreed else bool(merge.agreed)
    return violated(
        merge.admit == preferred,
        "restricted refuses a preferred affinity"
        if preferred
        else "restricted admits an affinity that is not preferred",
        got=outcome_text(merge),
        allowed="admitted" if preferred else "refused",
    )


@Chapter("topology-manager/single-numa-node", since="1.18").requires(
    "topology-manager/merge/single-numa-node-admits-only-one-node"
)
@rests_on("topology/single-numa-node/one-node-or-refused", "kep-693/affinity/single-admits-one-node")
def single_numa_node_admits_one(merge: MergedHints) -> Judgement:
    """Merged hints admit a pod under single-numa-node exactly when all providers prefer one common NUMA node or
    have no opinion.
    """
    of_policy(merge, "single-numa-node")
    aligned = all(NO_OPINION[0] in axis for axis in merge.axes) or (
        merge.affinity.bit_count() == 1 and merge.affinity & merge.single
    )
    return violated(
        merge.admit == bool(merge.single) and (aligned or not merge.admit),
        "single-numa-node decides otherwise than by a NUMA node that all prefer",
        got=outcome_text(merge),
        allowed=f"admitted, on one of {format_bits(merge.single)}" if merge.single else "refused",
    )
