"""Asks a conversation that broke a requirement again, to tell a fault that stays from one that comes and goes."""

from __future__ import annotations

from ...protocol import Client
from ..history.history import History
from ..judge.verdicts import ANSWERED, judge
from .drive import again

__all__ = ["times_seen"]

TIMES = 5
"""How often a conversation is asked in all, at most."""
LONGEST = 5.0
"""Seconds that asking again may take: a conversation in which a call timed out is not asked again."""


def times_seen(history: History, requirement: str, client: Client) -> tuple[int, int] | None:
    """Return how often the requirement was broken, and how often the conversation was asked; None if it is too long."""
    took = sum(step.seconds for step in history.steps)
    if took > LONGEST:
        return None
    seen, times = 1, min(TIMES, 1 + int(LONGEST / max(took, 1e-6)))
    for _ in range(times - 1):
        repeated, fault = again(history, client)
        seen += _is_broken(repeated, requirement) or (requirement == ANSWERED and fault is not None)
    return seen, times


def _is_broken(history: History, requirement: str) -> bool:
    return any(broken.requirement == requirement for broken in judge(history).broken)
