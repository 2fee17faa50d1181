"""Asking a target a group of scenarios, and judging all that comes of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ..protocol import Client
from ..protocol.faults import TargetFault
from .drive import Scenario, drive
from .history import History
from .judging import Broken, Verdicts, judge

__all__ = ["Outcome", "ask", "broken_in"]

MOST_FAULTS = 3
"""Faults of a target after which a group is asked no further: each may have cost the whole time of a call."""


@dataclass(slots=True)
class Outcome:
    """What came of a group: verdicts, the histories that a fault of the target ended, and those faults."""

    verdicts: Verdicts = field(default_factory=Verdicts)
    ended: list[tuple[History, TargetFault]] = field(default_factory=list)
    driven: int = 0


def ask(scenarios: Iterable[Scenario], client: Client, version: str) -> Outcome:
    """Drive a target through scenarios and judge each history at once."""
    outcome = Outcome()
    for scenario in scenarios:
        history, fault = drive(scenario, client, version)
        outcome.driven += 1
        outcome.verdicts.add(judge(history))
        if fault is not None:
            outcome.ended.append((history, fault))
            if len(outcome.ended) >= MOST_FAULTS:
                break
    return outcome


def broken_in(outcomes: Iterable[Outcome], requirement: str) -> list[Broken]:
    """Return where a requirement is not met, the shortest conversation on the smallest machine first."""
    wrong = [broken for outcome in outcomes for broken in outcome.verdicts.broken if broken.requirement == requirement]
    return sorted(wrong, key=lambda broken: (broken.step, len(broken.history.head.machine.cpus), broken.history.id))
