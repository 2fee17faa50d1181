"""Driving a target through a scenario. What is asked may follow from what was answered; nothing is judged here."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..machine import machine_to_dict
from ..wire import Client
from ..wire.faults import TargetFault, Unsupported
from ..wire.history.history import MACHINE, Head, History, Step
from .generators.scenario import WITH_MACHINE, Scenario, Script


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
    machine = {MACHINE: machine_to_dict(scenario.machine)}
    context: dict[str, Any] = dict(machine)
    if version != description.kubernetes_version:
        context["kubernetes_version"] = version
    steps: list[Step] = []
    script = scenario.script()
    fault: TargetFault | None = None
    try:
        question = next(script)
        while True:
            began = time.perf_counter()
            method, params = question
            needed = context if method == "node.start" else machine if method in WITH_MACHINE else {}
            answer = client.call(method, {**needed, **params})
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
    """Ask the questions of a history anew, in their order; for state files that were told then stand those told now."""
    head = history.head
    scenario = Scenario(head.generator, head.cell, head.machine, lambda: _anew(history.steps), head.seed)
    return drive(scenario, client, head.version)


def again_in_its_version(history: History, client: Client) -> tuple[History, TargetFault | None]:
    """Ask them anew so that each follows the Kubernetes version that the target tells."""
    head = replace(history.head, version=client.description.kubernetes_version)
    return again(History(head, history.steps), client)


def _anew(steps: Sequence[Step]) -> Script:
    now_for = dict[str, str]()
    for step in steps:
        params = dict(step.params)
        if files := params.get("files"):
            params["files"] = {name: now_for.get(text, text) for name, text in files.items()}
        answer = yield step.method, params
        if step.answer is not None and step.malformed is None:
            now = _files(answer)
            now_for.update((text, now[place]) for place, text in _files(step.answer).items() if place in now)


def _files(answer: Mapping[str, Any]) -> dict[tuple[int, str], str]:
    """Return the state files that are told, and each write of one, by its place in the answer."""
    texts = {(-1, name): text for name, text in (answer.get("checkpoints") or {}).items()}
    writes = enumerate(answer.get("writes") or ())
    return texts | {(number, write["file"]): write["text"] for number, write in writes if write["text"] is not None}
