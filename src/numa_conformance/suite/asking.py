"""Asking a target a group of scenarios, and judging all that comes of it."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from ..protocol import Client
from ..protocol.faults import TargetFault
from .drive import Scenario, drive
from .history import History
from .judging import Broken, Verdicts, judge

__all__ = ["Outcome", "ask", "broken_in"]

MOST_FAULTS = 3
"""Faults of a target after which a group is asked no further: each may have cost the whole time of a call."""


PATIENCE = 3.0
"""How much longer than its share of a budget a group goes on for what was not asked yet."""


@dataclass(slots=True)
class Outcome:
    """What came of a group: verdicts, the histories that a fault of the target ended, and those faults."""

    verdicts: Verdicts = field(default_factory=Verdicts)
    ended: list[tuple[History, TargetFault]] = field(default_factory=list)
    driven: int = 0


def ask(
    scenarios: Iterable[Scenario],
    client: Client,
    version: str,
    *,
    enough: frozenset[str] = frozenset(),
    seconds: float | None = None,
    wanted: frozenset[str] = frozenset(),
    clock: Callable[[], float] = time.monotonic,
) -> Outcome:
    """Drive a target through scenarios and judge each history at once.

    Where only some requirements are asked for, ``enough`` names them: once none of them is met no more is asked. With
    ``seconds`` scenarios are taken from all over the group, and no further one is begun when the time is over and all
    that is ``wanted`` was asked; what may not be askable at all is waited for three times as long, or, where ``enough``
    narrows what is asked for, to the end.
    """
    outcome = Outcome()
    began = clock()
    if seconds is not None:
        scenarios = _from_all_over(scenarios)
    for scenario in scenarios:
        history, fault = drive(scenario, client, version)
        outcome.driven += 1
        outcome.verdicts.add(judge(history))
        if fault is not None:
            outcome.ended.append((history, fault))
            if len(outcome.ended) >= MOST_FAULTS:
                break
        if seconds is not None and clock() - began >= seconds:
            all_asked = wanted <= outcome.verdicts.asked.keys()
            if all_asked or (not enough and clock() - began >= PATIENCE * seconds):
                break
        if enough and enough <= {broken.requirement for broken in outcome.verdicts.broken}:
            break
    return outcome


def _from_all_over(scenarios: Iterable[Scenario]) -> list[Scenario]:
    mixed = list(scenarios)
    random.Random(len(mixed)).shuffle(mixed)
    return mixed


def broken_in(outcomes: Iterable[Outcome], requirement: str) -> list[Broken]:
    """Return where a requirement is not met, the shortest conversation on the smallest machine first."""
    wrong = [broken for outcome in outcomes for broken in outcome.verdicts.broken if broken.requirement == requirement]
    return sorted(wrong, key=lambda broken: (broken.step, len(broken.history.head.machine.cpus), broken.history.id))
