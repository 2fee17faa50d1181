"""Statements: every sentence of the pages that says how a node or the scheduler must behave, in our words."""

from .registry import STATEMENTS
from .statement import Statement, Strength

__all__ = ["STATEMENTS", "Statement", "Strength"]
