"""One node: the full manager stack, from admission to reconcile and restart."""

from ...machine.hostfs import CgroupUpdate as Update
from .explain import Explainer
from .facts import NodeFacts
from .fit import node_allocatable
from .life import ShutdownGroup
from .node import Node
from .results import AdmissionResult, Books, NodeContents, NodePools, Placement, ReconcileResult, RestartResult, Skipped

__all__ = [
    "AdmissionResult",
    "Books",
    "Explainer",
    "Node",
    "NodeContents",
    "NodeFacts",
    "NodePools",
    "Placement",
    "ReconcileResult",
    "RestartResult",
    "ShutdownGroup",
    "Skipped",
    "Update",
    "node_allocatable",
]
