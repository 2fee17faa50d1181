"""What happens to a node after its pods have come (``simulate --then``): restarts, boots, a shutdown, ends of pods."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

import click

from ..errors import Fault, KubeletFails, StartError, UsageError, did_you_mean
from ..machine import Machine, load_machine
from ..reference.node import AdmissionResult, ShutdownGroup
from .outcomes import Outcomes, headline

STEPS = "restart, reboot, reboot=MACHINE, shutdown, end=POD"


@dataclass(frozen=True)
class Step:
    """One step. ``machine``: what boots, where that is another one. ``pod``: the one that ends, as it is named."""

    text: str
    kind: str
    machine: Machine | None = None
    pod: str = ""


class StepType(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.2 only
    """A step, as it is written on a command line."""

    name = "step"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Step:
        """Read a step; the machine that it names is loaded."""
        if isinstance(value, Step):
            return value
        kind, _, name = value.partition("=")
        if value not in ("restart", "reboot", "shutdown") and not (kind in ("reboot", "end") and name):
            self.fail(f"{value!r} is no step; accepted: {STEPS}{did_you_mean(kind, STEPS.split(', '))}", param, ctx)
        return Step(
            value, kind, load_machine(name) if name and kind == "reboot" else None, name if kind == "end" else ""
        )


@dataclass(frozen=True)
class StepOutcome:
    """What a step did: the pods that were admitted again, those that ended group by group, or why nothing starts."""

    step: Step
    admissions: tuple[AdmissionResult, ...] = ()
    groups: tuple[ShutdownGroup, ...] = ()
    failure: str = ""

    def lines(self, outcomes: Outcomes) -> Iterator[str]:
        """Yield it as text."""
        if self.failure:
            yield f"the kubelet does not start: {self.failure}"
        for group in self.groups:
            pods = ", ".join(f"{outcomes.names[uid]} ({seconds} s)" for uid, seconds in group.pods.items())
            yield f"priority {group.priority}, for at most {group.seconds} s: {pods} end, Failed: Terminated"
        if self.step.kind == "shutdown" and not self.groups:
            yield "no pod is ended: there is none, or shutdownGracePeriod leaves no time"
        if self.step.pod:
            yield "what it held is released when a manager is next asked"
        yield from (headline(admission, outcomes) for admission in self.admissions)

    def to_dict(self, outcomes: Outcomes) -> dict[str, Any]:
        """Return it for a program."""
        groups = [
            {**asdict(group), "pods": {outcomes.names[uid]: seconds for uid, seconds in group.pods.items()}}
            for group in self.groups
        ]
        pods = [outcomes.pod_to_dict(admission) for admission in self.admissions]
        return {"step": self.step.text, "pods": pods, "ended": groups, "failure": self.failure or None}


def take(step: Step, outcomes: Outcomes) -> StepOutcome:
    """Take a step, after which the outcomes are of the node as it is then; raises ``UsageError`` for an unknown pod.

    Where the kubelet does not start the node stays as it was.
    """
    node = outcomes.node.copy(outcomes.explainer)
    done = StepOutcome(step)
    try:
        if step.kind == "end":
            node.remove(_uid(step.pod, outcomes))
        elif step.kind == "shutdown":
            done = replace(done, groups=tuple(node.shut_down()))
        else:
            again = node.restart() if step.kind == "restart" else node.reboot(step.machine)
            done = replace(done, admissions=again.pods)
    except (StartError, KubeletFails) as error:
        return replace(done, failure=str(error))
    outcomes.node = node
    return done


def _uid(name: str, outcomes: Outcomes) -> str:
    there = {outcomes.names.get(uid, uid): uid for uid in outcomes.node.pods}
    for known in (name, f"default/{name}"):
        if known in there:
            return there[known]
    raise UsageError(Fault("--then", f"no pod {name!r} is on the node{did_you_mean(name, there)}", ", ".join(there)))
