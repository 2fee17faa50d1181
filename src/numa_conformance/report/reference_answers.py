"""The reference's answers to a target's questions, and the quirks by which a kubelet departs there too."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Any

from ..asking.drive import again
from ..asking.findings.findings import CAME_UP
from ..comparing.differing import PASS, RUNS_ON, filled, sends_unasked
from ..comparing.recorded import Vector, record, replay
from ..errors import NumaConformanceError
from ..judging.departures import TOGETHER, Causes
from ..judging.verdicts import judge
from ..reference.target import Level, LifeClient, LivingReference, ReferenceTarget
from ..sources.changes import Changes
from ..sources.quirks import Quirks
from ..sources.versions import DEFAULT, KubernetesVersion
from ..wire import Client, InProcess, TargetFault
from ..wire.history.history import History, Step


def with_reference(scenario: Mapping[str, Any], level: Level, version: KubernetesVersion = DEFAULT) -> dict[str, Any]:
    """Return a scenario with the reference's answers and version as its record, so that ``replay`` can judge by it.

    Where the documentation leaves a placement open, the reference's is one of those allowed. A scenario that the
    reference cannot take comes back as it is.
    """
    with open_reference(level, version) as reference:
        versioned = {**scenario, "kubernetesVersion": str(version)}
        try:
            if scenario["kind"] == "question":
                return {**versioned, "expect": reference.call(scenario["method"], scenario["params"])}
            return record(reference, versioned)
        except (NumaConformanceError, TargetFault, KeyError, TypeError):
            return dict(scenario)


@contextmanager
def open_reference(
    level: Level,
    version: KubernetesVersion = DEFAULT,
    quirks: Quirks | None = None,
    changes: Changes | None = None,
    *,
    resource_fit: bool = False,
    lives: bool = False,
) -> Iterator[Client]:
    """Open the reference at a level and version, or with these quirks and changes, and close it at the end.

    ``resource_fit``: it adds up requests, as a whole kubelet does and its managers do not. ``lives``: so does this one,
    which takes the steps that the protocol has no words for.
    """
    target, client = (LivingReference, LifeClient) if lives else (ReferenceTarget, Client)
    shown: dict[str, Any] = {"quirks": quirks, "changes": changes, "resource_fit": resource_fit or lives}
    with closing(client(InProcess(lambda: target(level, version, **shown), "the bundled reference"))) as reference:
        yield reference


_NO_PLUGIN = "no healthy devices present"
"""What a kubelet says of devices of which no plugin has registered since it started."""


def quirks_in_history(history: History, requirement: str) -> Causes | None:
    """Return each quirk that alone makes the kubelet break a requirement, else a least set of them together.

    None where the kubelet keeps it at the steps at which the history breaks it, and where no quirk is the reason.
    """
    version = KubernetesVersion.parse(history.head.version)
    steps = _broken_at(history, requirement)
    whole = _is_whole(step.answer for step in history.steps)
    questions, step_of = _with_passes(history)
    # Where a target never tells on what containers run, nothing is made of what the reference tells of it.
    untold = frozenset(field for field in RUNS_ON if not any(_has(step.answer, field) for step in history.steps))

    def breaks(quirks: Quirks) -> bool:
        with open_reference("exact", version, quirks, resource_fit=whole) as reference:
            answers = again(questions, reference)[0]
            steps_of_reference = tuple(replace(step, answer=_without(step.answer, untold)) for step in answers.steps)
            broken = _broken_at(History(answers.head, steps_of_reference), requirement)
            return not steps.isdisjoint(step_of[step] for step in broken)

    return _reasons(Quirks.of(version), breaks)


def _with_passes(history: History) -> tuple[History, list[int]]:
    """Add a pass of the loop after each step with unasked cpusets, as the reference does; with each step's number."""
    steps, step_of = list[Step](), list[int]()
    for number, step in enumerate(history.steps):
        sends = sends_unasked(step)
        steps += [step, Step(PASS, {})] if sends else [step]
        step_of += [number] * (1 + sends)
    return History(history.head, tuple(steps)), step_of


def _has(answer: object, field: str) -> bool:
    if isinstance(answer, Mapping):
        return field in answer or any(_has(value, field) for value in answer.values())
    return isinstance(answer, list) and any(_has(value, field) for value in answer)


def _without(answer: Any, fields: Collection[str]) -> Any:
    if isinstance(answer, Mapping):
        return {name: _without(value, fields) for name, value in answer.items() if name not in fields}
    return [_without(value, fields) for value in answer] if isinstance(answer, list) else answer


def _broken_at(history: History, requirement: str) -> frozenset[int]:
    unmet = judge(history, only={requirement}).broken
    return frozenset(broken.step for broken in unmet if broken.requirement == requirement)


def _is_whole(answers: Iterable[Mapping[str, Any] | None]) -> bool:
    """Tell whether a target adds up requests, or refuses devices whose plugins are late, as a whole kubelet does."""
    return any(
        str(answer.get("reason")).startswith("OutOf")
        or any(_NO_PLUGIN in str(pod.get("message")) for pod in answer.get("pods") or ())
        for answer in answers
        if answer
    )


def quirks_in_scenario(
    scenario: Mapping[str, Any], version: KubernetesVersion, untold: Collection[str] = ()
) -> Causes | None:
    """Return each quirk without which the kubelet answers a finding's scenario otherwise than the target did.

    None where the kubelet answers otherwise itself, and where it answers alike without any quirk too: what is wrong
    is in no answer that is compared. ``untold``: fields of answers that the target cannot see.
    """
    whole = "steps" in scenario and _is_whole(scenario.get("answered") or ())

    def alike(quirks: Quirks) -> bool:
        with open_reference("exact", version, quirks, resource_fit=whole) as reference:
            decision = _decision(scenario, reference, untold)
            return decision is not None and all(each.status == "matched" for each in replay(reference, [decision]))

    return _reasons(Quirks.of(version), alike)


def _decision(scenario: Mapping[str, Any], reference: Client, untold: Collection[str]) -> Vector | None:
    """Return a scenario as a decision with the target's answers and the reference's start; None if starts differ."""
    body = {**scenario, "expect": scenario.get("answered")}
    if "steps" in body:
        try:
            recorded = record(reference, body if untold else {**body, "steps": []})
        except TargetFault:
            return None
        body["initial"] = recorded["initial"]
        came_up = body["initial"]["result"] != "failed"
        if came_up != body.get(CAME_UP, True):
            return None
        if untold and came_up:
            answered = list(body["expect"] or ())
            body["expect"] = filled(answered, recorded["expect"][: len(answered)], untold)
    return Vector("", str(body.get("kind")), body, "")


def _reasons(shown: Quirks, departs: Callable[[Quirks], bool]) -> Causes | None:
    if not departs(shown):
        return None
    names = shown.showing()
    if departs(shown.without(*names)):
        return None
    if alone := tuple(name for name in names if not departs(shown.without(name))):
        return alone
    least = list(names)
    for name in names:
        if not departs(shown.without(*(quirk for quirk in least if quirk != name))):
            least.remove(name)
    return (TOGETHER.join(least),)
