"""The policies none and best-effort, which refuse no pod for its topology.

Page: Control Topology Management Policies on a node, sections none policy and best-effort policy.
"""

from ...cpuset import format_bits
from ...judging.chapter import Chapter, Judgement, applies, exists, judges, rests_on, violated
from ...judging.choice import BY_SOCKET, WHOLE_CORES, CpuChoice
from ...judging.merged import MergedHints
from ...judging.node_subjects import Admission
from ...judging.room import Room
from ..alignment import at_once, counted, fewest_nodes_around_the_affinity, nodes_of_cpus
from ..conditions import admitted, under, with_cpus_on_several_nodes
from ..cpu.choices import took
from ..outcomes import must_be_admitted, number_of
from .merging import of_policy, outcome_text

none = Chapter("topology-manager/none", since="1.18")
best_effort = Chapter("topology-manager/best-effort", "cpu-manager/static", since="1.18")


@none.requires("topology-manager/none/aligns-nothing")
@rests_on(
    "topology/none/aligns-nothing",
    "nrm/alignment/policy-governs",
    "topology-source/policies/four",
    "topology-source/policies/none-skips-hints",
)
def none_aligns_nothing(merge: MergedHints) -> Judgement:
    """Policy none refuses no pod for its topology."""
    of_policy(merge, "none")
    holds = merge.admit and merge.affinity == merge.all_nodes
    return violated(
        holds, "policy none refuses or aligns", got=outcome_text(merge), allowed="admitted, without an affinity"
    )


@best_effort.requires("topology-manager/best-effort/admits-unaligned-pods")
@rests_on("topology/best-effort/admits-anyway", "topology-source/policies/four", "topology-source/policies/best-effort")
def admits_what_is_elsewhere(admission: Admission) -> Judgement:
    """Under best-effort a pod whose preferred affinity cannot be had is not refused for its topology."""
    under(admission, "best-effort")
    return _must_be_admitted_elsewhere(admission)


@judges("topology-manager/none/aligns-nothing")
def none_admits_what_is_elsewhere(admission: Admission) -> Judgement:
    """Policy none refuses no pod whose memory NUMA nodes hold that give nothing but together."""
    under(admission, "none")
    return _must_be_admitted_elsewhere(admission)


def _must_be_admitted_elsewhere(admission: Admission) -> Judgement:
    # An affinity that does not hold the memory is no reason to refuse, where NUMA nodes beside it do.
    request = at_once(admission)
    width = fewest_nodes_around_the_affinity(admission)
    applies(
        Room.of(admission.before).has(request),
        "the node as a whole has not all that the pod asks for, and a CPU beside",
    )
    return must_be_admitted(admission, f"though {width} NUMA nodes, those of its affinity among them, hold its memory")


@judges("topology-manager/best-effort/admits-unaligned-pods")
def best_effort_admits(merge: MergedHints) -> Judgement:
    """Best effort admits, preferred or not."""
    of_policy(merge, "best-effort")
    return violated(merge.admit, "best-effort refuses", got=outcome_text(merge), allowed="admitted")


@best_effort.requires("topology-manager/best-effort/aligns-when-possible")
@rests_on(
    "topology/how/hint-is-stored-and-used",
    "topology/interactions/best-hint-is-stored-and-used",
    "topology-source/policies/stored-and-used",
)
def aligned_when_possible(admission: Admission) -> Judgement:
    """Under best-effort a container whose exclusive CPUs fit the free CPUs of one NUMA node, and whose devices
    are there too, gets them from one NUMA node.
    """
    under(admission, "best-effort", "restricted")
    cpus = counted(admission)
    admitted(admission)
    applies(cpus.preferred, "as few NUMA nodes as the request needs have not so many free CPUs")
    with_cpus_on_several_nodes(admission)
    number = len(nodes_of_cpus(admission))
    return violated(
        number <= cpus.width,
        f"the {cpus.count} CPUs of pod {admission.pod.uid} come from {number} NUMA nodes where "
        f"{number_of(cpus.width, 'NUMA node')} can give them",
        got=format_bits(admission.cpus),
        allowed=number_of(cpus.width, "NUMA node"),
        pod=admission.cpus,
    )


@judges("topology-manager/best-effort/aligns-when-possible")
def follows_the_hint(choice: CpuChoice) -> Judgement:
    """The hint that was chosen is used: CPUs come from its NUMA nodes (sockets under align-by-socket) if these can."""
    taken = took(choice)
    near = exists(choice.near, "no hint was followed")
    surely = choice.preferred and choice.options.isdisjoint({WHOLE_CORES, BY_SOCKET})  # it can, but for whole cores
    hinted = choice.scope or near
    narrows = (choice.scope or surely) and hinted != choice.available
    applies(narrows, "the NUMA nodes of the hint cannot give so many, or are all there are")
    why = f"CPUs {format_bits(taken & ~hinted)} are not of the NUMA nodes of the hint, which can give all"
    return violated(
        not taken & ~hinted, why, got=format_bits(taken), allowed=f"some of {format_bits(hinted)}", hinted=hinted
    )
