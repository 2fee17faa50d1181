"""How many NUMA nodes a node comes up with: the limit of the Topology Manager, and the option that raises it."""

from __future__ import annotations

from ...documentation.policies import TOPOLOGY_POLICIES
from ..judge.chapter import Chapter, Judgement, applies
from ..judge.start_subjects import MANY_NODES, MOST_NODES, Start
from .conditions import under
from .start_guards import leaves_out, must_come_up, must_not_come_up

chapter = Chapter(since="1.31")

ALIGNING = tuple(policy for policy in TOPOLOGY_POLICIES if policy != "none")


def names_many_nodes_alone(start: Start) -> None:
    applies(
        start.named == {MANY_NODES} and bool(start.shows(MANY_NODES)),
        "max-allowable-numa-nodes is hidden, or not the one option that is named",
    )


@chapter.requires(
    "topology-manager/max-allowable-numa-nodes/eight-are-accepted",
    "topology-manager/best-effort",
    on=Start,
    rests_on=("topology/limitations/eight-numa-nodes", "topology-source/machine/eight"),
    since="1.18",
)
def eight_numa_nodes_are_accepted(start: Start) -> Judgement:
    """The node comes up on a machine with exactly eight NUMA nodes, under every policy."""
    under(start, *ALIGNING)
    applies(not start.named, "policy options are named")
    applies(len(start.machine.numa_ids) == MOST_NODES, "the machine has more or fewer than eight NUMA nodes")
    return must_come_up(start, "on eight NUMA nodes")


@chapter.requires(
    "topology-manager/max-allowable-numa-nodes/default-is-eight",
    "topology-manager/best-effort",
    on=Start,
    rests_on=(
        "topology/max-allowable-numa-nodes/eight-by-default",
        "topology/limitations/eight-numa-nodes",
        "topology-source/machine/more-than-eight",
        "topology-source/machine/limit-for-other-policies",
    ),
    since="1.18",
)
def more_numa_nodes_are_refused(start: Start) -> Judgement:
    """The node does not come up with a policy other than none on a machine with more than eight NUMA nodes."""
    under(start, *ALIGNING)
    applies(not start.named, "policy options are named")
    applies(start.nodes_in_use > MOST_NODES, "eight NUMA nodes or fewer have CPUs or memory")
    return must_not_come_up(start, f"under {start.settings.topology} on {len(start.machine.numa_ids)} NUMA nodes")


@chapter.requires(
    "topology-manager/max-allowable-numa-nodes/none-has-no-limit",
    "topology-manager/none",
    on=Start,
    rests_on=("topology-source/machine/none-has-no-limit",),
    since="1.27",
    strength="SHOULD",
)
def none_has_no_limit(start: Start) -> Judgement:
    """Under policy none the number of NUMA nodes does not matter."""
    applies(start.kubelet.get("topologyManagerPolicy") == "none", "topologyManagerPolicy is not set to none")
    leaves_out(start, "cpuManagerPolicy")
    applies(not start.named, "policy options are named")
    applies(len(start.machine.numa_ids) > MOST_NODES, "the machine has eight NUMA nodes or fewer")
    return must_come_up(start, f"under policy none on {len(start.machine.numa_ids)} NUMA nodes")


@chapter.requires(
    "topology-manager/max-allowable-numa-nodes/is-set-to-true",
    "topology-manager/max-allowable-numa-nodes",
    "topology-manager/best-effort",
    on=Start,
    rests_on=("topology/max-allowable-numa-nodes/is-set-to-true", "topology/max-allowable-numa-nodes/allows-more"),
)
def option_is_set_to_true(start: Start) -> Judgement:
    """With max-allowable-numa-nodes=true the node comes up on a machine with more than eight NUMA nodes."""
    names_many_nodes_alone(start)
    applies(start.settings.topology_options.get(MANY_NODES) == "true", 'max-allowable-numa-nodes is not "true"')
    return _allows_more(start)


@chapter.requires(
    "topology-manager/max-allowable-numa-nodes/raises-the-limit",
    "topology-manager/max-allowable-numa-nodes",
    "topology-manager/best-effort",
    on=Start,
    rests_on=("topology/max-allowable-numa-nodes/allows-more",),
    strength="SHOULD",
    beyond="The page writes max-allowable-numa-nodes=true; a number is asked for.",
)
def option_raises_the_limit(start: Start) -> Judgement:
    """With max-allowable-numa-nodes set to the number of NUMA nodes, the node comes up on a machine with more
    than eight.
    """
    names_many_nodes_alone(start)
    applies(
        start.most_nodes >= len(start.machine.numa_ids),
        "max-allowable-numa-nodes is no number, or one below the NUMA nodes there are",
    )
    return _allows_more(start)


@chapter.requires(
    "topology-manager/max-allowable-numa-nodes/stays-a-limit",
    "topology-manager/max-allowable-numa-nodes",
    "topology-manager/best-effort",
    on=Start,
    rests_on=("topology/max-allowable-numa-nodes/allows-more",),
    strength="SHOULD",
    beyond="The page writes max-allowable-numa-nodes=true; a number is asked for.",
)
def raised_limit_is_a_limit(start: Start) -> Judgement:
    """With max-allowable-numa-nodes set to a number, a machine with more NUMA nodes is refused."""
    names_many_nodes_alone(start)
    applies(
        MOST_NODES <= start.most_nodes < start.nodes_in_use,
        "max-allowable-numa-nodes is no number, or the NUMA nodes with CPUs or memory are no more",
    )
    return must_not_come_up(start, f"with {MANY_NODES}={start.most_nodes} on {len(start.machine.numa_ids)} NUMA nodes")


def _allows_more(start: Start) -> Judgement:
    text = start.settings.topology_options[MANY_NODES]
    return must_come_up(start, f"with {MANY_NODES}={text} on {len(start.machine.numa_ids)} NUMA nodes")
