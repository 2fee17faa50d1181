"""Asks an allocator of this process, without a thread and without checking messages: which fault shows first."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from typing import Any

import msgspec

from numa_conformance.asking.drive import drive
from numa_conformance.asking.generators.scenario import Scenario
from numa_conformance.asking.groups import GROUPS
from numa_conformance.asking.profiles import Profile
from numa_conformance.chapters import REQUIREMENTS
from numa_conformance.judging.verdicts import ANSWERED, judge
from numa_conformance.wire import METHODS
from numa_conformance.wire.faults import Crashed, Exchange
from numa_conformance.wire.messages.describe import Description

__all__ = ["Directly", "broken_by", "broken_in"]


VERSION = "1.32"
OFFERED = Profile.parse("all", VERSION).offered
"""What targets of the version are asked for."""


class Directly:
    """What a generator drives in place of a client."""

    def __init__(self, target: Any) -> None:
        self._target = target
        self.description: Description = target.describe(METHODS["describe"].request())
        self.claimed = frozenset(self.description.features)

    def call(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return self._answer(method, params)
        except Exception as error:
            raise Crashed(f"{type(error).__name__}: {error}", Exchange(method)) from error

    def _answer(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        if hasattr(type(self._target), "answer"):
            return self._target.answer(method, params)  # type: ignore[no-any-return]
        known = METHODS[method]
        reply = getattr(self._target, known.attribute)(msgspec.convert(params, known.request))
        return msgspec.to_builtins(reply)  # type: ignore[no-any-return]


@cache
def _scenarios(names: tuple[str, ...], surfaces: frozenset[str], features: frozenset[str]) -> tuple[Scenario, ...]:
    """Return what the groups of these groups ask a target with these claims, mixed."""
    groups = [group for group in GROUPS.values() if group.name in names and group.surface in surfaces]
    scenarios = [scenario for group in groups for scenario in group.scenarios(features, 0)]
    random.Random("mixed").shuffle(scenarios)
    return tuple(scenarios)


Wanted = Callable[[Scenario], bool]


def _all(scenario: Scenario) -> bool:
    return True


def broken_in(
    scenario: Scenario, client: Any, version: str = VERSION, only: Collection[str] | None = None
) -> Iterator[str]:
    """Yield the requirements, of what it claims, that an allocator does not meet in a scenario.

    ``only``: those that are looked for; each is judged by itself, so others need not be.
    """
    history, fault = drive(scenario, client, version)
    if fault is not None:
        yield ANSWERED
    for broken in judge(history, only=only).broken:
        if client.claimed.issuperset(REQUIREMENTS[broken.requirement].features):
            yield broken.requirement


def broken_by(
    make: Callable[[], object],
    *,
    part: slice = slice(None),
    strength: str = "MUST",
    wanted: Wanted = _all,
    groups: tuple[str, ...] = ("picks", "lives", "relations"),
) -> str | None:
    """Return the first requirement that an allocator does not meet in scenarios that are wanted; None for all met."""
    client = Directly(make())
    scenarios = _scenarios(groups, frozenset(client.description.surfaces), client.claimed & OFFERED)
    broken = (name for scenario in filter(wanted, scenarios[part]) for name in broken_in(scenario, client))
    return next((name for name in broken if REQUIREMENTS[name].strength == strength), None)
