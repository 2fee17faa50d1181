"""How many NUMA nodes memory comes from. Page: Utilizing the NUMA-aware Memory Manager."""

from ...cpuset import format_bits, union
from ...judging.alignment import ResourceRequest
from ...judging.chapter import Chapter, Judgement, applies, judges, rests_on, violated
from ...judging.node_subjects import Admission
from ...judging.room import Room
from ..alignment import ALIGNING, at_once, fewest_nodes_around_the_affinity, has_memory_in_one_container, with_memory
from ..conditions import admitted
from ..outcomes import number_of

chapter = Chapter("memory-manager/static", "topology-manager/best-effort", since="1.21")


@chapter.requires("memory-manager/static/uses-the-fewest-numa-nodes")
@rests_on("memory/head/fewest-numa-nodes", "nrm/memory/fewest-numa-nodes", "troubleshooting/state/pinned-to-several")
def memory_of_the_fewest_nodes(admission: Admission) -> Judgement:
    """Memory comes from one NUMA node where one holds it, and else from as few as hold it, where so few are
    unused.
    """
    request = at_once(admission)
    with_memory(admission)
    aligned = admission.settings.topology in ALIGNING
    clear = aligned or has_memory_in_one_container(admission)
    applies(clear, "nothing is aligned, and several containers have memory of their own")
    admitted(admission)
    sets = Room.of(admission.before).surely_give(request if aligned else ResourceRequest(0, request.memory, {}))
    applies(sets, "no NUMA nodes, as few as ever hold it, can give all of its CPUs and memory")
    return _few_nodes(admission, sets[0].bit_count(), " or ".join(map(format_bits, sets)))


@judges("memory-manager/static/uses-the-fewest-numa-nodes")
def memory_of_the_fewest_nodes_around(admission: Admission) -> Judgement:
    """Where the affinity does not hold the memory, no more NUMA nodes are added to it than need be."""
    at_once(admission)
    admitted(admission)
    most = fewest_nodes_around_the_affinity(admission)
    return _few_nodes(admission, most, f"{number_of(most, 'NUMA node')} at most")


def _few_nodes(admission: Admission, most: int, allowed: str) -> Judgement:
    """Judge that the pod's memory comes from no more NUMA nodes."""
    blocks = (block for held in admission.held.values() for block in held.memory or () if block.bytes)
    nodes = union(block.nodes for block in blocks)
    return violated(
        nodes.bit_count() <= most,
        f"the memory of pod {admission.pod.uid} comes from {nodes.bit_count()} NUMA nodes where "
        f"{number_of(most, 'NUMA node')} can give it",
        got=format_bits(nodes),
        allowed=allowed,
    )
