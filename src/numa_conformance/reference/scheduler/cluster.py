"""Many nodes: pods are filtered, scored and bound one after the other, and each node may still refuse.

Every node is scored. Among equals the first node wins, or one of them by lot, as the scheduler itself draws. The report
says where pods went, and how much room is left that nobody can use. What another scheduler did is held against what was
equally good: lots that it drew are no difference.
"""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...errors import Fault, Refusal, UsageError, closest
from ...kube import NodeObject, NodeResourcesFitArgs, Pod
from ...sources.quirks.areas import SchedulerQuirks
from .inputs import amount_of, filter_amounts
from .ranking import ByLot, FirstAmongEquals, NodeBooks, Ranking, Shape, Standing
from .score import Scorer


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


Admit = Callable[[str, Pod], "Refusal | Sequence[str] | None"]
"""Asks the node of this name to run a pod; returns its refusal, or the uids of the pods that end for it."""

_PREEMPTED = Refusal("Preempting", "Preempted in order to admit critical pod")


def run_cluster(
    nodes: Iterable[NodeObject],
    pods: Iterable[Pod],
    args: NodeResourcesFitArgs,
    *,
    quirks: SchedulerQuirks,
    admit: Admit | None = None,
    track: Callable[[Sequence[Pod]], Iterable[Pod]] | None = None,
    draw: random.Random | None = None,
) -> ClusterReport:
    """Schedule pods in the order given, and return where they went.

    A pod with a node name goes to that node unasked. A pod that its node refuses has failed: it is not scheduled again
    and counts nowhere, as with the kubelet. Without ``admit`` nodes refuse nothing. ``track`` passes the pods on,
    one by one, and may show how far the run is. With ``draw`` lots are drawn among equal scores.

    Raises ``UsageError`` for node names or uids that occur twice and for pods bound to nodes that are not there.
    """
    named, waiting = list(nodes), list(pods)
    _check(named, waiting)
    cluster = ClusterSchedule(named, args, quirks, draw)
    placements: dict[str, str] = {}
    shapes: dict[str, Shape] = {}
    unschedulable: list[Unschedulable] = []
    refused: list[RefusedByNode] = []
    for pod in track(waiting) if track else waiting:
        ranking = cluster.ranking(pod)
        index = cluster.choose(pod, ranking)
        if index is None:
            unschedulable.append(Unschedulable(pod.uid, ranking.reasons(cluster.nodes)))
            continue
        name = cluster.nodes[index].name
        answer = admit(name, pod) if admit else None
        if isinstance(answer, Refusal):
            refused.append(RefusedByNode(pod.uid, name, answer))
            continue
        for uid in answer or ():
            refused.append(RefusedByNode(uid, placements.pop(uid), _PREEMPTED))
            cluster.bind(index, shapes[uid], -1)
        cluster.bind(index, ranking.shape)
        placements[pod.uid], shapes[pod.uid] = name, ranking.shape
    return ClusterReport(placements, tuple(unschedulable), tuple(refused), cluster.fill())


class ClusterSchedule:
    """The nodes with what is requested on them, and one ranking per shape of pod."""

    def __init__(
        self,
        nodes: Sequence[NodeObject],
        args: NodeResourcesFitArgs,
        quirks: SchedulerQuirks,
        draw: random.Random | None = None,
    ) -> None:
        self._args = args
        self._draw = draw
        self._scorer = Scorer(args.strategy, quirks)
        self._rankings: dict[object, Ranking] = {}
        self._states: dict[object, int] = {}
        self._changes: list[int] = []
        self._index = {node.name: index for index, node in enumerate(nodes)}
        self.nodes = [
            NodeBooks(node.name, {name: amount_of(name, amount) for name, amount in node.allocatable.items()})
            for node in nodes
        ]
        self._kinds = [tuple(sorted(node.capacity.items())) for node in self.nodes]
        for index in range(len(self.nodes)):
            self._changed(index)

    def ranking(self, pod: Pod) -> Ranking:
        """Return the ranking for pods like this one."""
        shape = Shape(filter_amounts(pod), self._scorer.counted(pod), self._scorer.request(pod))
        key = shape.key
        if key not in self._rankings:
            standing: Standing = FirstAmongEquals() if self._draw is None else ByLot(self._draw)
            self._rankings[key] = Ranking(shape, self._args, self._scorer, standing)
        return self._rankings[key]

    def choose(self, pod: Pod, ranking: Ranking) -> int | None:
        """Return the index of the node a pod goes to, None when it fits none."""
        return self.index(pod.node_name) if pod.node_name else ranking.best(self.nodes, self._changes)

    def equals(self, ranking: Ranking) -> Sequence[int]:
        """Return the indices of all nodes that are best."""
        return ranking.equals(self.nodes, self._changes)

    def index(self, name: str) -> int:
        """Return the index of a node; raises ``UsageError`` for one that is not there."""
        if name not in self._index:
            raise UsageError(Fault("", f"there is no node {name!r}", suggestion=closest(name, self._index)))
        return self._index[name]

    def bind(self, index: int, shape: Shape, times: int = 1) -> None:
        """Account for a pod on a node; ``times`` -1 takes it off."""
        self.nodes[index].add(shape, times)
        self._changed(index)

    def _changed(self, index: int) -> None:
        node = self.nodes[index]
        amounts = tuple(sorted(node.requested.items())), tuple(sorted(node.counted.items()))
        node.state = self._states.setdefault((self._kinds[index], node.pods, amounts), len(self._states))
        self._changes.append(index)

    def fill(self) -> tuple[NodeFill, ...]:
        """Return how full every node is, and whether the smallest of the pods would still fit."""
        probe = min(
            (ranking for ranking in self._rankings.values() if ranking.shape.requested.get("cpu", 0)),
            key=lambda ranking: (ranking.shape.requested["cpu"], ranking.shape.key),
            default=None,
        )
        return tuple(
            NodeFill(node.name, node.pods, node.free_cpu(), has_room=probe is None or not probe.missing(node))
            for node in self.nodes
        )


def _check(nodes: Sequence[NodeObject], pods: Sequence[Pod]) -> None:
    names = sorted({node.name for node in nodes})
    faults = _twice("nodes", [node.name for node in nodes]) + _twice("pods", [pod.uid for pod in pods])
    known = {"", *names}
    for pod in pods:
        if pod.node_name not in known:
            near = closest(pod.node_name, names)
            place = f"pod {pod.name}: spec.nodeName"
            faults.append(Fault(place, f"there is no node {pod.node_name!r}", suggestion=near))
    if faults:
        raise UsageError(faults)


def _twice(place: str, names: Sequence[str]) -> list[Fault]:
    faults = []
    known: set[str] = set()
    for index, name in enumerate(names):
        if name in known:
            faults.append(Fault(f"{place}[{index}]", f"{name!r} occurs twice"))
        known.add(name)
    return faults


@dataclass(frozen=True, slots=True)
class Decided:
    """What became of a pod: its node, empty where it fitted none; and whether that node refused it."""

    node: str
    refused: bool = False


@dataclass(frozen=True, slots=True)
class Followed:
    """One pod: what became of it, the nodes of the best score by NodeResourcesFit, and its node's own answer here."""

    uid: str
    decided: Decided
    best: tuple[str, ...]
    refusal: Refusal | None

    @property
    def is_among_best(self) -> bool:
        """Whether the node is one of the best; or the pod has none, and none was there."""
        return self.decided.node in self.best if self.decided.node else not self.best

    @property
    def is_decided_alike(self) -> bool:
        """Whether its node decides here as it did there."""
        return self.decided.refused == (self.refusal is not None)


def follow_cluster(
    nodes: Iterable[NodeObject],
    there: Iterable[Pod],
    pods: Iterable[Pod],
    decided: Mapping[str, Decided],
    args: NodeResourcesFitArgs,
    *,
    quirks: SchedulerQuirks,
    admit: Admit,
) -> list[Followed]:
    """Go through pods in their order as they were ``decided`` (by uid), and tell of each what else was as good.

    ``there`` are on their nodes from the beginning. Raises ``UsageError`` for nodes that are not there.
    """
    named, known = list(nodes), list(there)
    cluster = ClusterSchedule(named, args, quirks)
    for pod in known:
        if not isinstance(admit(pod.node_name, pod), Refusal):
            cluster.bind(cluster.index(pod.node_name), cluster.ranking(pod).shape)
    followed = []
    for pod in pods:
        ranking, what = cluster.ranking(pod), decided[pod.uid]
        best = tuple(cluster.nodes[index].name for index in cluster.equals(ranking))
        answer = admit(what.node, pod) if what.node else None
        if what.node and not what.refused:
            cluster.bind(cluster.index(what.node), ranking.shape)
        followed.append(Followed(pod.uid, what, best, answer if isinstance(answer, Refusal) else None))
    return followed
