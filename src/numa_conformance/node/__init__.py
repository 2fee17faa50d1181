"""One node: the full manager stack, from admission to reconcile and restart."""

from .explain import Explainer
from .fit import node_allocatable
from .node import Node
from .results import (
    Admission,
    Books,
    Initial,
    NodeState,
    Placement,
    Reconciled,
    Restarted,
    Skipped,
    Update,
)

__all__ = [
    "Admission",
    "Books",
    "Explainer",
    "Initial",
    "Node",
    "NodeState",
    "Placement",
    "Reconciled",
    "Restarted",
    "Skipped",
    "Update",
    "node_allocatable",
]
