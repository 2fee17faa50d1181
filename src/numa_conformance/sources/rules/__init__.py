"""Rules: how the kubelet and the scheduler behave, one line each. The code cites them by id."""

from .rule import CHAPTERS, RULES, anchor_of, rule_address

__all__ = ["CHAPTERS", "RULES", "anchor_of", "rule_address"]
