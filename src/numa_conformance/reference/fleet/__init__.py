"""A cluster whose nodes are whole node stacks: what the scheduler binds, the node may refuse."""

from .campaign import Job as Job
from .campaign import RunOutcome as RunOutcome
from .campaign import Setup as Setup
from .campaign import open_engine as open_engine
from .campaign import run_campaign as run_campaign
from .groups import Fleet as Fleet
from .groups import NodeGroup as NodeGroup
from .groups import NodeKind as NodeKind
from .groups import read_fleet as read_fleet
from .run import fill_cluster as fill_cluster
from .run import follow_fleet as follow_fleet
