"""The causes of a difference between two references: quirks, changes, gates and options of their versions."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from ..asking.drive import again_in_its_version
from ..comparing.differing import Differing
from ..comparing.two_targets import TwoTargets
from ..reference.target import Level
from ..sources.changes import CHANGES, Changes
from ..sources.gates import GATES
from ..sources.options import POLICY_OPTIONS
from ..sources.quirks import QUIRKS, Quirks
from ..sources.versions import KubernetesVersion
from ..wire import Client
from ..wire.history.history import History
from .reference_answers import open_reference

FACTS = "gates-options-and-defaults"
"""The cause where neither a quirk nor a change is one, and no setting of the question tells more."""


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What a reference shows: the level, the version with its gates and options, the quirks, and the changes.

    ``lives``: a whole kubelet does, that takes the steps of a life.
    """

    level: Level
    version: KubernetesVersion
    quirks: Quirks
    changes: Changes
    lives: bool = False

    @classmethod
    def of(cls, level: Level, version: KubernetesVersion, *, lives: bool = False) -> "Behaviour":
        """Return what the reference of a level and version shows."""
        quirks = Quirks.of(version) if level == "exact" else Quirks.none()
        return cls(level, version, quirks, Changes.of(version), lives)

    def open(self) -> AbstractContextManager[Client]:
        """Open the reference that shows it."""
        return open_reference(self.level, self.version, self.quirks, self.changes, lives=self.lives)

    @property
    def names(self) -> tuple[str, ...]:
        """The ids of its quirks and changes."""
        return (*self.quirks.showing(), *self.changes.showing())

    def without(self, *names: str) -> "Behaviour":
        """Return it without quirks and changes of these ids; what it does not show is passed over."""
        off = [name for name in names if name in self.names]
        return replace(
            self,
            quirks=self.quirks.without(*(name for name in off if name in QUIRKS)),
            changes=self.changes.without(*(name for name in off if name in CHANGES)),
        )

    def toggled(self, *names: str) -> "Behaviour":
        """Return it with each of these quirks and changes the other way: taken away, or shown."""
        quirks, changes = self.quirks, self.changes
        for name in names:
            flag = name.replace("-", "_")
            if name in CHANGES:
                changes = replace(changes, **{flag: not getattr(changes, flag)})
            else:
                area = getattr(quirks, QUIRKS[name].area)
                quirks = replace(quirks, **{QUIRKS[name].area: replace(area, **{flag: not getattr(area, flag)})})
        return replace(self, quirks=quirks, changes=changes)


class CausesBetween:
    """Says what differences between two references come from: what one of them shows is taken from it, one at a time.

    Quirks first, then changes; where none of them is the reason, the first side is given the version of the other.
    """

    def __init__(self, two: TwoTargets, first: Behaviour, other: Behaviour) -> None:
        self._two = two
        self._first, self._other = first, other
        differing = set(first.names) ^ set(other.names)
        self.names = tuple(name for name in (*QUIRKS, *CHANGES) if name in differing)
        """The quirks and changes that one of them shows, and the other not."""

    def causes(self, difference: Differing) -> tuple[str, ...]:
        """Return what alone is the reason, each; empty where nothing alone is."""
        alone = tuple(name for name in self.names if self.comes_from(difference, (name,)))
        if alone or not self.comes_from(difference, (FACTS,)):
            return alone
        return tuple(self._settings(difference.history)) or (FACTS,)

    def comes_from(self, difference: Differing, causes: tuple[str, ...]) -> bool:
        """Tell whether both answer alike without these; settings are the reason where it is their version."""
        if not set(causes) <= {*QUIRKS, *CHANGES}:
            moved = replace(self._first, version=self._other.version)
            return self._two.differing(_answers(moved, difference.history), difference.other) is None
        first, other = self._first.without(*causes), self._other.without(*causes)
        history = difference.history if first == self._first else _answers(first, difference.history)
        others = difference.other if other == self._other else _answers(other, difference.other)
        return self._two.differing(history, others) is None

    def _settings(self, history: History) -> Iterator[str]:
        """Yield the gates and options that a history sets and that are at another stage in the other version."""
        named: dict[str, None] = {}
        for step in history.steps:
            kubelet = step.params.get("kubelet")
            settings: Mapping[str, Any] = kubelet if isinstance(kubelet, Mapping) else step.params
            for field in ("featureGates", "cpuManagerPolicyOptions", "topologyManagerPolicyOptions", "options"):
                named |= dict.fromkeys(settings.get(field) or ())
        gates = {name: gate.history for name, gate in GATES.items()}
        options = {name: option.maturity for name, option in POLICY_OPTIONS.items()}
        for name in named:
            stages = gates.get(name) or options.get(name)
            if stages is not None and stages.at(self._first.version) != stages.at(self._other.version):
                yield name


def _answers(shown: Behaviour, history: History) -> History:
    with shown.open() as reference:
        return answers_of(history, reference)


@dataclass(frozen=True, slots=True)
class VersionChange:
    """The first step at which two neighbouring versions answer otherwise.

    ``causes``: ids of quirks and changes, gates and options, of which each alone is the reason; with ``together`` only
    all of them are.
    """

    before: KubernetesVersion
    after: KubernetesVersion
    difference: Differing
    causes: tuple[str, ...]
    together: bool = False


def answers_of(history: History, client: Client) -> History:
    """Ask a target the questions of a history; each follows the version that it tells."""
    return again_in_its_version(history, client)[0]


def turns(
    history: History,
    versions: Iterable[KubernetesVersion],
    level: Level,
    *,
    messages: bool = False,
    ignored: Collection[str] = (),
    lives: bool = False,
) -> Iterator[VersionChange]:
    """Yield where the references of two neighbouring versions differ; refusals by wording with ``messages`` only.

    ``lives``: of whole kubelets.
    """
    for before, after in pairwise(Behaviour.of(level, version, lives=lives) for version in versions):
        with before.open() as older, after.open() as newer:
            two = TwoTargets(older, newer, messages=messages, ignored=ignored)
            difference = two.differing(answers_of(history, older), answers_of(history, newer))
            if difference is None:
                continue
            between = CausesBetween(two, before, after)
            causes = between.causes(difference)
            if causes == (FACTS,):
                causes = tuple(_defaults(two, difference, before, after.version)) or causes
            reasons = causes or _fewest(between, difference)
            yield VersionChange(before.version, after.version, difference, reasons, together=not causes)


def _fewest(between: CausesBetween, difference: Differing) -> tuple[str, ...]:
    """Return as few quirks and changes as are the reason together; none where all of them are not."""
    names = between.names
    if not between.comes_from(difference, names):
        return ()
    for name in names:
        fewer = tuple(other for other in names if other != name)
        if fewer and between.comes_from(difference, fewer):
            names = fewer
    return names


def _defaults(two: TwoTargets, difference: Differing, before: Behaviour, after: KubernetesVersion) -> Iterator[str]:
    """Yield the gates of which another default is the reason: set so, the older version answers as the newer one."""
    for name, gate in GATES.items():
        was, now = gate.history.at(before.version), gate.history.at(after)
        if was is None or now is None or was.on == now.on or was.stage == "gone":
            continue
        history = difference.history
        steps = tuple(replace(step, params=_gated(step.params, name, on=now.on)) for step in history.steps)
        set_so = _answers(before, History(history.head, steps))
        if two.differing(History(history.head, set_so.steps), difference.other) is None:
            yield name


def _gated(params: Mapping[str, Any], name: str, *, on: bool) -> Mapping[str, Any]:
    kubelet = params.get("kubelet")
    if not isinstance(kubelet, Mapping):
        return params
    return {**params, "kubelet": {**kubelet, "featureGates": {name: on, **(kubelet.get("featureGates") or {})}}}


def cause_line(name: str, after: KubernetesVersion) -> str:
    """Say in a line what a quirk, a change, a gate or an option is to a version that answers otherwise."""
    if name in QUIRKS:
        quirk = QUIRKS[name]
        began = after in quirk.versions
        where = ", ".join(filter(None, (quirk.issue,) if began or not quirk.pull else quirk.pull))
        return f"quirk {name} {'begins' if began else 'is fixed'}{f' ({where})' if where else ''}: {quirk.summary}"
    if name in CHANGES:
        change = CHANGES[name]
        return f"change {name}{f' ({change.pull})' if change.pull else ''}: from here on {change.after}"
    if name == FACTS:
        return "gates, options or defaults are at another stage"
    return f"{name} is at another stage"
