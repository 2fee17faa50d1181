"""What changed when: one history asked of version after version, and what each change comes from."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from ..asking.drive import again
from ..comparing.differing import Differing
from ..comparing.two_targets import TwoTargets
from ..reference.target import Level
from ..sources.changes import CHANGES
from ..sources.gates import GATES
from ..sources.quirks import QUIRKS
from ..sources.versions import KubernetesVersion
from ..wire import Client
from ..wire.history.history import History
from .beside_reference import open_reference
from .causes import FACTS, CausesBetween, Shown


@dataclass(frozen=True, slots=True)
class Turn:
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
    head = replace(history.head, version=client.description.kubernetes_version)
    return again(History(head, history.steps), client)[0]


def turns(
    history: History,
    versions: Iterable[KubernetesVersion],
    level: Level,
    *,
    messages: bool = False,
    ignored: Collection[str] = (),
) -> Iterator[Turn]:
    """Yield where the reference of one version answers otherwise than that of the version before it.

    The wording of refusals is compared with ``messages`` only; fields that are ``ignored`` are not.
    """
    for before, after in pairwise(versions):
        with open_reference(level, before) as older, open_reference(level, after) as newer:
            two = TwoTargets(older, newer, messages=messages, ignored=ignored)
            difference = two.differing(answers_of(history, older), answers_of(history, newer))
            if difference is not None:
                yield _turn(two, difference, level, before, after)


def _turn(
    two: TwoTargets, difference: Differing, level: Level, before: KubernetesVersion, after: KubernetesVersion
) -> Turn:
    older, newer = Shown.of(level, before), Shown.of(level, after)
    between = CausesBetween(two, older, newer)
    causes = between.causes(difference)
    if causes and causes != (FACTS,):
        return Turn(before, after, difference, causes)
    if not causes:
        names = tuple(name for name in (*QUIRKS, *CHANGES) if name in set(older.names) ^ set(newer.names))
        return Turn(before, after, difference, _fewest(between, difference, names), together=True)
    return Turn(before, after, difference, tuple(_defaults(two, difference, level, before, after)) or causes)


def _fewest(between: CausesBetween, difference: Differing, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return as few of the names as are the reason together; none where all of them are not."""
    if not between.comes_from(difference, names):
        return ()
    for name in names:
        fewer = tuple(other for other in names if other != name)
        if fewer and between.comes_from(difference, fewer):
            names = fewer
    return names


def _defaults(
    two: TwoTargets, difference: Differing, level: Level, before: KubernetesVersion, after: KubernetesVersion
) -> Iterator[str]:
    """Yield the gates of which another default is the reason: set so, the older version answers as the newer one."""
    for name, gate in GATES.items():
        was, now = gate.history.at(before), gate.history.at(after)
        if was is None or now is None or was.on == now.on or was.stage == "gone":
            continue
        with open_reference(level, before) as client:
            set_so = answers_of(_with_gate(difference.history, name, on=now.on), client)
            if two.differing(History(difference.history.head, set_so.steps), difference.other) is None:
                yield name


def _with_gate(history: History, name: str, *, on: bool) -> History:
    return History(
        history.head, tuple(replace(step, params=_gated(step.params, name, on=on)) for step in history.steps)
    )


def _gated(params: Mapping[str, Any], name: str, *, on: bool) -> Mapping[str, Any]:
    kubelet = params.get("kubelet")
    if not isinstance(kubelet, Mapping):
        return params
    return {**params, "kubelet": {**kubelet, "featureGates": {name: on, **(kubelet.get("featureGates") or {})}}}


def cause_told(name: str, after: KubernetesVersion) -> str:
    """Say in a line what a quirk, a change, a gate or an option is to a version that answers otherwise."""
    if name in QUIRKS:
        one = QUIRKS[name]
        began = after in one.versions
        known = (one.issue,) if began or not one.pull else one.pull
        where = ", ".join(filter(None, known))
        return f"quirk {name} {'begins' if began else 'is mended'}{f' ({where})' if where else ''}: {one.summary}"
    if name in CHANGES:
        change = CHANGES[name]
        return f"change {name}{f' ({change.pull})' if change.pull else ''}: from here on {change.after}"
    if name == FACTS:
        return "gates, options or defaults are at another stage"
    return f"{name} is at another stage"
