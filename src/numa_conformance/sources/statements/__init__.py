"""Statements: every sentence of the pages that says how a node or the scheduler must behave, in our words."""

from .statement import STATEMENTS, Statement, Strength

__all__ = ["STATEMENTS", "Statement", "Strength"]
