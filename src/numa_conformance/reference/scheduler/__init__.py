"""The scheduler's NodeResourcesFit: filtering and scoring nodes, and filling a cluster with pods."""

from .cluster import ClusterReport as ClusterReport
from .cluster import numa_fragmentation as numa_fragmentation
from .cluster import run_cluster as run_cluster
from .following import Decided as Decided
from .following import Followed as Followed
from .following import follow_cluster as follow_cluster
from .score import ResourceStep as ResourceStep
from .score import Scorer as Scorer
from .score import ScoreResult as ScoreResult
from .score import mean_text as mean_text
from .score import score_node as score_node
from .score import step_text as step_text
