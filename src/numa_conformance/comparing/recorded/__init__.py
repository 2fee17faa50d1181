"""Recorded decisions: read them, replay them against a target, say where it differs."""

from .differences import Difference
from .forms import check_form
from .node_steps import record
from .replay import KINDS, Answerer, Recorded, ReplayOutcome, Status, record_decisions, replay, unsupported
from .vectors import FIRST_RECORDED, MAX_DECISIONS, SelectedDecisions, Vector, read_vectors, select

__all__ = ["FIRST_RECORDED", "KINDS", "MAX_DECISIONS", "Answerer", "Difference", "Recorded", "ReplayOutcome"]
__all__ += ["SelectedDecisions", "Status", "Vector", "check_form", "read_vectors", "record", "record_decisions"]
__all__ += ["replay", "select", "unsupported"]
