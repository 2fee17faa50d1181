"""Where a requirement shows, remembered: a small budget is not spent on looking for what few scenarios show.

What is remembered proves nothing: the scenario is asked anew each time. Where it is there no more, or shows nothing of
a target, the others are asked. ``python -m measured places`` in the folder ``tests`` remembers anew.
"""

import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial

from ..files import text_of
from .generators.scenario import Scenario

FILE = "requirement_index.json"
Place = tuple[str, str, str]
"""What a scenario says of itself: its generator, cell and machine."""


@cache
def all_places() -> Mapping[str, tuple[Place, ...]]:
    """Return by requirement the scenarios that show it of the documented reference.

    One is asked where everything is claimed, another where only what shows of a node from outside is. They may be one.
    """
    rows = json.loads(text_of(__package__, FILE))
    return {
        requirement: tuple((group, cell, machine) for group, cell, machine in places)
        for requirement, places in rows.items()
    }


def places_of(requirement: str) -> tuple[Place, ...]:
    """Return where a requirement is known to show."""
    return all_places().get(requirement, ())


Tests = Mapping[str, int]
"""Requirement to how often a history asked it."""
_SETTING = re.compile("[A-Za-z-]+")
"""What the name of a cell is made of: options, policies, places."""


def _settings(scenario: Scenario) -> set[str]:
    return set(_SETTING.findall(scenario.cell))


def _features(scenario: Scenario) -> list[str]:
    return [f"by {scenario.generator}", f"on {scenario.machine.name}", *sorted(_settings(scenario))]


def from_all_over(scenarios: Iterable[Scenario], count: int | None = None) -> list[Scenario]:
    """Return so many of the scenarios mixed, those first that bring a setting none before them has, then the others."""
    scenarios = list(scenarios)
    mixed = scenarios.copy()
    random.Random(len(mixed)).shuffle(mixed)
    met: set[str] = set()
    new: list[Scenario] = []
    known: list[Scenario] = []
    for scenario in mixed:
        settings = _settings(scenario)
        (known if settings <= met else new).append(scenario)
        met |= settings
    first = (new + known)[:count]
    chosen = {id(scenario) for scenario in first}
    return [*first, *(scenario for scenario in scenarios if id(scenario) not in chosen)]


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
