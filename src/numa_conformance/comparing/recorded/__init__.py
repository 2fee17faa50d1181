"""Recorded decisions: read them, replay them against a target, say where it differs."""

from .differences import Difference
from .forms import check_form
from .node_steps import record
from .recording import Answerer, Recorded, record_decisions
from .replay import KINDS, Outcome, Totals, replay, unsupported
from .selection import MAX_DECISIONS, Selection, select
from .vectors import FIRST_RECORDED, Vector, read_vectors

__all__ = [
    "FIRST_RECORDED",
    "KINDS",
    "MAX_DECISIONS",
    "Answerer",
    "Difference",
    "Outcome",
    "Recorded",
    "Selection",
    "Totals",
    "Vector",
    "check_form",
    "read_vectors",
    "record",
    "record_decisions",
    "replay",
    "select",
    "unsupported",
]
