"""Recorded decisions: read them, replay them against a target, say where it differs."""

from .differences import Difference
from .node_steps import record
from .replay import KINDS, Outcome, Totals, replay, unsupported
from .vectors import FIRST_RECORDED, Vector, read_vectors

__all__ = [
    "FIRST_RECORDED",
    "KINDS",
    "Difference",
    "Outcome",
    "Totals",
    "Vector",
    "read_vectors",
    "record",
    "replay",
    "unsupported",
]
