"""Asks small allocators, right and wrong ones, what generators ask targets, and judges what they answer."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from numa_conformance import chapters as chapters  # they declare what is judged
from numa_conformance.asking.generators.scenario import Scenario
from numa_conformance.judging.verdicts import HistoryVerdicts, judge
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.wire import Client, InProcess
from numa_conformance.wire.history.history import Head, History, Step

Answering = Callable[[Scenario, Mapping[str, Any]], Mapping[str, Any]]


@lru_cache
def documented_reference() -> Client:
    """Return the reference at level documented, asked in this process."""
    return Client(InProcess(lambda: ReferenceTarget(level="documented"), "reference"))


def mixed(scenarios: Iterable[Scenario]) -> tuple[Scenario, ...]:
    """Return scenarios in an order in which what breaks a rule shows soon; it is the same in every run."""
    drawn = list(scenarios)
    random.Random(len(drawn)).shuffle(drawn)
    return tuple(drawn)


def asked(scenario: Scenario, answering: Answering) -> History:
    """Drive a function through a scenario."""
    head = Head(scenario.generator, scenario.cell, scenario.seed, scenario.machine, "1.32")
    steps: list[Step] = []
    script = scenario.script()
    try:
        question = next(script)
        while True:
            answer = answering(scenario, question[1])
            steps.append(Step(*question, answer))
            question = script.send(answer)
    except StopIteration:
        return History(head, tuple(steps))


def judged(scenarios: Iterable[Scenario], answering: Answering) -> HistoryVerdicts:
    """Judge a function's answers to all scenarios."""
    verdicts = HistoryVerdicts()
    for scenario in scenarios:
        verdicts.add(judge(asked(scenario, answering)))
    return verdicts


def breaks(requirement: str, scenarios: Iterable[Scenario], answering: Answering) -> bool:
    """Tell whether a function breaks a requirement; no more is asked once it does."""
    return any(requirement in judge(asked(scenario, answering), only={requirement}).unmet for scenario in scenarios)
