"""The scheduler's NodeResourcesFit: filtering and scoring nodes."""

from .fit import insufficient
from .score import ResourceStep, ScoreResult, score_node

__all__ = ["ResourceStep", "ScoreResult", "insufficient", "score_node"]
