"""The scheduler's NodeResourcesFit: filtering and scoring nodes, and filling a cluster with pods."""

from .cluster import ClusterReport, Decided, Followed, follow_cluster, numa_fragmentation, run_cluster
from .score import ResourceStep, Scorer, ScoreResult, mean_text, score_node, step_text

__all__ = ["ClusterReport", "Decided", "Followed", "ResourceStep", "ScoreResult", "Scorer", "follow_cluster"]
__all__ += ["mean_text", "numa_fragmentation", "run_cluster", "score_node", "step_text"]
