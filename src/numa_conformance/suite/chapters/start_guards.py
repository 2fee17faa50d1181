"""Whether a node comes up with its configuration, and where checkers ask for that."""

from __future__ import annotations

from ..judge.chapter import Judgement, applies, violated
from ..judge.start_subjects import Start

STARTS, FAILS = "the node comes up", "the node does not come up"


def must_come_up(start: Start, why: str) -> Judgement:
    """Judge that the node comes up; ``why`` says with what."""
    return violated(start.up, f"the node does not come up, {why}", got=start.refusal, allowed=STARTS)


def must_not_come_up(start: Start, why: str) -> Judgement:
    """Judge that the node does not come up; ``why`` says with what."""
    return violated(not start.up, f"the node comes up, {why}", allowed=FAILS)


def leaves_out(start: Start, field: str) -> None:
    """Return the guard that the configuration does not have a field."""
    applies(field not in start.kubelet, f"{field} is set")
