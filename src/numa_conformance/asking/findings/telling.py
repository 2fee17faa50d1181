"""Telling a broken requirement to a person: what was asked, the picture with the CPUs that matter, the scenario."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...judging.verdicts import Broken, judge
from ...machine import machine_to_dict
from ...wire.history.history import History, Step
from ..generators.scenario import WITH_MACHINE
from .findings import Finding, drawn, holders, maps, scenario_json

_OPS = {"node.admit": "admit", "node.run": "start", "node.remove": "remove", "node.reconcile": "reconcile"}


@dataclass(frozen=True, slots=True)
class CaseReport:
    """What a case on histories knows beside its verdict: how often it asked, and where its requirement is broken.

    - ``history``: the shortest in which it is broken. ``broken_in``: how many break nothing else before.
    - ``broken``: at how many questions it is broken.
    - ``machines``: those on which it shows. ``known``: those of them on which it is known to, where it shows on others.
    - ``other_requirements``: the other requirements that are broken in that history.
    - ``repetitions``: how often it was broken, and how often that history was asked.
    - ``held_back``: why it was not asked of what it could be asked of, and how often.
    - ``telling``: machine to whether some other answer there would have broken it, as 1 or 0.
    - ``in_part``: the groups of which a budget left scenarios out: how many were driven, of how many.
    """

    tests: int
    histories: int
    history: History | None = None
    broken_in: int = 0
    broken: int = 0
    machines: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    other_requirements: tuple[str, ...] = ()
    repetitions: tuple[int, int] | None = None
    held_back: Mapping[str, int] = field(default_factory=dict)
    telling: Mapping[str, int] = field(default_factory=dict)
    in_part: Mapping[str, tuple[int, int]] = field(default_factory=dict)


def other_broken(broken: Broken) -> tuple[str, ...]:
    """Return the other requirements that the end of the same conversation breaks, ascending."""
    history = broken.history.until(broken.step + 1)
    at_the_end = {wrong.requirement for wrong in judge(history).broken if wrong.step == broken.step}
    return tuple(sorted(at_the_end - {broken.requirement}))


def finding_of(broken: Broken) -> Finding:
    """Return the finding of a broken requirement, at the end of the conversation that led there."""
    history = broken.history.until(broken.step + 1)
    scenario = scenario_of(history)
    wrong = broken.violation
    if scenario["kind"] == "question":
        known = maps(scenario)
        shown = known[2] if known else None
    else:
        shown = {name: cpus for name, cpus in holders(scenario["steps"], scenario["answered"]).items() if cpus}
    return Finding(
        [broken.requirement],
        wrong.why,
        got=wrong.got or None,
        allowed=wrong.allowed or None,
        scenario=scenario,
        picture=drawn(history.head.machine, shown or {}, wrong.marks),
        marks=wrong.marks,
    )


def scenario_of(history: History) -> dict[str, Any]:
    """Return a history as a scenario that ``replay`` takes: a node and its steps, or the last question alone."""
    machine = history.head.machine
    starts = [number for number, step in enumerate(history.steps) if step.method == "node.start"]
    if not starts:
        last = history.steps[-1]
        context = {"machine": machine_to_dict(machine)} if last.method in WITH_MACHINE else {}
        question = {"method": last.method, "params": {**context, **last.params}, "answered": dict(last.answer or {})}
        return {"id": "scenario", "kind": "question", **question}
    start = history.steps[starts[-1]]
    operations = [(operation, step) for step in history.steps[starts[-1] + 1 :] if (operation := _operation(step))]
    return scenario_json(
        machine,
        start.params["kubelet"],
        [operation for operation, _ in operations],
        [step.answer or {} for _, step in operations],
        came_up=(start.answer or {}).get("result") != "failed",
    )


def _operation(step: Step) -> dict[str, Any] | None:
    if step.method == "node.restart":
        return {"op": "restart", **{key: value for key, value in step.params.items() if key == "kubelet" and value}}
    operation = _OPS.get(step.method)
    return {"op": operation, **step.params} if operation else None
