"""One node: the full manager stack, from admission to reconcile and restart."""

from .explain import Explainer
from .facts import NodeFacts
from .fit import node_allocatable
from .life import ShutdownGroup
from .node import Node
from .results import AdmissionResult, Books, NodeContents, NodePools, Placement, ReconcileResult, RestartResult

__all__ = ["AdmissionResult", "Books", "Explainer", "Node", "NodeContents", "NodeFacts", "NodePools", "Placement"]
__all__ += ["ReconcileResult", "RestartResult", "ShutdownGroup", "node_allocatable"]
