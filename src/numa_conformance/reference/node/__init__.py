"""One node: the full manager stack, from admission to reconcile and restart."""

from .explain import Explainer as Explainer
from .facts import NodeFacts as NodeFacts
from .fit import node_allocatable as node_allocatable
from .life import ShutdownGroup as ShutdownGroup
from .node import Node as Node
from .results import AdmissionResult as AdmissionResult
from .results import Books as Books
from .results import NodeContents as NodeContents
from .results import NodePools as NodePools
from .results import Placement as Placement
from .results import ReconcileResult as ReconcileResult
from .results import RestartResult as RestartResult
