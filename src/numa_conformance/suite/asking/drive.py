"""Driving a target through a scenario. What is asked may follow from what was answered; nothing is judged here."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from ...machine import machine_to_dict
from ...protocol import Client
from ...protocol.faults import TargetFault, Unsupported
from ..generators.scenario import WITH_MACHINE, Question, Scenario, ask_all
from ..history.history import MACHINE, Head, History, Step

__all__ = ["again", "drive"]


def drive(
    scenario: Scenario, client: Client, version: str, over: Callable[[], bool] = lambda: False
) -> tuple[History, TargetFault | None]:
    """Ask a target and write down what it answers.

    A fault of the target (it hangs, dies or answers garbage) ends the history, is its last step, and is returned too.
    A malformed answer ends it likewise: it is for those who judge. So does a time that is ``over`` after an answer.
    Where the machine is outside of what the target supports the history ends before that question.
    """
    description = client.description
    head = Head(
        scenario.generator,
        scenario.cell,
        scenario.seed,
        scenario.machine,
        version,
        f"{description.name} {description.version}",
    )
    context: dict[str, Any] = {MACHINE: machine_to_dict(scenario.machine)}
    if version != description.kubernetes_version:
        context["kubernetes_version"] = version
    steps: list[Step] = []
    script = scenario.script()
    fault: TargetFault | None = None
    try:
        question = next(script)
        while True:
            began = time.perf_counter()
            answer = client.call(question[0], _full(question, context))
            steps.append(Step(*question, answer, None, time.perf_counter() - began))
            if steps[-1].malformed is not None or over():
                break
            question = script.send(answer)
    except StopIteration:
        pass
    except Unsupported as error:
        fault = error
    except TargetFault as error:
        fault = error
        steps.append(Step(*question, None, f"{error.verdict}: {error.message}", time.perf_counter() - began))
    finally:
        script.close()
    return History(head, tuple(steps)), fault


def again(history: History, client: Client) -> tuple[History, TargetFault | None]:
    """Ask the questions of a history anew, in their order."""
    head = history.head
    questions = [(step.method, step.params) for step in history.steps]
    scenario = Scenario(head.generator, head.cell, head.machine, lambda: ask_all(questions), head.seed)
    return drive(scenario, client, head.version)


def _full(question: Question, context: Mapping[str, Any]) -> dict[str, Any]:
    method, params = question
    needed = context if method == "node.start" else {MACHINE: context[MACHINE]} if method in WITH_MACHINE else {}
    return {**needed, **params}
