"""What a scheduler did, pod by pod, held against what was equally good: lots that it drew are no difference."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ...errors import Refusal
from ...kube import NodeObject, NodeResourcesFitArgs, Pod
from ...sources.quirks.areas import SchedulerQuirks
from .cluster import Admit, ClusterSchedule


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
