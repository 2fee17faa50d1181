"""A cluster whose nodes are whole node stacks: what the scheduler binds, the node may refuse."""

from .campaign import Job, RunOutcome, Setup, open_engine, run_campaign
from .groups import Fleet, NodeGroup, NodeKind, read_fleet
from .run import fill_cluster, follow_fleet

__all__ = ["Fleet", "Job", "NodeGroup", "NodeKind", "RunOutcome", "Setup", "fill_cluster", "follow_fleet"]
__all__ += ["open_engine", "read_fleet", "run_campaign"]
