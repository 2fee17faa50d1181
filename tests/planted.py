"""Asks small allocators, right and wrong ones, what generators ask targets, and judges what they answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from numa_conformance.suite.drive import Scenario
from numa_conformance.suite.history import Head, History, Step
from numa_conformance.suite.judging import Verdicts, judge

Answering = Callable[[Scenario, Mapping[str, Any]], Mapping[str, Any]]


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


def judged(scenarios: Iterable[Scenario], answering: Answering) -> Verdicts:
    """Judge a function's answers to all scenarios."""
    verdicts = Verdicts()
    for scenario in scenarios:
        verdicts.add(judge(asked(scenario, answering)))
    return verdicts


def broken(scenarios: Iterable[Scenario], answering: Answering) -> set[str]:
    """Return the requirements that a function breaks."""
    return judged(scenarios, answering).unmet
