"""Asks a conversation that broke a requirement again, to tell a fault that stays from one that comes and goes."""

from __future__ import annotations

from ...protocol import Client
from ..checkers.verdicts import ANSWERED, judge
from ..history.history import History
from .drive import again

__all__ = ["times_seen"]

TIMES = 5
"""How often a conversation is asked in all."""
LONGEST = 1.0
"""Seconds that a conversation may have taken to be asked again: one in which a call timed out is not."""


def times_seen(history: History, requirement: str, client: Client) -> tuple[int, int] | None:
    """Return how often the requirement was broken, and how often the conversation was asked; None if it is too long."""
    if sum(step.seconds for step in history.steps) > LONGEST:
        return None
    seen = 1
    for _ in range(TIMES - 1):
        repeated, fault = again(history, client)
        seen += _is_broken(repeated, requirement) or (requirement == ANSWERED and fault is not None)
    return seen, TIMES


def _is_broken(history: History, requirement: str) -> bool:
    return any(broken.requirement == requirement for broken in judge(history).broken)
