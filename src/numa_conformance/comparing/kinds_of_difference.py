"""Kinds of differences: what has one cause is told once, by its smallest history.

Smaller conversations have fewer steps, fewer settings, smaller pods, or a machine that exists.
"""

import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Protocol

from ..asking.generators.cells import WITH_DEVICES
from ..asking.shrinking import fewer_steps, smallest
from ..cpuset import CpuSet
from ..machine import Machine, catalogue_names, load_machine
from ..wire.history.history import History, Step
from .differing import Differing


def simpler(history: History) -> Iterator[History]:
    """Yield a history with something left out: steps, settings, containers, requests. The caller tests the rest."""
    yield from fewer_steps(history)
    for number, step in enumerate(history.steps):
        for params in _simpler_params(step.params):
            steps = list(history.steps)
            steps[number] = Step(step.method, params)
            yield History(history.head, tuple(steps))


def _simpler_params(params: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for name in ("kubelet", "options"):
        yield from ({**params, name: less} for less in _less(params.get(name)))
    if isinstance(params.get("pod"), Mapping):
        for spec in _smaller_spec(params["pod"].get("spec", {})):
            yield {**params, "pod": {**params["pod"], "spec": spec}}


def _less(settings: Any) -> Iterator[dict[str, Any]]:
    if not isinstance(settings, Mapping):
        return
    yield from ({key: value for key, value in settings.items() if key != name} for name in settings)
    for name, value in settings.items():
        if isinstance(value, Mapping) and len(value) > 1:
            yield from ({**settings, name: less} for less in _less(value))


def _smaller_spec(spec: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for kind in ("initContainers", "containers"):
        containers = spec.get(kind) or []
        for index, container in enumerate(containers):
            rest = [*containers[:index], *containers[index + 1 :]]
            if rest or kind == "initContainers":
                yield {**spec, kind: rest}
            for smaller in _asking_less(container):
                yield {**spec, kind: [*containers[:index], smaller, *containers[index + 1 :]]}


def _asking_less(container: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a container that does not ask for one of its resources, or for the least of it."""
    resources = container.get("resources") or {}
    names = dict.fromkeys(name for amounts in resources.values() for name in amounts)
    for name in names:
        left = {kind: {key: amounts[key] for key in amounts if key != name} for kind, amounts in resources.items()}
        yield {**container, "resources": left}
    for name in names:
        if any(amounts.get(name, "1") != "1" for amounts in resources.values()) and name != "memory":
            least = {kind: amounts | {name: "1"} if name in amounts else amounts for kind, amounts in resources.items()}
            yield {**container, "resources": least}


def is_real(machine: Machine) -> bool:
    """Tell whether a machine is one of the catalogue that exists outside it, whatever devices it was given."""
    return _bare(machine) in map(_bare, _real_machines())


def on_real_machines(history: History) -> Iterator[History]:
    """Yield a history on each real machine that has its CPUs and may have its devices, those of few CPUs first."""
    named = _cpus_named(history.steps[0])
    if named is None:
        return
    devices = history.head.machine.devices
    for machine in _real_machines():
        near = {node for device in devices for node in device.numa}
        if devices and not machine.devices and near <= {*machine.numa_ids}:
            machine = replace(machine, name=f"{machine.name}{WITH_DEVICES}", devices=devices)
        if not named & ~machine.online_bits:
            yield History(replace(history.head, machine=machine), history.steps)


def _cpus_named(step: Step) -> int | None:
    """Return the CPUs that a question names, which a machine must have; None where it belongs to its machine."""
    if step.method == "node.start" and not step.params.get("files"):
        return CpuSet.parse(step.params["kubelet"].get("reservedSystemCPUs") or "").bits
    return CpuSet.parse(step.params["available"]).bits if step.method == "pick" else None


def _bare(machine: Machine) -> Machine:
    return replace(machine, name=machine.name.removesuffix(WITH_DEVICES), devices=())


@cache
def _real_machines() -> tuple[Machine, ...]:
    machines = [load_machine(name) for name in catalogue_names()]
    exist = [machine for machine in machines if any(note.startswith("source: ") for note in machine.notes)]
    return tuple(sorted(exist, key=lambda machine: len(machine.cpus)))


SECONDS = 3.0
"""Time to look for a smaller history of a new kind of difference, and for one on a real machine."""
_NAMED = re.compile(r"^(containers|pods|hints|pod_hints|placements|container_cpus|scores)\.([^.]+)((?:\.[^.\[]+)?)")
_NUMBER = re.compile(r"\[[0-9]+\]")
_POLICIES = ("cpuManagerPolicy", "memoryManagerPolicy", "topologyManagerPolicy", "topologyManagerScope", "policy")
_OPTIONS = ("cpuManagerPolicyOptions", "topologyManagerPolicyOptions", "options")
_DEFAULTS = frozenset({"none", "None", "container"})


@dataclass(slots=True)
class Kind:
    """Differences of one cause: the method and the field where they show, and the settings that they need.

    ``needs``: policies and options without which the examples do not differ, with their values. ``causes``: names from
    the caller. ``histories``: how many differ so. ``machines``: where they do.
    """

    method: str
    place: str
    needs: dict[str, set[str]]
    example: Differing
    causes: tuple[str, ...] = ()
    histories: int = 0
    machines: dict[str, None] = field(default_factory=dict)

    def has(self, differs: Differing) -> bool:
        """Tell whether a difference shows in the same place, where this kind can show."""
        known = settings_of(differs.history).keys()
        return (self.method, self.place) == place_of(differs) and self.needs.keys() <= known

    @property
    def needed(self) -> list[str]:
        """What is needed, as text: ``topologyManagerPolicy: best-effort or restricted``."""
        return [f"{name}: {' or '.join(sorted(values))}" for name, values in sorted(self.needs.items())]

    def count(self, differs: Differing) -> None:
        """Count a history of this kind, on its machine and under its settings."""
        self.histories += 1
        self.machines[differs.history.head.machine.name] = None
        settings = settings_of(differs.history)
        for name, values in self.needs.items():
            values.add(settings[name])


class KnownCauses(Protocol):
    """Says what a difference comes from, by names."""

    def causes(self, differs: Differing) -> tuple[str, ...]:
        """Return the names of what a difference comes from; empty where none is known."""

    def comes_from(self, differs: Differing, causes: tuple[str, ...]) -> bool:
        """Tell whether a difference comes from these."""


class Kinds:
    """Keeps the smallest example of each kind of difference. ``again`` asks a history anew, ``known`` names causes."""

    def __init__(
        self,
        again: Callable[[History], Differing | None],
        known: KnownCauses | None = None,
        *,
        seconds: float = SECONDS,
    ) -> None:
        self._again = again
        self._known = known
        self._seconds = seconds
        self._kinds: list[Kind] = []

    def add(self, differs: Differing) -> None:
        """Count a difference to its kind, or begin one with it."""
        kinds = (kind for kind in self._kinds if kind.has(differs) and self._is_of(kind, differs))
        kind = next(kinds, None) or self._new(differs)
        kind.count(differs)

    def all(self) -> list[Kind]:
        """Return the kinds, those of most histories first."""
        return sorted(self._kinds, key=lambda kind: -kind.histories)

    def _is_of(self, kind: Kind, differs: Differing) -> bool:
        return self._known is None or not kind.causes or self._known.comes_from(differs, kind.causes)

    def _new(self, differs: Differing) -> Kind:
        """Begin a kind; what turns out to be one already known, once all else is left out, is counted there."""
        example = self._smallest(differs)
        method, place = place_of(example)
        causes = self._known.causes(example) if self._known else ()
        needs = {name: {value} for name, value in settings_of(example.history).items()}
        kind = Kind(method, place, needs, example, causes)
        for known in self._kinds:
            same = (known.method, known.place, known.causes) == (method, place, causes)
            if same and known.needs.keys() == needs.keys():
                known.example = min(known.example, example, key=_size)
                return known
        self._kinds.append(kind)
        return kind

    def _smallest(self, differs: Differing) -> Differing:
        shrunk = smallest(
            differs,
            lambda best: simpler(best.history),
            lambda history: self._still(history, differs),
            seconds=self._seconds,
        )
        if is_real(shrunk.history.head.machine):
            return shrunk
        ends = time.monotonic() + self._seconds
        for history in on_real_machines(shrunk.history):
            if (elsewhere := self._still(history, differs)) is not None:
                return elsewhere
            if time.monotonic() >= ends:
                break
        return shrunk

    def _still(self, questions: History, wanted: Differing) -> Differing | None:
        """Return the difference in other questions, where it is the same: at their end, in the same place."""
        unasked = History(questions.head, tuple(replace(step, answer=None, fault=None) for step in questions.steps))
        differs = self._again(unasked)
        if differs is None or differs.step + 1 < len(questions.steps) or place_of(differs) != place_of(wanted):
            return None
        return differs


def _size(differs: Differing) -> tuple[bool, int, int]:
    machine = differs.history.head.machine
    return not is_real(machine), len(differs.history.steps), len(machine.cpus)


def place_of(differs: Differing) -> tuple[str, str]:
    """Return the method of the step that differs and the weightiest field, as ``containers.*.cpus``."""
    first = min(differs.differences, key=lambda difference: _weight(difference.path))
    method = differs.history.steps[differs.step].method
    if first.path in _WEIGHTIEST:
        return method, f"{first.path}: {_brief(first.got)} / {_brief(first.expected)}"
    path = _NUMBER.sub("", first.path)
    if path.startswith(_OFFERED):
        return method, _OFFERED
    named = _NAMED.match(path)
    return method, f"{named[1]}.*{named[3]}" if named else path


def _weight(path: str) -> int:
    """Return how much a place says of an answer, the least for the most: what came of it, what was given, and why."""
    if path in _WEIGHTIEST:
        return _WEIGHTIEST.index(path)
    return len(_WEIGHTIEST) + (2 if path.startswith("alignments") else ".affinity" in path)


_WEIGHTIEST = ("answer", "result", "reason", "stage", "admit")
_OFFERED = "alignments.providers"


def _brief(value: Any) -> str:
    return "nothing" if value is None else str(value).partition(":")[0]


def settings_of(history: History) -> dict[str, str]:
    """Return the policies and options in force at the end of a history that are not the defaults."""
    kubelet: Mapping[str, Any] = {}
    for step in history.steps:
        written = step.params.get("kubelet")
        kubelet = written if isinstance(written, Mapping) else kubelet
    last = history.steps[-1].params
    settings = {**kubelet, **{name: last[name] for name in ("policy", "options") if name in last}}
    named = {name: str(settings[name]) for name in _POLICIES if settings.get(name, "none") not in _DEFAULTS}
    for name in _OPTIONS:
        options = settings.get(name) or {}
        named |= {option: str(value).lower() for option, value in options.items() if value is not False}
    return named
