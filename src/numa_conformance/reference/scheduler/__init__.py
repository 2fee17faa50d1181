"""The scheduler's NodeResourcesFit: filtering and scoring nodes, and filling a cluster with pods."""

from .cluster import Admit as Admit
from .cluster import run_cluster as run_cluster
from .cluster_report import ClusterReport as ClusterReport
from .cluster_report import NodeFill as NodeFill
from .cluster_report import RefusedByNode as RefusedByNode
from .cluster_report import Unschedulable as Unschedulable
from .cluster_report import numa_fragmentation as numa_fragmentation
from .following import Decided as Decided
from .following import Followed as Followed
from .following import follow_cluster as follow_cluster
from .inputs import insufficient as insufficient
from .score import ResourceStep as ResourceStep
from .score import Scorer as Scorer
from .score import ScoreResult as ScoreResult
from .score import mean_text as mean_text
from .score import score_node as score_node
from .score import step_text as step_text
