"""The scheduler's NodeResourcesFit: filtering and scoring nodes, and filling a cluster with pods."""

from .arithmetic import mean_text, step_text
from .cluster import Admit, run_cluster
from .cluster_report import ClusterReport, NodeFill, RefusedByNode, Unschedulable, numa_fragmentation
from .following import Decided, Followed, follow_cluster
from .inputs import insufficient
from .score import ResourceStep, Scorer, ScoreResult, score_node

__all__ = [
    "Admit",
    "ClusterReport",
    "Decided",
    "Followed",
    "NodeFill",
    "RefusedByNode",
    "ResourceStep",
    "ScoreResult",
    "Scorer",
    "Unschedulable",
    "follow_cluster",
    "insufficient",
    "mean_text",
    "numa_fragmentation",
    "run_cluster",
    "score_node",
    "step_text",
]
