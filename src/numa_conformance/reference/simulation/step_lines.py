"""What a step did, and who has what after it: as text, and for a program."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import msgspec

from ...kube.steps import PluginState
from .outcomes import Outcomes, brief_placements, headline
from .steps import StepOutcome

_PLUGINS: Mapping[PluginState, str] = {
    "registered": "the device plugin offers what the machine says",
    "fails": "the device plugin has an error for each call",
    "empty": "the device plugin is registered, and offers nothing or has stopped",
    "unregistered": "no device plugin is registered, so that the kubelet does not look at it",
}


@dataclass(frozen=True, slots=True)
class Section:
    """A pod, pods that are refused alike, or a step: a sentence, and what is said of it, a line each."""

    heading: str
    lines: Sequence[str] = ()
    is_well: bool = False
    is_step: bool = False

    @property
    def indented(self) -> Iterator[str]:
        """The lines below the heading, further in."""
        return (f"    {line}" for line in self.lines)


def step_section(step: StepOutcome, outcomes: Outcomes) -> Section:
    """Return what a step did, and who has what after it."""
    return Section(f"then {step.step.text}", list(_lines(step, outcomes)), not step.is_wrong, is_step=True)


def _lines(step: StepOutcome, outcomes: Outcomes) -> Iterator[str]:
    names, machine = outcomes.names, outcomes.node.machine
    if step.failure:
        yield f"{step.fate}; the node stays as it was"
    if step.step.kind == "plugin":
        yield from (f"{resource}: {_PLUGINS[state]}" for resource, state in step.step.value.items())
    for group in step.groups:
        pods = ", ".join(f"{names[uid]} ({seconds} s)" for uid, seconds in group.pods.items())
        yield f"priority {group.priority}, for at most {group.seconds} s: {pods} end, Failed: Terminated"
    if step.step.kind == "shutdown" and not step.groups:
        yield "no pod is ended: there is none, or shutdownGracePeriod leaves no time"
    for admission in step.admissions:
        if not admission.admitted:
            yield headline(admission, outcomes)
        if admission.uid in step.late:
            yield "    a new pod like it is admitted by now: device plugins register after pods are admitted"
    for uid, placements in step.pods.items():
        yield f"{names.get(uid, uid)} has {brief_placements(machine, placements)}"
    if not step.pods:
        yield "no pod is on the node"


def data_of(outcomes: Outcomes) -> dict[str, Any]:
    """Return pods and steps for a program."""
    return {**outcomes.to_dict(), **({"steps": steps_to_dict(outcomes)} if outcomes.steps else {})}


def steps_to_dict(outcomes: Outcomes) -> list[dict[str, Any]]:
    """Return the steps for a program."""
    # The protocol and all it speaks of are loaded by nothing else here.
    from ..target.answers import placements_answer

    names = outcomes.names
    return [
        {
            "step": step.step.text,
            "afterPods": step.after,
            "pods": [outcomes.pod_to_dict(admission) for admission in step.admissions],
            "ended": [
                {**asdict(group), "pods": {names[uid]: seconds for uid, seconds in group.pods.items()}}
                for group in step.groups
            ],
            "failure": step.failure or None,
            "admittedByNow": [names[uid] for uid in step.late],
            "has": {names.get(uid, uid): msgspec.to_builtins(placements_answer(has)) for uid, has in step.pods.items()},
        }
        for step in outcomes.steps
    ]
