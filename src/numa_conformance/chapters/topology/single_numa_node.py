"""The policy single-numa-node: one NUMA node gives a pod all that is aligned, or the pod is refused.

Page: Control Topology Management Policies on a node, section single-numa-node policy.
"""

from ...judging.chapter import Chapter, Judgement, applies, rests_on, violated
from ...judging.node_subjects import Admission
from ...judging.room import Room
from ...judging.shared_views import Together
from ..alignment import at_once, counted, free_text
from ..conditions import leaving_a_shared_cpu, under
from ..outcomes import must_be_admitted, must_be_refused, must_be_refused_as_unaligned

chapter = Chapter("topology-manager/single-numa-node", since="1.18")


@chapter.requires("topology-manager/single-numa-node/admits-what-one-node-holds", "cpu-manager/static")
@rests_on("topology/single-numa-node/one-node-or-refused")
def admits_what_one_node_holds(admission: Admission) -> Judgement:
    """A pod whose CPUs one NUMA node can give is admitted."""
    under(admission, "single-numa-node")
    cpus = counted(admission)
    applies(cpus.on_one_node, "no NUMA node has so many free CPUs")
    leaving_a_shared_cpu(admission)
    free = free_text(admission.before)
    return must_be_admitted(admission, f"which asks for {cpus.count} CPUs that one NUMA node has among {free}")


@chapter.requires("topology-manager/single-numa-node/refuses-what-needs-several-nodes", "cpu-manager/static")
@rests_on(
    "topology/single-numa-node/one-node-or-refused",
    "topology/restricted/topology-affinity-error",
    "topology-source/policies/single-numa-node",
    "topology/pod/more-are-refused",
)
def refuses_what_needs_several_nodes(admission: Admission) -> Judgement:
    """Under single-numa-node a pod that no single NUMA node can hold is refused with the reason
    TopologyAffinityError.
    """
    under(admission, "single-numa-node")
    cpus = counted(admission)
    applies(not cpus.on_one_node, "one NUMA node has so many free CPUs")
    free = free_text(admission.before)
    return must_be_refused(admission, f"which asks for {cpus.count} CPUs that no NUMA node has among {free}")


@chapter.requires("topology-manager/single-numa-node/refuses-what-no-node-holds")
@rests_on("topology/single-numa-node/one-node-or-refused", "topology/restricted/topology-affinity-error")
def refuses_what_no_node_holds(admission: Admission) -> Judgement:
    """A pod is refused when no NUMA node has its CPUs, memory and devices together; the reason is
    TopologyAffinityError where the node as a whole has them.
    """
    under(admission, "single-numa-node")
    request = at_once(admission)
    able = Room.of(admission.before).nodes_that_hold(request, surely=False)
    applies(not able, "one NUMA node may give all that the pod asks for")
    return must_be_refused_as_unaligned(admission, request, "though no NUMA node has all it asks for")


@chapter.requires("topology-manager/single-numa-node/gives-one-node")
@rests_on(
    "topology/single-numa-node/one-node-or-refused",
    "topology-source/policies/single-numa-node",
    "topology/pod/one-node-is-admitted",
)
def gives_one_node(together: Together) -> Judgement:
    """Under single-numa-node an admitted container has all its exclusive CPUs on one NUMA node."""
    under(together, "single-numa-node")
    common = -1
    for nodes in together.places:
        common &= nodes
    why = f"what {together.who} holds is not together on one NUMA node"
    return violated(common, why, got=together.in_words, allowed="one NUMA node", about=together.about)
