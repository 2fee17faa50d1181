"""What came of scheduling pods on many nodes, and how much room is left that nobody can use."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ...errors import Refusal


@dataclass(frozen=True, slots=True)
class Unschedulable:
    """A pod that fits no node. ``reasons``: reason to the number of nodes it holds for; a node may have several."""

    uid: str
    reasons: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class RefusedByNode:
    """A pod that the scheduler placed and the node's resource managers refused."""

    uid: str
    node: str
    refusal: Refusal


@dataclass(frozen=True, slots=True)
class NodeFill:
    """One node in the end: its pods, the millicores nobody requests, and whether the smallest pod of the run fits.

    The smallest pod is the one that requests the least cpu, pods that request none aside.
    """

    name: str
    pods: int
    free_cpu: int
    has_room: bool


@dataclass(frozen=True, slots=True)
class ClusterReport:
    """Where pods went: uid to node, in the order of binding; who found no node; whom a node refused; every node."""

    placements: Mapping[str, str]
    unschedulable: tuple[Unschedulable, ...]
    refused: tuple[RefusedByNode, ...]
    nodes: tuple[NodeFill, ...]

    @property
    def stranded_cpu(self) -> int:
        """Free millicores on nodes on which not even the smallest pod of the run fits.

        They are lost to this workload: too few are left in one place, or the node is out of something else.
        """
        return sum(node.free_cpu for node in self.nodes if not node.has_room)

    def numa_fragmentation(self, free_cpus: Callable[[str], Sequence[int]]) -> float:
        """Return the share of the cluster's free CPUs that lie outside the emptiest NUMA node of their node.

        ``free_cpus`` tells the free CPUs per NUMA node of a node of that name. Weighted by the free CPUs of each node.
        """
        free = [tuple(free_cpus(node.name)) for node in self.nodes]
        total = sum(map(sum, free))
        return (
            sum(numa_fragmentation(free_by_node) * sum(free_by_node) for free_by_node in free) / total if total else 0.0
        )


def numa_fragmentation(free: Sequence[int]) -> float:
    """Return the share of free CPUs outside the NUMA node that has most of them: 0 to below 1, 0 when none is free.

    0 means that all free CPUs can serve one pod from a single NUMA node; with n NUMA nodes equally free it is 1 - 1/n.
    """
    total = sum(free)
    return 1 - max(free) / total if total else 0.0
