"""The policy restricted: a pod has its preferred affinity, or is refused.

Page: Control Topology Management Policies on a node, section restricted policy.
"""

from ...cpuset import format_bits
from ...judging.alignment import CpuAlignment
from ...judging.chapter import Chapter, Judgement, applies, rests_on, violated
from ...judging.node_subjects import Admission
from ...judging.room import Room
from ...wire.history.values import nodes_text
from ..alignment import at_once, counted, free_text, leaving_a_cpu, nodes_of_cpus, with_memory
from ..conditions import leaving_a_shared_cpu, under
from ..outcomes import must_be_admitted, must_be_refused, must_be_refused_as_unaligned, number_of

chapter = Chapter("topology-manager/restricted", since="1.18")


def can_be_aligned(admission: Admission) -> CpuAlignment:
    """Return how a request for CPUs alone can be aligned."""
    under(admission, "restricted")
    cpus = counted(admission)
    applies(cpus.preferred, "as few NUMA nodes as the request needs have not so many free CPUs")
    leaving_a_shared_cpu(admission)
    return cpus


@chapter.requires("topology-manager/restricted/admits-what-can-be-aligned", "cpu-manager/static")
@rests_on(
    "topology/restricted/refuses", beyond="that a preferred affinity is admitted: the sentence is about the other case"
)
def admits_what_can_be_aligned(admission: Admission) -> Judgement:
    """A pod whose CPUs as few NUMA nodes as it needs can give is admitted."""
    cpus = can_be_aligned(admission)
    return must_be_admitted(admission, f"which asks for {_counted(admission, cpus, ' that')}")


def _counted(admission: Admission, cpus: CpuAlignment, relation: str) -> str:
    """Write how many CPUs are asked for, and how few NUMA nodes could ever give them."""
    able = f"{number_of(cpus.width, 'NUMA node')} can give of {free_text(admission.before)}"
    return f"{number_of(cpus.count, 'CPU')}{relation} {able}"


@chapter.requires("topology-manager/restricted/admits-what-needs-several-nodes", "cpu-manager/static")
@rests_on(
    "topology/restricted/refuses",
    "topology/prefer-closest-numa-nodes/default-takes-few-nodes",
    "nrm/align-by-socket/default-takes-few-nodes",
)
def admits_what_needs_several_nodes(admission: Admission) -> Judgement:
    """Under restricted a container that no single NUMA node could ever hold is admitted on the smallest number of
    NUMA nodes that can.
    """
    width = can_be_aligned(admission).width
    applies(width > 1, "one NUMA node could ever hold so many CPUs")
    return violated(
        admission.admitted and len(nodes_of_cpus(admission)) <= width,
        f"the CPUs of pod {admission.pod.uid}, which need {width} NUMA nodes and are free on so many, are refused or "
        "come from more",
        got=format_bits(admission.cpus) or f"{admission.reason}: {admission.message}",
        allowed=f"CPUs of {width} NUMA nodes",
        available=admission.before.free,
    )


@chapter.requires("topology-manager/restricted/admits-what-several-nodes-hold", "memory-manager/static", since="1.21")
@rests_on(
    "topology/restricted/refuses",
    "memory/head/hints-and-policy-decide",
    beyond="that a preferred affinity is admitted: the sentence is about the other case",
)
def admits_what_several_nodes_hold(admission: Admission) -> Judgement:
    """A pod is admitted whose CPUs and memory need as many NUMA nodes, where so few of them can give all."""
    under(admission, "restricted")
    request = at_once(admission)
    with_memory(admission)
    several = [nodes for nodes in Room.of(admission.before).surely_give(request) if nodes.bit_count() > 1]
    applies(several, "NUMA nodes, several and as few as ever hold it, cannot give all of its CPUs and memory")
    leaving_a_cpu(admission)
    return must_be_admitted(admission, f"though the hint of {nodes_text(several[0])} is preferred for all it asks for")


@chapter.requires("topology-manager/restricted/refuses-unaligned-pods", "cpu-manager/static")
@rests_on(
    "topology/restricted/refuses",
    "topology/restricted/topology-affinity-error",
    "nrm/alignment/policy-governs",
    "topology/how/policy-decides",
    "topology-source/policies/restricted",
    "topology-source/policies/topology-affinity-error",
    "topology-source/admission/reason-and-message",
    "topology-source/device-hints/narrowest-is-preferred",
    "topology-source/device-hints/every-combination",
)
def refuses_unaligned_pods(admission: Admission) -> Judgement:
    """Under restricted a pod whose preferred affinity cannot be had is refused with reason TopologyAffinityError."""
    under(admission, "restricted")
    cpus = counted(admission)
    applies(not cpus.preferred, "as few NUMA nodes as the request needs have so many free CPUs")
    return must_be_refused(admission, f"which asks for {_counted(admission, cpus, ', more than')}")


@chapter.requires("topology-manager/restricted/refuses-what-nothing-prefers")
@rests_on(
    "topology/restricted/refuses",
    "topology/restricted/topology-affinity-error",
    "topology-source/cpu-hints/size-counts-all-cpus",
)
def refuses_what_nothing_prefers(admission: Admission) -> Judgement:
    """A pod is refused when a resource is free on no set of as few NUMA nodes as it ever needs; the reason is
    TopologyAffinityError where the node as a whole has all it asks for.
    """
    under(admission, "restricted")
    request = at_once(admission)
    nothing = Room.of(admission.before).prefers_nothing(request)
    applies(nothing, "every resource may be free on as few NUMA nodes as it ever needs")
    return must_be_refused_as_unaligned(admission, request, "though nothing on so few NUMA nodes is free")
