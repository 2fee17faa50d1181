"""One node: the full manager stack, from admission to reconcile and restart."""

from ...machine.hostfs import CgroupUpdate as Update
from .explain import Explainer
from .fit import node_allocatable
from .node import Node
from .results import Admission, Books, NodeState, Placement, Pools, Reconciled, Restarted, Skipped

__all__ = [
    "Admission",
    "Books",
    "Explainer",
    "Node",
    "NodeState",
    "Placement",
    "Pools",
    "Reconciled",
    "Restarted",
    "Skipped",
    "Update",
    "node_allocatable",
]
