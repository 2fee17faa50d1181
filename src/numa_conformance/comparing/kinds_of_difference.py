"""Kinds of differences: what has one cause is told once, by its smallest history."""

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from ..asking.shrinking import smallest
from ..wire.history.history import History
from .differing import Differing
from .simpler import is_real, on_real_machines, simpler

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
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._again = again
        self._known = known
        self._seconds = seconds
        self._clock = clock
        self._kinds: list[Kind] = []

    def add(self, differs: Differing) -> None:
        """Count a difference to its kind, or begin one with it."""
        kind = next((kind for kind in self._kinds if kind.has(differs) and self._is_of(kind, differs)), None)
        if kind is None:
            kind = self._new(differs)
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
            clock=self._clock,
        )
        if is_real(shrunk.history.head.machine):
            return shrunk
        ends = self._clock() + self._seconds
        for history in on_real_machines(shrunk.history):
            elsewhere = self._still(history, differs)
            if elsewhere is not None:
                return elsewhere
            if self._clock() >= ends:
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
