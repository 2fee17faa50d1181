"""A cluster whose nodes are whole node stacks: what the scheduler binds, the node may refuse."""

from .campaign import Job, RefusedPod, RunOutcome, Setup, run_campaign
from .engines import ENGINES, Engine, open_engine
from .groups import Fleet, NodeGroup, NodeKind, read_fleet
from .run import FleetRun, fill_cluster, follow_fleet

__all__ = [
    "ENGINES",
    "Engine",
    "Fleet",
    "FleetRun",
    "Job",
    "NodeGroup",
    "NodeKind",
    "RefusedPod",
    "RunOutcome",
    "Setup",
    "fill_cluster",
    "follow_fleet",
    "open_engine",
    "read_fleet",
    "run_campaign",
]
