"""Options of the Topology Manager's policies: prefer-closest-numa-nodes and max-allowable-numa-nodes.

Page: Control Topology Management Policies on a node, section Topology manager policy options.
"""

from ...cpuset import bits_of, format_bits, union
from ...judging.chapter import Chapter, Judgement, applies, recommended_by, rests_on, violated
from ...judging.merged import Distances, MergedHints
from ...judging.node_subjects import Admission
from ...judging.room import Room
from ...judging.start_subjects import MANY_NODES, MOST_NODES, Start
from ..alignment import ALIGNING, at_once
from ..conditions import admitted, under
from ..outcomes import must_come_up, must_not_come_up
from .merging import must_be_one_of, of_policy

closest = Chapter("topology-manager/prefer-closest-numa-nodes", "topology-manager/best-effort", since="1.28")
chapter = Chapter(since="1.27")
limit = Chapter("topology-manager/best-effort", since="1.18")
option = Chapter("topology-manager/max-allowable-numa-nodes", "topology-manager/best-effort", since="1.31")


def distances_decide(merge: MergedHints) -> None:
    of_policy(merge, "best-effort", "restricted")
    applies(
        merge.closest and merge.distances is not None and merge.preferred and merge.affinity in merge.narrowest(),
        "prefer-closest-numa-nodes is off, or the affinity is none of the narrowest",
    )


@closest.requires("topology-manager/prefer-closest-numa-nodes/takes-the-closer-set")
@rests_on(
    "topology/prefer-closest-numa-nodes/favours-shorter-distance",
    beyond="The page speaks of shorter distance; that the average counts it does not say.",
)
def takes_the_closer_set(merge: MergedHints) -> Judgement:
    """With prefer-closest-numa-nodes, of the preferred affinities with the same number of NUMA nodes the one with
    the smaller average distance is taken.
    """
    distances_decide(merge)
    nearest = merge.nearest()
    applies(nearest != merge.narrowest(), "all of the narrowest are as near")
    return must_be_one_of(merge, nearest, "there is an affinity of closer NUMA nodes")


@closest.requires("topology-manager/prefer-closest-numa-nodes/takes-the-closer-unpreferred-set")
@recommended_by(
    "topology/prefer-closest-numa-nodes/favours-shorter-distance",
    beyond="The page speaks of admission decisions; by what else these affinities are told apart it leaves open.",
)
def takes_the_closer_unpreferred_set(merge: MergedHints) -> Judgement:
    """With prefer-closest-numa-nodes best-effort takes no affinity that nobody prefers where another, as wide, is
    surely closer.
    """
    of_policy(merge, "best-effort")
    applies(merge.closest and merge.distances is not None, "prefer-closest-numa-nodes is off")
    applies(not merge.preferred, "the affinity is preferred")
    applies(merge.affinity in merge.reachable, "the affinity is none that hints have in common")
    alike = [nodes for nodes in merge.reachable if nodes.bit_count() == merge.affinity.bit_count()]
    nearest = merge.between.nearest(alike)
    applies(len(nearest) < len(alike), "all affinities of its size are as near")
    return must_be_one_of(merge, nearest, "there is an affinity of closer NUMA nodes, as wide and as little preferred")


@closest.requires("topology-manager/prefer-closest-numa-nodes/takes-the-smallest-average")
@recommended_by(
    "topology/prefer-closest-numa-nodes/favours-shorter-distance",
    beyond="The page names no measure; KEP-3545 names the average.",
)
def takes_the_smallest_average(merge: MergedHints) -> Judgement:
    """With prefer-closest-numa-nodes the set with the smallest average distance is taken."""
    distances_decide(merge)
    applies(merge.agreed == merge.overlaps, "it is open which are the narrowest")
    rivals = [nodes for nodes in merge.narrowest() if nodes.bit_count() == merge.affinity.bit_count()]
    average = {nodes: merge.between.average(nodes) for nodes in rivals}
    least = min(average.values())
    nearest = frozenset(nodes for nodes in rivals if average[nodes] == least)
    applies(len(nearest) < len(rivals), "all of the narrowest are as near on average")
    return must_be_one_of(merge, nearest, f"there is an affinity whose NUMA nodes are {least:g} apart on average")


@closest.requires("topology-manager/prefer-closest-numa-nodes/places-on-the-closer-set")
@rests_on("topology/prefer-closest-numa-nodes/favours-shorter-distance")
def places_on_the_closer_set(admission: Admission) -> Judgement:
    """With prefer-closest-numa-nodes what a pod holds comes from NUMA nodes than which no others, as many and as
    able, are surely closer.
    """
    under(admission, "best-effort", "restricted")
    applies("prefer-closest-numa-nodes" in admission.settings.topology_options, "prefer-closest-numa-nodes is off")
    machine = admission.before.machine
    distances = applies(machine.distances, "no distances are reported")
    request = at_once(admission)
    admitted(admission)
    numa = admission.before.machine.numa_bits.items()
    blocks = (block for held in admission.held.values() for block in held.blocks if block.bytes)
    taken = bits_of(node for node, cpus in numa if cpus & admission.cpus) | union(block.nodes for block in blocks)
    able = Room.of(admission.before).surely_give(request)
    applies(taken in able, "what it holds does not come from as few NUMA nodes as surely can give it")
    nearest = Distances(distances, machine.numa_ids).nearest(able)
    applies(len(nearest) < len(able), "all NUMA nodes that can give it are as near")
    why = f"there are closer NUMA nodes for pod {admission.pod.uid}"
    return violated(
        taken in nearest, why, got=format_bits(taken), allowed=" or ".join(map(format_bits, sorted(nearest)))
    )


@limit.requires("topology-manager/max-allowable-numa-nodes/eight-are-accepted")
@rests_on("topology/limitations/eight-numa-nodes", "topology-source/machine/eight")
def eight_are_accepted(start: Start) -> Judgement:
    """The node comes up on a machine with exactly eight NUMA nodes, under every policy."""
    under(start, *ALIGNING)
    applies(not start.named, "policy options are named")
    applies(len(start.machine.numa_ids) == MOST_NODES, "the machine has more or fewer than eight NUMA nodes")
    return must_come_up(start, "on eight NUMA nodes")


@limit.requires("topology-manager/max-allowable-numa-nodes/default-is-eight")
@rests_on(
    "topology/max-allowable-numa-nodes/eight-by-default",
    "topology/limitations/eight-numa-nodes",
    "topology-source/machine/more-than-eight",
    "topology-source/machine/limit-for-other-policies",
)
def default_is_eight(start: Start) -> Judgement:
    """The node does not come up with a policy other than none on a machine with more than eight NUMA nodes."""
    under(start, *ALIGNING)
    applies(not start.named, "policy options are named")
    applies(start.nodes_in_use > MOST_NODES, "eight NUMA nodes or fewer have CPUs or memory")
    return must_not_come_up(start, f"under {start.settings.topology} on {len(start.machine.numa_ids)} NUMA nodes")


@chapter.requires("topology-manager/max-allowable-numa-nodes/none-has-no-limit", "topology-manager/none")
@recommended_by("topology-source/machine/none-has-no-limit")
def none_has_no_limit(start: Start) -> Judgement:
    """Under policy none the number of NUMA nodes does not matter."""
    applies(start.kubelet.get("topologyManagerPolicy") == "none", "topologyManagerPolicy is not set to none")
    applies("cpuManagerPolicy" not in start.kubelet, "cpuManagerPolicy is set")
    applies(not start.named, "policy options are named")
    applies(len(start.machine.numa_ids) > MOST_NODES, "the machine has eight NUMA nodes or fewer")
    return must_come_up(start, f"under policy none on {len(start.machine.numa_ids)} NUMA nodes")


def named_alone(start: Start) -> None:
    alone = start.named == {MANY_NODES} and start.shows(MANY_NODES)
    applies(alone, "max-allowable-numa-nodes is hidden, or not the one option that is named")


@option.requires("topology-manager/max-allowable-numa-nodes/is-set-to-true")
@rests_on("topology/max-allowable-numa-nodes/is-set-to-true", "topology/max-allowable-numa-nodes/allows-more")
def is_set_to_true(start: Start) -> Judgement:
    """With max-allowable-numa-nodes=true the node comes up on a machine with more than eight NUMA nodes."""
    named_alone(start)
    applies(start.settings.topology_options.get(MANY_NODES) == "true", 'max-allowable-numa-nodes is not "true"')
    return must_come_up(start, f"with {MANY_NODES}=true on {len(start.machine.numa_ids)} NUMA nodes")


@option.requires("topology-manager/max-allowable-numa-nodes/raises-the-limit")
@recommended_by(
    "topology/max-allowable-numa-nodes/allows-more",
    beyond="The page writes max-allowable-numa-nodes=true; a number is asked for.",
)
def raises_the_limit(start: Start) -> Judgement:
    """With max-allowable-numa-nodes set to the number of NUMA nodes, the node comes up on a machine with more
    than eight.
    """
    named_alone(start)
    most, number = start.most_nodes, len(start.machine.numa_ids)
    applies(most >= number, "max-allowable-numa-nodes is no number, or one below the NUMA nodes there are")
    return must_come_up(start, f"with {MANY_NODES}={most} on {number} NUMA nodes")


@option.requires("topology-manager/max-allowable-numa-nodes/stays-a-limit")
@recommended_by(
    "topology/max-allowable-numa-nodes/allows-more",
    beyond="The page writes max-allowable-numa-nodes=true; a number is asked for.",
)
def stays_a_limit(start: Start) -> Judgement:
    """With max-allowable-numa-nodes set to a number, a machine with more NUMA nodes is refused."""
    named_alone(start)
    most = start.most_nodes
    exceeds = MOST_NODES <= most < start.nodes_in_use
    applies(exceeds, "max-allowable-numa-nodes is no number, or the NUMA nodes with CPUs or memory are no more")
    return must_not_come_up(start, f"with {MANY_NODES}={most} on {len(start.machine.numa_ids)} NUMA nodes")


@limit.requires("topology-manager/policy-options/need-their-gates", since="1.26", until="1.35")
@rests_on("topology/policy-options/gates")
def options_need_their_gates(start: Start) -> Judgement:
    """max-allowable-numa-nodes allows no further NUMA nodes while a gate hides it."""
    applies(start.named == {MANY_NODES}, "max-allowable-numa-nodes is not the one option that is named")
    applies(start.shows(MANY_NODES) is False, "no gate hides max-allowable-numa-nodes")
    nodes = start.nodes_in_use
    applies(nodes > MOST_NODES, "eight NUMA nodes or fewer have CPUs or memory")
    return violated(
        not start.up, f"the option allows {nodes} NUMA nodes while it is hidden", allowed="the node does not come up"
    )
