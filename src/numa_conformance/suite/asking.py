"""Asking a target a group of scenarios, and judging all that comes of it."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from ..errors import Fault, UsageError
from ..protocol import Client
from ..protocol.faults import TargetFault
from .drive import Scenario, drive
from .history import History
from .judging import Broken, Verdicts, judge

__all__ = ["Budget", "Outcome", "ask", "broken_in", "part_of"]

MOST_FAULTS = 3
"""Faults of a target after which a group is asked no further: each may have cost the whole time of a call."""
PATIENCE = 3.0
"""How much longer than its share of the time a group goes on for what was not asked yet."""
_SETTING = re.compile("[A-Za-z-]+")
"""What the name of a cell is made of: options, policies, places."""
_WRITTEN = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,3})?)([smh%]?)")


@dataclass(frozen=True, slots=True)
class Budget:
    """How much of each group is asked: all of it, a part of its scenarios, or as many as so many seconds allow.

    A part of the scenarios is the same in every run; what seconds allow is not.
    """

    seconds: float | None = None
    part: float = 1.0

    @classmethod
    def parse(cls, text: str, option: str = "--numa-budget") -> Budget:
        """Read ``90``, ``90s``, ``10m``, ``1h`` or ``5%``; nothing is all. Raises ``UsageError``."""
        match = _WRITTEN.fullmatch(text or "100%")
        number, unit = (float(match[1]), match[2]) if match else (0.0, "")
        if not number or (unit == "%" and number > 100):
            accepted = "a time or a part of all, such as 90s, 10m or 5%"
            raise UsageError(Fault(option, f"{text!r} is no budget", accepted))
        if unit == "%":
            return cls(part=number / 100)
        return cls(seconds=number * {"": 1, "s": 1, "m": 60, "h": 3600}[unit])

    @property
    def is_whole(self) -> bool:
        """Whether everything is asked."""
        return self.seconds is None and self.part == 1.0

    def among(self, groups: int) -> Budget:
        """Return what one of so many groups may spend."""
        return self if self.seconds is None else Budget(self.seconds / max(groups, 1))

    def __str__(self) -> str:
        return f"{self.part:.3g} of all" if self.seconds is None else f"{self.seconds:g} s"


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
    budget: Budget = Budget(),
    wanted: frozenset[str] = frozenset(),
    enough: frozenset[str] = frozenset(),
    keep: Callable[[History], None] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Outcome:
    """Drive a target through scenarios and judge each history at once.

    Within a ``budget`` scenarios are taken from all over the group. When it is spent the group goes on for what is
    ``wanted`` and was not asked yet: three times as long where it is a time. Where only some requirements are asked
    for, ``enough`` names them: once none of them is met no more is asked. ``keep`` takes each history as it was driven.
    """
    outcome = Outcome()
    began = clock()
    ordered = list(scenarios) if budget.is_whole else _from_all_over(scenarios)
    for scenario in ordered:
        history, fault = drive(scenario, client, version)
        outcome.driven += 1
        if keep is not None:
            keep(history)
        outcome.verdicts.add(judge(history))
        if fault is not None:
            outcome.ended.append((history, fault))
            if len(outcome.ended) >= MOST_FAULTS:
                break
        if enough and enough <= outcome.verdicts.unmet:
            break
        if budget.is_whole:
            continue
        all_asked = wanted <= outcome.verdicts.asked.keys()
        if budget.seconds is None:
            spent = outcome.driven >= budget.part * len(ordered) and all_asked
        else:
            spent = clock() - began >= budget.seconds * (1 if all_asked else PATIENCE)
        if spent:
            break
    return outcome


def part_of(
    scenarios: Iterable[Scenario], budget: Budget, clock: Callable[[], float] = time.monotonic
) -> Iterator[Scenario]:
    """Yield what a budget leaves of a group, at least one: from all over it, until the budget is spent."""
    began = clock()
    ordered = list(scenarios) if budget.is_whole else _from_all_over(scenarios)
    for number, scenario in enumerate(ordered):
        spent = number / len(ordered) >= budget.part if budget.seconds is None else clock() - began >= budget.seconds
        if spent and number:
            return
        yield scenario


def _from_all_over(scenarios: Iterable[Scenario]) -> list[Scenario]:
    """Return the scenarios mixed, those first that bring a setting none before them has."""
    mixed = list(scenarios)
    random.Random(len(mixed)).shuffle(mixed)
    met: set[str] = set()
    new: list[Scenario] = []
    known: list[Scenario] = []
    for scenario in mixed:
        settings = set(_SETTING.findall(scenario.cell))
        (known if settings <= met else new).append(scenario)
        met |= settings
    return new + known


def broken_in(outcomes: Iterable[Outcome], requirement: str) -> list[Broken]:
    """Return where a requirement is not met, the shortest conversation on the smallest machine first."""
    wrong = [broken for outcome in outcomes for broken in outcome.verdicts.broken if broken.requirement == requirement]
    return sorted(wrong, key=lambda broken: (broken.step, len(broken.history.head.machine.cpus), broken.history.id))
