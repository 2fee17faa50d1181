"""Rules: how the kubelet and the scheduler behave, one line each. The code cites them by id."""

from .rule import CHAPTERS, RULES, Rule, RuleChapter, anchor_of, rule_address

__all__ = ["CHAPTERS", "RULES", "Rule", "RuleChapter", "anchor_of", "rule_address"]
