"""In which order a budget is spent: on scenarios from all over a group, then on those that ask what was asked least."""

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from .generators.scenario import Scenario

Tests = Mapping[str, int]
"""Requirement to how often a history asked it."""
_SETTING = re.compile("[A-Za-z-]+")
"""What the name of a cell is made of: options, policies, places."""


def _settings(scenario: Scenario) -> set[str]:
    return set(_SETTING.findall(scenario.cell))


def _features(scenario: Scenario) -> list[str]:
    return [f"by {scenario.generator}", f"on {scenario.machine.name}", *sorted(_settings(scenario))]


def from_all_over(scenarios: Iterable[Scenario]) -> list[Scenario]:
    """Return the scenarios mixed, those first that bring a setting none before them has."""
    mixed = list(scenarios)
    random.Random(len(mixed)).shuffle(mixed)
    met: set[str] = set()
    new: list[Scenario] = []
    known: list[Scenario] = []
    for scenario in mixed:
        settings = _settings(scenario)
        (known if settings <= met else new).append(scenario)
        met |= settings
    return new + known


def rarest_first(left: Sequence[Scenario], driven: Iterable[tuple[Scenario, Tests]], count: int) -> list[Scenario]:
    """Return the scenarios, ahead of the others ``count`` that are likely to ask what was asked least, in turn.

    A scenario is likely to ask a requirement as often as those with the same settings did. The order hangs on what was
    asked alone, not on its order, so it is the same in every run.
    """
    times, with_setting = Counter[str](), defaultdict[str, Counter[str]](Counter)
    expected = defaultdict[str, float](float)
    for scenario, tests in driven:
        for name, number in tests.items():
            expected[name] += number
        for setting in _features(scenario):
            times[setting] += 1
            with_setting[setting].update(tests)
    known = {id(scenario): [each for each in _features(scenario) if each in times] for scenario in left}

    def likely(scenario: Scenario, requirement: str) -> float:
        settings = known[id(scenario)]
        return sum(with_setting[each][requirement] / times[each] for each in settings) / max(len(settings), 1)

    ordered: dict[str, list[Scenario]] = {}
    chosen: dict[int, Scenario] = {}
    while expected and len(chosen) < min(count, len(left)):
        rarest = min(expected, key=lambda name: (expected[name], name))
        if rarest not in ordered:
            ordered[rarest] = sorted(left, key=partial(likely, requirement=rarest))
        while ordered[rarest] and id(ordered[rarest][-1]) in chosen:
            ordered[rarest].pop()
        scenario = ordered[rarest].pop()
        chosen[id(scenario)] = scenario
        for name in expected:
            expected[name] += likely(scenario, name)
        expected[rarest] += 1
    return [*chosen.values(), *(scenario for scenario in left if id(scenario) not in chosen)]
