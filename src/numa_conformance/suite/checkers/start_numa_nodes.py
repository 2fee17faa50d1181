"""How many NUMA nodes a node comes up with: the limit of the Topology Manager, and the option that raises it."""

from __future__ import annotations

from ...documentation.policies import TOPOLOGY_POLICIES
from ..judge.checker import Guard, Judgement, checker
from ..judge.start_subjects import MANY_NODES, MOST_NODES, Start
from .guards import under
from .start_guards import leaves_out, must_come_up, must_not_come_up, without_options

ALIGNING = tuple(policy for policy in TOPOLOGY_POLICIES if policy != "none")

on_eight_numa_nodes = Guard[Start](
    "the machine has more or fewer than eight NUMA nodes", lambda start: len(start.machine.numa_ids) == MOST_NODES
)
on_more_numa_nodes = Guard[Start](
    "the machine has eight NUMA nodes or fewer", lambda start: len(start.machine.numa_ids) > MOST_NODES
)
on_more_numa_nodes_in_use = Guard[Start](
    "eight NUMA nodes or fewer have CPUs or memory", lambda start: start.nodes_in_use > MOST_NODES
)
policy_is_written_none = Guard[Start](
    "topologyManagerPolicy is not set to none", lambda start: start.kubelet.get("topologyManagerPolicy") == "none"
)
names_many_nodes_alone = Guard[Start](
    "max-allowable-numa-nodes is hidden, or not the one option that is named",
    lambda start: start.named == {MANY_NODES} and bool(start.shows(MANY_NODES)),
)


as_a_number = Guard[Start](
    "max-allowable-numa-nodes is no number, or one below the NUMA nodes there are",
    lambda start: start.most_nodes >= len(start.machine.numa_ids),
)
as_too_small_a_number = Guard[Start](
    "max-allowable-numa-nodes is no number, or the NUMA nodes with CPUs or memory are no more",
    lambda start: MOST_NODES <= start.most_nodes < start.nodes_in_use,
)
as_true = Guard[Start](
    'max-allowable-numa-nodes is not "true"', lambda start: start.settings.topology_options.get(MANY_NODES) == "true"
)


@checker(
    "topology-manager/max-allowable-numa-nodes/eight-are-accepted",
    Start,
    when=(under(*ALIGNING), without_options, on_eight_numa_nodes),
)
def eight_numa_nodes_are_accepted(start: Start) -> Judgement:
    """A machine with exactly eight NUMA nodes is accepted."""
    return must_come_up(start, "on eight NUMA nodes")


@checker(
    "topology-manager/max-allowable-numa-nodes/default-is-eight",
    Start,
    when=(under(*ALIGNING), without_options, on_more_numa_nodes_in_use),
)
def more_numa_nodes_are_refused(start: Start) -> Judgement:
    """More than eight NUMA nodes are refused under every policy but none."""
    return must_not_come_up(start, f"under {start.settings.topology} on {len(start.machine.numa_ids)} NUMA nodes")


@checker(
    "topology-manager/max-allowable-numa-nodes/none-has-no-limit",
    Start,
    when=(policy_is_written_none, leaves_out("cpuManagerPolicy"), without_options, on_more_numa_nodes),
)
def none_has_no_limit(start: Start) -> Judgement:
    """Under policy none the number of NUMA nodes does not matter."""
    return must_come_up(start, f"under policy none on {len(start.machine.numa_ids)} NUMA nodes")


@checker("topology-manager/max-allowable-numa-nodes/is-set-to-true", Start, when=(names_many_nodes_alone, as_true))
def option_is_set_to_true(start: Start) -> Judgement:
    """Set to true the option allows more than eight NUMA nodes."""
    return _allows_more(start)


@checker(
    "topology-manager/max-allowable-numa-nodes/raises-the-limit", Start, when=(names_many_nodes_alone, as_a_number)
)
def option_raises_the_limit(start: Start) -> Judgement:
    """Set to a number the option allows so many."""
    return _allows_more(start)


@checker(
    "topology-manager/max-allowable-numa-nodes/stays-a-limit",
    Start,
    when=(names_many_nodes_alone, as_too_small_a_number),
)
def raised_limit_is_a_limit(start: Start) -> Judgement:
    """A machine with more NUMA nodes than the raised limit is refused."""
    return must_not_come_up(start, f"with {MANY_NODES}={start.most_nodes} on {len(start.machine.numa_ids)} NUMA nodes")


def _allows_more(start: Start) -> Judgement:
    text = start.settings.topology_options[MANY_NODES]
    return must_come_up(start, f"with {MANY_NODES}={text} on {len(start.machine.numa_ids)} NUMA nodes")
